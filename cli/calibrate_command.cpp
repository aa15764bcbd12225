#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/machine_report.h"
#include "cli/machine_source.h"
#include "model/error.h"
#include "model/formats/machine_toml.h"

namespace steptwin::cli {
namespace {

struct CalibrateCommandOptions : Options {
  std::string machine = "machine.toml";
  double effort = 1;
};

// Before anything is measured, which takes a while.
void refuse_without_folder(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  throw Error({file, 0, 0}, "cannot be made: there is no such folder",
              "a place where files can be made, whose folder exists");
}

int calibrate_command(const CalibrateCommandOptions& options) {
  if (!options.force && std::filesystem::exists(options.machine)) {
    throw Error({options.machine, 0, 0}, "exists", "another name, or --force");
  }
  refuse_without_folder(options.machine);
  const Machine machine = calibrated_machine(options.effort, options.quiet);
  write_file(options.machine, machine_text(machine), options.force);
  if (options.json) {
    print(machine_json(machine));
  } else if (!options.quiet) {
    print(machine_report(machine) + fmt::format("\nWritten to {}\n", options.machine));
  }
  return machine.noise.empty() ? kDone : kFinding;
}

}  // namespace

void add_calibrate_command(CLI::App& program, Action& action) {
  auto options = std::make_shared<CalibrateCommandOptions>();
  CLI::App* command = add_command(program, "calibrate",
                                  "Measure this machine: what hosts, products and transfers take",
                                  "steptwin calibrate --machine machine.toml");
  command->add_option("--machine", options->machine, "The machine file to write")
      ->capture_default_str();
  command->add_flag("--force", options->force, "Replace it");
  constexpr double kLeast = 0.05;
  constexpr double kMost = 100;
  command->add_option("--effort", options->effort, "1: some ten seconds")
      ->check(number_between(kLeast, kMost))
      ->capture_default_str();
  add_output_options(*command, *options);
  command->callback(
      [options, &action] { action = [options] { return calibrate_command(*options); }; });
}

}  // namespace steptwin::cli
