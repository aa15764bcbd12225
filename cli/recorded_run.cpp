#include "cli/recorded_run.h"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "cli/files.h"
#include "model/error.h"
#include "reports/memory_csv.h"
#include "reports/trace_csv.h"

namespace steptwin::cli {
namespace {

// A summary takes some 1.5 KB a rank.
constexpr std::size_t kMostSummaryBytes = std::size_t{1} << 30U;

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

RecordedRun read_folder(const std::string& path) {
  const std::filesystem::path folder = path;
  RecordedRun run;
  run.path = path;
  run.trace_file = (folder / "trace.csv").string();
  if (!is_there(run.trace_file)) {
    throw Error({path, 0, 0}, "there is no trace.csv in it", "the folder of a run that ended");
  }
  if (is_there(folder / "scenario.toml")) run.scenario_file = (folder / "scenario.toml").string();
  const std::string host_file = (folder / "host.csv").string();
  run.trace = is_there(host_file) ? reports::read_trace_csv(run.trace_file, host_file)
                                  : reports::read_trace_csv(run.trace_file);
  const std::string memory_file = (folder / "memory.csv").string();
  if (is_there(memory_file)) {
    run.trace.memory = reports::read_memory_csv(memory_file, run.trace.ranks.size());
  }
  const std::string summary_file = (folder / "summary.json").string();
  if (is_there(summary_file)) {
    run.measured =
        reports::read_measured_run(read_file(summary_file, kMostSummaryBytes), summary_file);
  }
  if (run.measured) run.trace.begin_ns = 0;
  return run;
}

}  // namespace

RecordedRun read_run(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return read_folder(path);
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw Error({path, 0, 0}, is_there(path) ? "is no file" : "is not there",
                "a run folder or a trace.csv");
  }
  return {path, path, "", std::nullopt, reports::read_trace_csv(path)};
}

double estimated_kernels(const std::string& path) {
  constexpr double kBytesPerKernel = 100;
  std::error_code missing;
  const std::filesystem::path file = std::filesystem::is_directory(path, missing)
                                         ? std::filesystem::path(path) / "trace.csv"
                                         : std::filesystem::path(path);
  const std::uintmax_t bytes = std::filesystem::file_size(file, missing);
  return missing ? 0 : static_cast<double>(bytes) / kBytesPerKernel;
}

}  // namespace steptwin::cli
