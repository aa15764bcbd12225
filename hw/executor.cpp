#include "hw/executor.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "hw/gate.h"
#include "model/trace_of.h"

namespace steptwin::hw {
namespace {

// No progress is to be expected while this lasts.
TimeNs longest_duration(const Program& program) {
  TimeNs longest = 0;
  for (const Kernel& kernel : program.kernels) longest = std::max(longest, kernel.duration_ns);
  for (const P2pPart& part : program.p2p_parts) longest = std::max(longest, part.transfer_ns);
  for (const RankProgram& rank : program.ranks) {
    for (const TimeNs work : rank.host_work_ns) longest = std::max(longest, work);
  }
  return longest;
}

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
      first_command_.push_back(commands_.size());
      commands_.resize(commands_.size() + commands_of(rank));
    }
    stamps_.kernels.resize(program.kernels.size());
    stamps_.parts.resize(program.p2p_parts.size());
    ended_ns_.resize(program.ranks.size(), 0);
    for (const std::int32_t rank : job.ranks()) {
      ranks_.push_back(std::make_unique<RankRun>(program, rank, job, stop, options.emulation));
    }
  }

  std::variant<Run, Deadlock> run() {
    std::vector<std::thread> threads;
    for (std::size_t index = 0; index < ranks_.size(); ++index) {
      threads.emplace_back([this, index] { run_rank(index); });
    }
    const std::optional<Standstill> standstill = watch();
    for (std::thread& thread : threads) thread.join();
    if (standstill) return explained(*standstill);
    if (stop_.requested()) throw MachineError(reasons());
    return std::move(result_);
  }

 private:
  int iterations() const { return options_.warmup + options_.repeat; }

  void run_rank(std::size_t index) {
    try {
      for (int iteration = 0; iteration < iterations(); ++iteration)
        run_iteration(index, iteration);
    } catch (const Stopped&) {
      // Whoever stopped the run has said why.
    } catch (const std::exception& error) {
      stop_.request("rank " + std::to_string(job_.ranks()[index]) + ": " + error.what());
    }
    ++ranks_over_;
  }

  void run_iteration(std::size_t index, int iteration) {
    const std::int32_t rank = job_.ranks()[index];
    Device& device = job_.device(rank);
    device.begin({iteration == 0 && options_.warmup > 0, options_.traced});
    gate_.pass([this] {
      job_.synchronize();
      zero_ns_ = job_.now_ns();
    });
    ranks_[index]->run(times_of(rank));
    device.drain();
    ended_ns_[static_cast<std::size_t>(rank)] = job_.now_ns();
    if (options_.traced) device.collect(stamps_);
    gate_.pass([this, iteration] {
      if (iteration >= options_.warmup) keep();
    });
  }

  RankTimes times_of(std::int32_t rank) {
    if (!options_.traced) return {};
    const auto index = static_cast<std::size_t>(rank);
    return {stamps_.kernels, std::span(commands_).subspan(first_command_[index],
                                                          commands_of(program_.ranks[index]))};
  }

  // What the iteration that is over has measured.
  void keep() {
    if (!options_.traced) {
      const TimeNs end = *std::max_element(ended_ns_.begin(), ended_ns_.end());
      result_.step_ns.push_back(end - zero_ns_);
      return;
    }
    TimeNs last = 0;
    for (KernelTimes& times : stamps_.kernels) {
      for (TimeNs* at : {&times.enqueue_ns, &times.ready_ns, &times.start_ns, &times.end_ns}) {
        *at -= zero_ns_;
      }
      // The clock is read by different threads, some of which wake late.
      times.ready_ns = std::max(times.ready_ns, times.enqueue_ns);
      times.start_ns = std::max(times.start_ns, times.ready_ns);
      times.end_ns = std::max(times.end_ns, times.start_ns);
      last = std::max(last, times.end_ns);
    }
    for (TimeSpan& span : stamps_.parts) span = {span.begin_ns - zero_ns_, span.end_ns - zero_ns_};
    for (TimeSpan& span : commands_) span = {span.begin_ns - zero_ns_, span.end_ns - zero_ns_};
    result_.step_ns.push_back(last);
    result_.traces.push_back(trace_of(program_, {stamps_.kernels, stamps_.parts, commands_}));
  }

  std::int64_t progress() const {
    std::int64_t done = 0;
    for (std::size_t index = 0; index < ranks_.size(); ++index) {
      done += ranks_[index]->commands_done();
      for (const std::int32_t passed : job_.device(job_.ranks()[index]).passed()) done += passed;
    }
    return done;
  }

  // Returns when all ranks are over or the run is given up: with how far it had come, if it is for
  // want of progress.
  std::optional<Standstill> watch() {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kInterval{50};
    const auto patience = options_.deadline + std::chrono::nanoseconds(longest_duration(program_));
    Clock::time_point last = Clock::now();
    std::int64_t seen = -1;
    auto looked = last;
    while (ranks_over_ < ranks_.size() && !stop_.requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (Clock::now() - looked < kInterval) continue;
      looked = Clock::now();
      const std::int64_t now = progress();
      if (now != seen) {
        seen = now;
        last = looked;
      } else if (looked - last > patience) {
        Standstill standstill{&program_, {}};
        for (const auto& rank : ranks_) standstill.ranks.push_back(rank->stopped());
        at_ns_ = job_.now_ns() - zero_ns_ - std::chrono::nanoseconds(looked - last).count();
        stop_.request("nothing happened for the deadline");
        return standstill;
      }
    }
    return std::nullopt;
  }

  Deadlock explained(const Standstill& standstill) const {
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
  TimeNs zero_ns_ = 0;
  TimeNs at_ns_ = 0;
  Stamps stamps_;
  std::vector<TimeSpan> commands_;          // by (rank, thread, position)
  std::vector<std::size_t> first_command_;  // by rank
  std::vector<TimeNs> ended_ns_;            // by rank
  Run result_;
};

}  // namespace

std::variant<Run, Deadlock> execute(const Program& program, Job& job, Stop& stop,
                                    const RunOptions& options) {
  return Execution(program, job, stop, options).run();
}

}  // namespace steptwin::hw
