#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string>
#include <system_error>

#include "cli/arguments.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "model/error.h"

namespace {

using namespace steptwin;

// Not fmt::print: that throws where standard error is closed or its disk full.
int report(const std::string& text, int status) {
  const std::string line = text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return cli::action_of(argc, argv)();
  } catch (const cli::UsageError& error) {
    return report(error.what(), cli::kBadInput);
  } catch (const Error& error) {
    return report(error.what(), cli::kBadInput);
  } catch (const std::bad_alloc&) {
    return report("error: out of memory; expected more memory or a smaller scenario",
                  cli::kMachineFailed);
  } catch (const std::system_error& error) {
    return report(fmt::format("error: {}", error.what()), cli::kMachineFailed);
  } catch (const std::exception& error) {
    return report(fmt::format("error: {}", error.what()), cli::kMachineFailed);
  }
}
