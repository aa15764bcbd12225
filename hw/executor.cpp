#include "hw/executor.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include "hw/gate.h"
#include "hw/thread_name.h"
#include "model/trace_of.h"
#include "standstill/overdue.h"

namespace steptwin::hw {
namespace {

std::size_t commands_of(const RankProgram& rank) {
  std::size_t count = 0;
  for (const HostThread& thread : rank.threads) count += thread.commands.size();
  return count;
}

class Execution {
 public:
  Execution(const Program& program, Job& job, Stop& stop, const RunOptions& options)
      : program_(program),
        job_(job),
        stop_(stop),
        options_(options),
        gate_(job.ranks().size(), stop) {
    for (const RankProgram& rank : program.ranks) {
      first_command_.push_back(times_.commands.size());
      times_.commands.resize(times_.commands.size() + commands_of(rank));
    }
    times_.stamps.kernels.resize(program.kernels.size());
    times_.stamps.parts.resize(program.p2p_parts.size());
    times_.stamps.communications.resize(program.ranks.size());
    times_.ended_ns.resize(program.ranks.size(), 0);
    for (const std::int32_t rank : job.ranks()) {
      ranks_.push_back(std::make_unique<RankRun>(program, rank, job, stop, options.emulation));
    }
  }

  std::variant<Run, Deadlock> run() {
    const std::optional<Standstill> standstill = run_ranks();
    if (standstill) return job_.reports() ? explained(*standstill) : Deadlock{};
    if (stop_.requested()) throw MachineError(reasons());
    return std::move(result_);
  }

 private:
  // All ranks to their end, or how far they have come when there is no progress any more.
  std::optional<Standstill> run_ranks() {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t index = 0; index < ranks_.size(); ++index) {
        threads.emplace_back([this, index] { run_rank(index); });
      }
    } catch (const std::system_error& error) {
      stop_.request(
          fmt::format("no thread for rank {}: {}", job_.ranks()[threads.size()], error.what()));
    }
    try {
      return watch();
    } catch (...) {
      stop_.request("nobody watches any more");  // the threads are waited for
      throw;
    }
  }

  int iterations() const { return options_.warmup + options_.repeat; }

  void run_rank(std::size_t index) {
    name_this_thread(fmt::format("rank {}", job_.ranks()[index]));
    try {
      for (int iteration = 0; iteration < iterations(); ++iteration)
        run_iteration(index, iteration);
    } catch (const Stopped&) {
      // Whoever stopped the run has said why.
    } catch (const std::exception& error) {
      stop_.request(fmt::format("rank {}: {}", job_.ranks()[index], error.what()));
    }
    ++ranks_over_;
  }

  void run_iteration(std::size_t index, int iteration) {
    const std::int32_t rank = job_.ranks()[index];
    Device& device = job_.device(rank);
    device.begin({iteration == 0 && options_.warmup > 0, options_.traced});
    gate_.pass([this] {
      job_.synchronize();
      times_.zero_ns = job_.now_ns();
      released_ns_ = times_.zero_ns;
    });
    ranks_[index]->run(times_of(rank));
    device.drain();
    times_.ended_ns[static_cast<std::size_t>(rank)] = job_.now_ns();
    if (options_.traced) device.collect(times_.stamps);
    gate_.pass([this, iteration] {
      if (iteration >= options_.warmup) keep();
    });
  }

  RankTimes times_of(std::int32_t rank) {
    if (!options_.traced) return {};
    const auto index = static_cast<std::size_t>(rank);
    return {times_.stamps.kernels,
            std::span(times_.commands)
                .subspan(first_command_[index], commands_of(program_.ranks[index]))};
  }

  // What the iteration that is over has measured.
  void keep() {
    IterationTimes times = times_;
    job_.gather(times);
    if (!job_.reports()) return;
    const TimeNs zero = times.zero_ns;
    const TimeNs drained = *std::max_element(times.ended_ns.begin(), times.ended_ns.end()) - zero;
    result_.drained_ns.push_back(drained);
    if (!options_.traced) {
      result_.step_ns.push_back(drained);
      return;
    }
    job_.complete(times.stamps);
    TimeNs last = 0;
    for (KernelTimes& kernel : times.stamps.kernels) {
      // The clock is read by different threads, some of which wake late: a kernel may have begun
      // before its host thread reads when it was appended.
      kernel.ready_ns = std::max<TimeNs>(kernel.ready_ns - zero, 0);
      kernel.enqueue_ns = std::clamp<TimeNs>(kernel.enqueue_ns - zero, 0, kernel.ready_ns);
      kernel.start_ns = std::max(kernel.start_ns - zero, kernel.ready_ns);
      kernel.end_ns = std::max(kernel.end_ns - zero, kernel.start_ns);
      last = std::max(last, kernel.end_ns);
    }
    for (std::vector<TimeSpan>* spans : {&times.stamps.parts, &times.commands}) {
      for (TimeSpan& span : *spans) {
        span.begin_ns = std::max<TimeNs>(span.begin_ns - zero, 0);
        span.end_ns = std::max(span.end_ns - zero, span.begin_ns);
      }
    }
    result_.step_ns.push_back(last);
    result_.traces.push_back(
        trace_of(program_, {times.stamps.kernels, times.stamps.parts, times.commands}));
    result_.traces.back().begin_ns = 0;
  }

