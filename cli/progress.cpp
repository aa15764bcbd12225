#include "cli/progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace steptwin::cli {

Progress::Progress(bool shown, std::size_t kernels, bool writes_folder)
    : shown_(shown && isatty(STDERR_FILENO) == 1),
      kernels_(static_cast<double>(kernels)),
      all_work_(kSimulate + kMetrics + (writes_folder ? kTraceCsv + kHostCsv + kTraceJson : 0)),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (line_open_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::begin(std::string_view phase, double work) {
  work_done_ += present_work_;
  present_work_ = work;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (!shown_ || seconds < 1 || work_done_ == 0) return;
  const double done = work_done_ / all_work_;
  fmt::print(stderr, "\r\x1b[K{}  {:.0f} % done, {:.0f} k kernels/s, {:.0f} s left", phase,
             done * 100, kernels_ * done / seconds / 1000, seconds / done - seconds);
  std::fflush(stderr);
  line_open_ = true;
}

}  // namespace steptwin::cli
