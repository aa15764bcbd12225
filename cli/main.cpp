#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/options.h"
#include "model/error.h"
#include "model/formats/quoted_text.h"
#include "model/nearest_word.h"

namespace {

using namespace steptwin;

// Not fmt::print: that throws where standard error is closed or its disk full.
int report(const std::string& text, int status) {
  const std::string line = text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  return status;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// What is wrong with the command line, and where the right is to be found.
std::string usage_text(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<CLI::App*> commands = program.get_subcommands();
  if (!commands.empty()) {
    const CLI::App& command = *commands.front();
    const std::vector<std::string> surplus = program.remaining(true);
    std::string wrong = error.what();
    if (!surplus.empty()) {
      const std::string& word = surplus.front();
      wrong = word.starts_with('-')
                  ? fmt::format("{} has no option {}", command.get_name(), quoted_text(word))
                  : fmt::format("{} is one argument too many", quoted_text(word));
    }
    return fmt::format("error: {}; see steptwin {} --help", wrong, command.get_name());
  }
  const std::vector<std::string> names = command_names(program);
  std::string expected;
  for (const std::string& name : names) expected += (expected.empty() ? "" : ", ") + name;
  const std::vector<std::string> rest = program.remaining();
  if (rest.empty()) return "error: no command; expected one of " + expected;
  const std::string& word = rest.front();
  const std::string_view nearest = nearest_word(word, {names.begin(), names.end()});
  if (!nearest.empty()) expected += fmt::format("; did you mean {}?", nearest);
  return fmt::format("error: there is no {} {}; expected one of {}",
                     word.starts_with('-') ? "option" : "command", quoted_text(word), expected);
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
  cli::add_run_command(program, action);
  cli::add_validate_command(program, action);
  cli::add_calibrate_command(program, action);
  cli::add_schedule_command(program, action);
  cli::add_lower_command(program, action);
  cli::add_check_command(program, action);
  cli::add_convert_command(program, action);
  cli::add_compare_command(program, action);
  cli::add_report_command(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    cli::print(program.help());
    return cli::kDone;
  } catch (const CLI::CallForVersion& version) {
    cli::print(fmt::format("{}\n", version.what()));
    return cli::kDone;
  } catch (const CLI::ParseError& error) {
    return report(usage_text(program, error), cli::kBadInput);
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