  Headway headway() {
    Headway own;
    bool is_working = false;
    for (std::size_t index = 0; index < ranks_.size(); ++index) {
      own.done += ranks_[index]->commands_done();
      Device& device = job_.device(job_.ranks()[index]);
      is_working = is_working || device.is_working();
      for (const std::int32_t passed : device.passed()) own.done += passed;
    }
    if (is_working) ++looks_at_work_;
    own.done += looks_at_work_;
    own.ranks_over = ranks_over_;
    own.is_stopped = stop_.requested();
    return own;
  }

  // Returns when all ranks of all processes are over or the run is given up: with how far it had
  // come, if it is for want of progress.
  std::optional<Standstill> watch() {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kInterval{20};
    const auto patience = patience_with(program_, options_);
    const auto all = static_cast<std::int64_t>(program_.ranks.size());
    Clock::time_point last = Clock::now();
    std::int64_t seen = -1;
    while (true) {
      // Whether to go on waiting is for all processes to agree on: their clocks may not.
      Headway own = headway();
      own.is_impatient = Clock::now() - last > patience;
      const Headway now = job_.together(own);
      if (now.is_stopped && !stop_.requested()) stop_.request("another process gave up");
      if (now.is_stopped || now.ranks_over == all) return std::nullopt;
      if (now.done != seen) {
        seen = now.done;
        last = Clock::now();
      } else if (now.is_impatient) {
        const TimeNs since = std::chrono::nanoseconds(Clock::now() - last).count();
        at_ns_ = std::max<TimeNs>(job_.now_ns() - released_ns_ - since, 0);
        return stopped();
      }
      pause(kInterval);
    }
  }

  // Ends early when the ranks of this process are over.
  void pause(std::chrono::milliseconds most) const {
    const auto end = std::chrono::steady_clock::now() + most;
    while (ranks_over_ < ranks_.size() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Standstill stopped() {
    Standstill standstill{&program_, std::vector<StoppedRank>(program_.ranks.size())};
    for (std::size_t index = 0; index < ranks_.size(); ++index) {
      const auto rank = static_cast<std::size_t>(job_.ranks()[index]);
      standstill.ranks[rank] = ranks_[index]->stopped();
    }
    job_.gather(standstill);
    stop_.request("nothing happened for the deadline");
    return standstill;
  }

  // What could go on and does not is no deadlock.
  Deadlock explained(const Standstill& standstill) const {
    const std::string overdue = overdue_text(standstill);
    if (!overdue.empty()) throw MachineError("nothing moves any more: " + overdue);
    Deadlock deadlock = explain(standstill);
    deadlock.at_ns = at_ns_;
    deadlock.times.assign(program_.kernels.size(), KernelTimes{-1, -1, -1, -1});
    return deadlock;
  }

  std::string reasons() const {
    std::string text;
    for (const std::string& reason : stop_.reasons()) text += (text.empty() ? "" : "; ") + reason;
    return text;
  }

  const Program& program_;
  Job& job_;
  Stop& stop_;
  const RunOptions options_;
  Gate gate_;
  std::vector<std::unique_ptr<RankRun>> ranks_;  // as job_.ranks()
  std::atomic<std::size_t> ranks_over_{0};
  std::int64_t looks_at_work_ = 0;      // how often a device was seen to work
  std::atomic<TimeNs> released_ns_{0};  // times_.zero_ns, for the thread that watches
  TimeNs at_ns_ = 0;
  IterationTimes times_;                    // of the ranks of this process
  std::vector<std::size_t> first_command_;  // by rank
  Run result_;
};

}  // namespace

std::chrono::nanoseconds patience_with(const Program& program, const RunOptions& options) {
  const HostCosts& host = program.host;
  TimeNs longest = std::max({host.event_ns, host.rendezvous_ns + host.wake_ns, host.fork_ns});
  for (const Kernel& kernel : program.kernels) {
    longest = std::max({longest, kernel.duration_ns, host.launch_ns * kernel.launches});
  }
  for (const P2pPart& part : program.p2p_parts) longest = std::max(longest, part.transfer_ns);
  for (const RankProgram& rank : program.ranks) {
    for (const TimeNs work : rank.host_work_ns) longest = std::max(longest, work);
  }
  return options.deadline + std::chrono::nanoseconds(longest);
}

std::variant<Run, Deadlock> execute(const Program& program, Job& job, Stop& stop,
                                    const RunOptions& options) {
  return Execution(program, job, stop, options).run();
}

}  // namespace steptwin::hw
