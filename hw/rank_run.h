#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "hw/coordinator.h"
#include "hw/device.h"
#include "hw/stop.h"
#include "model/program.h"
#include "standstill/standstill.h"

namespace steptwin::hw {

// What of the Program is reproduced beside the work itself.
struct Emulation {
  bool links = true;       // transfers and collectives take the modelled time at least
  bool host_costs = true;  // so do launches, events, rendezvous and forks
};

// Where the times of an iteration go: kernels' enqueue times, and those of every command of the
// rank, by (thread, position). On the job's clock.
struct RankTimes {
  std::span<KernelTimes> kernels;
  std::span<TimeSpan> commands;
};

// Runs the host threads of one rank of a Program on a device: main on the calling thread, forked
// threads on threads of their own.
class RankRun {
 public:
  RankRun(const Program& program, std::int32_t rank, Job& job, Stop& stop,
          const Emulation& emulation);

  // One iteration, to the end of main; the streams may still be at work. Throws Stopped when the
  // run is given up, or what a thread of the rank has thrown.
  void run(const RankTimes& times);

  // Grows with every command that is completed. From any thread.
  std::int64_t commands_done() const { return commands_done_; }
  // How far it has come. From any thread; means something when nothing moves any more.
  StoppedRank stopped() const;

 private:
  struct ThreadState {
    std::atomic<ThreadStop> stop{ThreadStop::unborn};
    std::atomic<std::int32_t> position{0};
    std::size_t first_command = 0;  // in RankTimes::commands
  };

  void begin();
  void run_thread(std::int32_t number);
  void perform(std::int32_t number, const Command& command);
  void launch(const Command& command);
  void append(std::int64_t index);
  void record(std::int32_t event, std::int32_t stream);
  void fork(std::int32_t number);
  void join(std::int32_t number);
  void host_wait(std::int32_t number, std::int32_t event);
  void spend(TimeNs duration_ns) const;
  Transfers transfers_of(const Kernel& kernel) const;
  Collective collective_of(const Kernel& kernel) const;

  const Program& program_;
  const RankProgram& own_;
  const std::int32_t rank_;
  Job& job_;
  Device& device_;
  Stop& stop_;
  const Emulation emulation_;
  Coordinator coordinator_;
  RankTimes times_;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  std::atomic<std::int64_t> commands_done_{0};
  std::atomic<std::int32_t> forked_number_{-1};
  std::thread forked_;
  // Events that cover no more than a kernel, to be recorded right behind it.
  std::vector<std::vector<std::int32_t>> events_behind_;  // by kernel, those of this rank
  std::mutex launch_lock_;                                // where launches of all threads share one

  mutable std::mutex mutex_;  // for what follows, and the order of what is appended
  std::vector<std::vector<std::int32_t>> entries_;  // by stream
  std::vector<EventPlace> events_;
};

}  // namespace steptwin::hw
