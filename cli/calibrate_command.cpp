#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/machine_report.h"
#include "cli/machine_source.h"
#include "model/error.h"
#include "model/formats/machine_toml.h"

namespace steptwin::cli {
namespace {

// Before anything is measured, which takes a while.
void refuse_without_folder(const std::string& file) {
  if (file.empty()) throw Error("--machine is empty", "the name of the file to write");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  throw Error({file, 0, 0}, "cannot be made: there is no such folder",
              "a place where files can be made, whose folder exists");
}

}  // namespace

int calibrate_command(const CalibrateOptions& options) {
  require_one_process("calibrate");
  refuse_without_folder(options.machine);
  std::error_code ignored;
  // A link is there even if what it names is not.
  const auto there = std::filesystem::symlink_status(options.machine, ignored);
  if (!options.force && std::filesystem::exists(there)) {
    throw Error({options.machine, 0, 0}, "exists", "another name, or --force");
  }
  const Machine machine = calibrated_machine(options.effort, options.quiet);
  write_file(options.machine, machine_text(machine), options.force);
  if (options.json) {
    print(machine_json(machine));
  } else if (!options.quiet) {
    print(machine_report(machine) + fmt::format("\nWritten to {}\n", options.machine));
  }
  return machine.noise.empty() ? kDone : kFinding;
}

}  // namespace steptwin::cli
