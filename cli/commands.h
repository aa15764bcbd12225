#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options.h"

namespace steptwin::cli {

// What each command takes besides what most take, with its defaults, and the command itself, which
// gives the exit status. How these are written on the command line is in cli/arguments.cpp, which
// sees to what is allowed where a comment here says so.

struct SimulateOptions : Options {
  bool timeline = false;
};
int simulate_command(const SimulateOptions& options);

struct RunOptions : Options {
  std::string backend = "host";  // or "cuda"
  std::string kernels = "real";  // or "timed"
  int repeat = 5;                // at least 1
  int warmup = 1;
  double deadline_s = 10;
};
int run_command(const RunOptions& options);

struct ValidateOptions : Options {
  std::string kernels = "real";  // or "timed"
  std::string cases;             // a file; "": the scenario as it is
  std::string machine;           // a file; "": measured first
  int repeat = 9;                // at least 1
  double max_error_percent = 0;  // 0: whatever it is
};
int validate_command(const ValidateOptions& options);

struct CalibrateOptions : Options {
  std::string machine = "machine.toml";
  double effort = 1;  // 1: some ten seconds
};
int calibrate_command(const CalibrateOptions& options);

struct ScheduleOptions : Options {
  std::string format = "steps";  // a name of cli/schedule_forms.h, or "grid"
  std::string columns = "time";  // of the grid; or "slots"
};
int schedule_command(const ScheduleOptions& options);

int lower_command(const Options& options);

struct CheckOptions : Options {
  bool lenient = false;  // with PyTorch's CSV, as PyTorch is
};
int check_command(const CheckOptions& options);

struct ConvertOptions : Options {
  std::string to;  // a name of cli/schedule_forms.h
  bool lenient = false;
};
int convert_command(const ConvertOptions& options);

struct CompareOptions : Options {
  std::string other;                   // B; "" if there is none
  std::optional<std::int32_t> warmup;  // iterations of a recorded run to leave out
};
int compare_command(const CompareOptions& options);

struct ReportOptions : Options {
  std::optional<std::int32_t> warmup;
};
int report_command(const ReportOptions& options);

}  // namespace steptwin::cli
