#include "cli/progress.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace steptwin::cli {
namespace {

constexpr double kMostUntold = 0.95;  // of a phase that does not tell
constexpr double kTrusted = 0.05;  // seconds of earlier phases that tell how fast this machine is

double work_of(const std::vector<Phase>& plan, std::size_t first, std::size_t last) {
  double work = 0;
  for (std::size_t phase = first; phase < last; ++phase) work += plan[phase].ns_per_kernel;
  return work;
}

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Over the line before it. What cannot be shown is no failure.
void write_line(std::FILE* to, const std::string& line) {
  const std::string text = "\r\x1b[K" + line;
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

// Signals are for the threads that know what to do about them.
std::thread without_signals(const std::function<void()>& work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(work);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

double done_share(const std::vector<Phase>& plan, double kernels, const PhaseTimes& times) {
  const double before = work_of(plan, 0, times.present);
  const double present = plan[times.present].ns_per_kernel;
  double within = times.told;
  if (within < 0) {
    const bool is_known = before > 0 && times.before_s >= kTrusted;
    const double ns_per_work = is_known ? times.before_s * 1e9 / before : kernels;
    within = std::min(times.in_phase_s * 1e9 / (present * ns_per_work), kMostUntold);
  }
  return (before + within * present) / work_of(plan, 0, plan.size());
}

std::string progress_line(std::string_view phase, double kernels, double share, double elapsed_s) {
  constexpr double kMillion = 1e6;
  constexpr double kMinute = 60;
  const double rate = kernels * share / elapsed_s;
  const double left_s = share > 0 ? elapsed_s / share - elapsed_s : 0;
  const std::string speed = rate >= kMillion ? fmt::format("{:.1f} M", rate / kMillion)
                                             : fmt::format("{:.0f} k", rate / 1000);
  const std::string left = left_s >= 2 * kMinute ? fmt::format("{:.0f} min", left_s / kMinute)
                                                 : fmt::format("{:.0f} s", left_s);
  return fmt::format("{}  {:.0f} % done, {} kernels/s, {} left", phase, share * 100, speed, left);
}

ProgressOptions progress_options(const Options& options) {
  ProgressOptions progress;
  progress.shown = !options.quiet && isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    progress.width = size.ws_col;
  }
  return progress;
}

Progress::Progress(const ProgressOptions& options, double kernels, std::vector<Phase> plan)
    : options_(options),
      plan_(std::move(plan)),
      start_(Clock::now()),
      kernels_(kernels),
      phase_start_(start_) {
  if (!options_.shown) return;
  try {
    guard_.emplace([this] { clear(); });
    ticker_ = without_signals([this] { show_until_over(); });
  } catch (const std::system_error&) {
    options_.shown = false;  // no threads left: the work matters more
  }
}

Progress::~Progress() {
  finish();
}

void Progress::clear() {
  constexpr int kTries = 20;
  constexpr std::chrono::milliseconds kPause{5};
  std::unique_lock lock(mutex_, std::defer_lock);
  for (int tries = 0; tries < kTries && !lock.try_lock(); ++tries) {
    std::this_thread::sleep_for(kPause);
  }
  if (!lock.owns_lock()) return;
  over_ = true;
  if (is_open_) write_line(options_.to, "");
  is_open_ = false;
}

void Progress::finish() {
  if (!ticker_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  over_changed_.notify_one();
  ticker_.join();
}

void Progress::begin(const Phase& phase) {
  const std::lock_guard lock(mutex_);
  const auto next = std::find_if(plan_.begin(), plan_.end(), [&phase](const Phase& planned) {
    return planned.name == phase.name;
  });
  present_ = static_cast<std::size_t>(next - plan_.begin());
  phase_start_ = Clock::now();
  told_ = -1;
}

void Progress::count(std::size_t kernels) {
  const std::lock_guard lock(mutex_);
  kernels_ = static_cast<double>(kernels);
}

reports::ProgressCallback Progress::callback() {
  if (!options_.shown) return {};
  return [this](std::size_t done, std::size_t total) {
    const std::lock_guard lock(mutex_);
    told_ = static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1));
  };
}

std::string Progress::line() const {
  const Clock::time_point now = Clock::now();
  const double share = done_share(
      plan_, kernels_,
      {present_, seconds_between(start_, phase_start_), seconds_between(phase_start_, now), told_});
  std::string text =
      progress_line(plan_[present_].name, kernels_, share, seconds_between(start_, now));
  text.resize(std::min(text.size(), options_.width - 1));  // a longer one would not be overwritten
  return text;
}

void Progress::show_until_over() {
  pthread_setname_np(pthread_self(), "progress");
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds pause = options_.silent;
  while (!over_changed_.wait_for(lock, pause, [this] { return over_; })) {
    write_line(options_.to, line());
    is_open_ = true;
    pause = options_.interval;
  }
  if (is_open_) write_line(options_.to, "");
  is_open_ = false;
}

}  // namespace steptwin::cli
