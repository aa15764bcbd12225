#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace steptwin::cli {

// What a run is doing, on standard error where that is a terminal: a line that is overwritten at
// each phase and gone at the end. Nothing is shown in the first second.
//
//   writing trace.json  31 % done, 210 k kernels/s, 9 s left
//
// The phases cost about the same per kernel on any machine relative to each other, so their shares
// of the whole are constants, measured once; the time left follows from the time taken so far.
class Progress {
 public:
  Progress(bool shown, std::size_t kernels, bool writes_folder);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The phase begins now; `work` is its cost per kernel in the units of kSimulate and so on.
  void begin(std::string_view phase, double work);

  static constexpr double kSimulate = 1;
  static constexpr double kMetrics = 3;
  static constexpr double kTraceCsv = 2;
  static constexpr double kHostCsv = 2;
  static constexpr double kTraceJson = 18;

 private:
  bool shown_ = false;
  bool line_open_ = false;
  double kernels_ = 0;
  double all_work_ = 0;
  double work_done_ = 0;
  double present_work_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace steptwin::cli
