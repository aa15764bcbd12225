#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hw/cuda/backend.h"
#include "hw/cuda/communicators.h"
#include "hw/cuda/issue_queue.h"
#include "hw/cuda/kernels.h"
#include "hw/cuda/lane.h"
#include "hw/cuda/needs.h"
#include "hw/cuda/products.h"
#include "hw/cuda/stopwatch.h"
#include "hw/device.h"
#include "hw/stop.h"
#include "model/program.h"

namespace steptwin::hw::cuda {

// A rank's GPU. Everything it needs is allocated when it is made.
//
// All calls of the toolkit for one device come one at a time, under one lock: NCCL asks for it, and
// so the order in which the host threads append is the order on the device. Kernels of
// communication are framed so, on their stream:
//
//   write payload │ begin event │ NCCL │ end event │ check payload
//
// Checks spoil what they have read and tell the host of the first mistake; drain throws it.
class CudaDevice final : public Device {
 public:
  CudaDevice(const Program& program, std::int32_t rank, std::int32_t gpu, const JobNeeds& needs,
             const Settings& settings, Stop& stop);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  // Setting up and taking down, by one thread for all devices of the job: what one begins is
  // settled when all members have begun it.
  void join(std::int32_t communicator, const ncclUniqueId& id);
  bool is_settled(std::int32_t communicator);
  // Sends or receives a word, so that both ends are connected when it counts.
  void try_edge(std::int32_t communicator, std::int32_t peer, bool is_send);
  void try_collective(std::int32_t communicator, KernelKind kind);
  // Launches each kind of kernel once and finds out what products take.
  void warm_up();
  bool is_idle();
  // From now on the device notices by itself what fails, and gives up when the run is stopped.
  void begin_watch();
  void end_watch();
  // Gives up what is under way. NCCL wants all members to, so none may wait for another to have.
  void abort() noexcept;
  Communicators& communicators() { return communicators_; }

  void begin(const Iteration& iteration) override;
  void compute(std::int32_t stream, std::int64_t kernel, const ComputeWork& work) override;
  void transfer(std::int32_t stream, std::int64_t kernel, Transfers transfers) override;
  void collective(std::int32_t stream, std::int64_t kernel, Collective call) override;
  void copy(std::int32_t stream, std::int64_t kernel, const Copy& copy) override;
  void record(std::int32_t event, std::int32_t stream) override;
  void wait(std::int32_t stream, std::int32_t event) override;
  void host_wait(std::int32_t event) override;
  std::vector<std::int32_t> passed() override;
  void drain() override;
  void collect(Stamps& stamps) override;

 private:
  using Lock = std::lock_guard<std::mutex>;

  // What the device reaches of the host's memory.
  struct Shared {
    Mismatch mismatch;
    std::uint32_t over = 0;  // not zero: kernels of ours end
  };
  Shared& shared() const { return *reinterpret_cast<Shared*>(pinned_.get()); }

  void use() const;
  Lane& lane(std::int32_t stream) { return *lanes_[static_cast<std::size_t>(stream)]; }
  std::size_t number(std::int64_t kernel) const;
  std::int32_t stream_of(std::int32_t communicator) const;
  std::size_t word_step() const;
  template <typename Put>
  void append(std::int32_t stream, std::int64_t kernel, Put put);
  template <typename Put>
  void put_timed(Lane& own, std::int64_t kernel, Put put);
  void put_compute(Lane& own, const ComputeWork& work);
  void put_transfers(Lane& own, std::int64_t kernel, const Transfers& transfers);
  void put_collective(Lane& own, std::int64_t kernel, const Collective& call);
  void check_payload(Lane& own, Words words, Pattern pattern, CheckedPart part);
  void throw_mismatch() const;
  void watch(const std::stop_token& over);

  const Program& program_;
  const std::int32_t rank_;
  const std::int32_t gpu_;
  const JobNeeds& needs_;
  const Settings settings_;
  Stop& stop_;
  const std::vector<std::string> range_names_;  // by the rank's kernel

  std::mutex mutex_;  // for what follows
  Iteration iteration_;
  PinnedMemory pinned_;  // a Shared
  std::unique_ptr<Matrices> matrices_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::map<WorkKind, std::vector<PlannedProducts>> plans_;
  std::unique_ptr<IssueQueue> queue_;
  std::unique_ptr<Stopwatch> stopwatch_;
  std::vector<std::int64_t> issued_;          // kernels of this iteration
  std::vector<std::int64_t> communications_;  // those of them that communicate
  Communicators communicators_;
  std::jthread watcher_;
};

}  // namespace steptwin::hw::cuda
