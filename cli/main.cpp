#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <system_error>

#include "cli/commands.h"
#include "cli/options.h"
#include "model/error.h"

namespace {

using namespace steptwin;

int report(const std::string& text, int status) {
  fmt::print(stderr, "{}\n", text);
  return status;
}

// Reads the command line and runs what it asks for. Usage mistakes are printed here.
int run(int argc, char** argv) {
  CLI::App program{
      "Simulates one training step of a pipeline-parallel model: its bubbles, its waits, and how "
      "much communication computing hides.",
      "steptwin"};
  program.set_version_flag("--version", "steptwin " STEPTWIN_VERSION);
  program.require_subcommand(1);
  program.footer("\nExample:\n  steptwin simulate scenarios/moe_overlap_hooks.toml --out runs/moe");
  cli::Action action;
  cli::add_simulate_command(program, action);
  cli::add_schedule_command(program, action);
  cli::add_lower_command(program, action);
  cli::add_check_command(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(fmt::format("error: {}; see steptwin --help", error.what()), cli::kBadInput);
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
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
