#include "cli/command_line.h"

#include <fmt/format.h>

namespace steptwin::cli {

CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& does,
                      const std::string& example) {
  CLI::App* command = program.add_subcommand(name, does);
  command->set_version_flag("--version", "steptwin " STEPTWIN_VERSION);
  command->footer("\nExample:\n  " + example);
  return command;
}

void add_scenario_options(CLI::App& command, Options& options, const std::string& input_help) {
  command.add_option("input", options.input, input_help)->required()->type_name("FILE");
  command
      .add_option("--set", options.sets,
                  "Set a key of the scenario, as in --set pipeline.micro_batches=16; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_folder_options(CLI::App& command, Options& options) {
  CLI::Option* out =
      command.add_option("--out", options.out, "Write the run folder: trace, summary, schedule")
          ->check([](const std::string& path) { return path.empty() ? "a folder has a name" : ""; })
          ->type_name("DIR");
  command.add_flag("--force", options.force, "Replace the run folder if it exists")->needs(out);
}

void add_output_options(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "Print the summary as JSON and nothing else");
  command.add_flag("--quiet", options.quiet, "Print nothing but errors");
  command.add_option("--color", options.color, "Colour the output: auto, always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

CLI::Validator number_between(double least, double most) {
  const std::string range = fmt::format("from {} to {}", least, most);
  return CLI::Validator(
      [least, most, range](const std::string& input) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(input, value);
        const bool is_right = is_number && value >= least && value <= most;
        return is_right ? std::string() : fmt::format("{} is not a number {}", input, range);
      },
      range);
}

}  // namespace steptwin::cli
