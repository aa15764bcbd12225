#pragma once

#include <optional>
#include <string>

#include "model/trace.h"
#include "reports/measured_run.h"

namespace steptwin::cli {

// A run from its files: a run folder, or a trace.csv alone.
struct RecordedRun {
  std::string path;
  std::string trace_file;
  std::string scenario_file;                     // "" where there is none
  std::optional<reports::MeasuredRun> measured;  // if it was a real one
  Trace trace;  // without host and memory records if their files are not there
};

// Throws Error if `path` is neither, or if a file of it is wrong.
RecordedRun read_run(const std::string& path);

// How many kernels the trace of a run has, by the size of its file; 0 where there is none.
double estimated_kernels(const std::string& path);

}  // namespace steptwin::cli
