#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/options.h"
#include "cli/signal_guard.h"
#include "reports/progress_callback.h"

namespace steptwin::cli {

// A part of a command's work. What it costs was measured once, on one machine: what counts is what
// the phases cost relative to each other.
struct Phase {
  std::string_view name;
  double ns_per_kernel = 0;
};

namespace phase {
inline constexpr Phase kReadSchedule{"reading the schedule", 500};
inline constexpr Phase kSchedule{"making the schedule", 200};
inline constexpr Phase kCheck{"checking the schedule", 100};
inline constexpr Phase kWriteSchedule{"writing the schedule", 300};
inline constexpr Phase kLower{"lowering", 600};
inline constexpr Phase kWriteProgram{"writing the Program", 2500};
inline constexpr Phase kSimulate{"simulating", 300};
inline constexpr Phase kTryTransports{"trying transports and queues", 8000};
inline constexpr Phase kRun{"running", 2000000};
inline constexpr Phase kFigures{"working out the figures", 600};
inline constexpr Phase kTraceCsv{"writing trace.csv", 350};
inline constexpr Phase kHostCsv{"writing host.csv", 350};
inline constexpr Phase kTraceJson{"writing trace.json", 3500};
inline constexpr Phase kReadTraces{"reading the traces", 1500};
inline constexpr Phase kCompare{"comparing", 1000};
inline constexpr Phase kLadder{"simulating the ladder", 1900};
inline constexpr Phase kReplay{"replaying", 10000};
}  // namespace phase

// How far the work is, by the clock alone or, within the present phase, by what that tells.
struct PhaseTimes {
  std::size_t present = 0;  // index into the plan
  double before_s = 0;      // what the phases before it took
  double in_phase_s = 0;    // what it has taken so far
  double told = -1;         // its share that is done, if it tells
};

// The share of the plan's work that is done. A phase that does not tell counts as done in
// proportion to its time, as fast as the phases before it were, and never as done before it ends.
double done_share(const std::vector<Phase>& plan, double kernels, const PhaseTimes& times);

// "simulating  31 % done, 210 k kernels/s, 9 s left"
std::string progress_line(std::string_view phase, double kernels, double share, double elapsed_s);

struct ProgressOptions {
  bool shown = false;
  std::FILE* to = stderr;
  std::size_t width = 80;  // of the terminal
  std::chrono::milliseconds silent{1000};
  std::chrono::milliseconds interval{250};
};

// Shown on standard error where that is a terminal, unless --quiet is given.
ProgressOptions progress_options(const Options& options);

// Shows what a command is doing: one line, rewritten by a thread of its own, and gone at the end,
// also where a signal is the end. Nothing is shown of what is done within the first second.
class Progress {
 public:
  // `kernels`: an estimate of how many there are.
  Progress(const ProgressOptions& options, double kernels, std::vector<Phase> plan);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows nothing any more.
  void finish();
  // The same for a clean-up at a signal, which does not wait for a terminal that is stopped.
  void clear();
  // From now on another guard acts on signals, and calls clear().
  void leave_signals() { guard_.reset(); }

  // The phase, one of the plan after the present one, begins now.
  void begin(const Phase& phase);

  // How many kernels there really are.
  void count(std::size_t kernels);

  // For work that can tell how much of the present phase is done.
  reports::ProgressCallback callback();

 private:
  using Clock = std::chrono::steady_clock;

  void show_until_over();
  std::string line() const;  // with mutex_ held

  ProgressOptions options_;
  std::vector<Phase> plan_;
  Clock::time_point start_;
  std::mutex mutex_;  // for what follows
  double kernels_;
  std::condition_variable over_changed_;
  bool over_ = false;
  bool is_open_ = false;  // a line is shown
  std::size_t present_ = 0;
  Clock::time_point phase_start_;
  double told_ = -1;
  std::optional<SignalGuard> guard_;
  std::thread ticker_;
};

}  // namespace steptwin::cli
