#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "hw/device.h"
#include "hw/host/links.h"
#include "hw/kernel_mode.h"
#include "hw/stop.h"

namespace steptwin::hw {

// What of a host device is the same for all ranks of a job.
struct HostSettings {
  KernelMode kernels = KernelMode::timed;
  double flops_per_second = 0;  // of one core; for real kernels
};

// A rank's streams as threads of this process.
class HostDevice final : public Device {
 public:
  HostDevice(std::int32_t rank, std::size_t streams, std::size_t events,
             const HostSettings& settings, HostLinks& links, Stop& stop);
  ~HostDevice() override;
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;

  // Ends the threads of the streams. Nothing may be in flight, unless the run is given up.
  void end();

  void begin(const Iteration& iteration) override;
  void compute(std::int32_t stream, std::int64_t kernel, const ComputeWork& work) override;
  void transfer(std::int32_t stream, std::int64_t kernel, Transfers transfers) override;
  void collective(std::int32_t stream, std::int64_t kernel, Collective call) override;
  void copy(std::int32_t stream, std::int64_t kernel, const Copy& copy) override;
  void record(std::int32_t event, std::int32_t stream) override;
  void wait(std::int32_t stream, std::int32_t event) override;
  void host_wait(std::int32_t event) override;
  std::vector<std::int32_t> passed() override;
  bool is_working() override;
  void drain() override;
  void collect(Stamps& stamps) override;

 private:
  struct Lane;
  struct Working;
  using Words = std::span<std::uint64_t>;

  Lane& lane(std::int32_t stream) { return *lanes_[static_cast<std::size_t>(stream)]; }
  void await_event(std::int32_t event);
  std::vector<End> prepared_ends(Lane& own, const Transfers& transfers) const;
  std::pair<Words, Words> prepared_blocks(Lane& own, const Collective& call) const;
  std::size_t word_step() const;

  const std::int32_t rank_;
  const HostSettings settings_;
  HostLinks& links_;
  Stop& stop_;
  Iteration iteration_;
  std::vector<std::unique_ptr<Lane>> lanes_;

  struct Event {
    std::int32_t stream = -1;  // not recorded
    std::int32_t covered = 0;
  };
  std::mutex mutex_;  // for what follows
  std::condition_variable_any recorded_;
  std::vector<Event> events_;
};

}  // namespace steptwin::hw
