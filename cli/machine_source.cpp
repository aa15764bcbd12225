#include "cli/machine_source.h"

#include <cstdio>
#include <unistd.h>

#include "cli/files.h"
#include "hw/calibrate/measure.h"
#include "hw/mpi/processes.h"
#include "model/error.h"
#include "model/formats/machine_toml.h"
#include "model/formats/toml_document.h"

namespace steptwin::cli {
namespace {

// Over the line before it.
void tell(const std::string& text) {
  const std::string line = "\r\x1b[K" + text;
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Machine calibrated_machine(double effort, bool quiet) {
  hw::CalibrateOptions options;
  options.effort = effort;
  const bool shown = !quiet && isatty(STDERR_FILENO) == 1;
  if (shown) options.begins = [](const std::string& what) { tell("measuring " + what); };
  Machine machine = hw::calibrate_host(options);
  if (shown) tell("");
  return machine;
}

Machine machine_from(const std::string& path, double effort, bool quiet) {
  if (path.empty()) return calibrated_machine(effort, quiet);
  return read_machine(read_file(path, kMostTomlBytes), path);
}

void require_one_process(const std::string& command) {
  if (!hw::are_started_by_mpirun()) return;
  throw Error(command + " was started by mpirun",
              "it without: its ranks are threads of one process");
}

}  // namespace steptwin::cli
