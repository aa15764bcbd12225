#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/cuda/backend.h"
#include "hw/cuda/device.h"
#include "hw/cuda/needs.h"
#include "hw/device.h"

namespace steptwin::hw::cuda {

// All ranks of a Program on the GPUs of this machine, rank r on GPU r.
class CudaJob final : public Job {
 public:
  // Throws std::runtime_error if there are too few, or if something does not work.
  CudaJob(const Program& program, const Settings& settings, Stop& stop);
  // If the run was not stopped, nothing is in flight.
  ~CudaJob() override;

  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t rank) override { return at(rank); }
  TimeNs now_ns() const override;
  void synchronize() override {}
  void complete(Stamps& stamps) override;

 private:
  CudaDevice& at(std::int32_t rank) { return *devices_[static_cast<std::size_t>(rank)]; }
  Patience patience() const { return {stop_, settings_.deadline}; }
  void set_up();
  void join_all();
  void try_all();
  void settle(std::int32_t communicator, std::span<const std::int32_t> ranks);
  void leave_all();
  void abort_all() noexcept;

  const Program& program_;
  const Settings settings_;
  Stop& stop_;
  const JobNeeds needs_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::unique_ptr<CudaDevice>> devices_;
};

}  // namespace steptwin::hw::cuda
