#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/cuda/backend.h"
#include "hw/cuda/device.h"
#include "hw/cuda/needs.h"
#include "hw/device.h"

namespace steptwin::hw::cuda {

// The ranks of a Program, or one of them, on the GPUs of this machine (backend.h).
class CudaJob final : public Job {
 public:
  // Throws std::runtime_error if there are too few, or if something does not work.
  CudaJob(const Program& program, const Settings& settings, Stop& stop, Team* team = nullptr);
  // If the run was not stopped, nothing is in flight.
  ~CudaJob() override;
  CudaJob(const CudaJob&) = delete;
  CudaJob& operator=(const CudaJob&) = delete;

  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t rank) override { return *find(rank); }
  TimeNs now_ns() const override;
  void synchronize() override {}
  void complete(Stamps& stamps) override;

 private:
  // Null for a rank of another process.
  CudaDevice* find(std::int32_t rank);
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
  Team* team_;
  const JobNeeds needs_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::unique_ptr<CudaDevice>> devices_;  // as ranks_
};

}  // namespace steptwin::hw::cuda
