#pragma once

#include <cstdint>
#include <vector>

#include "hw/host/device.h"
#include "hw/mpi/links.h"
#include "model/program.h"

namespace steptwin::hw {

// One rank of the Program on the CPU of this process, the others in others (hw/team_job.h).
class MpiHostJob final : public Job {
 public:
  MpiHostJob(const Program& program, std::int32_t rank, const HostSettings& settings, Stop& stop);
  ~MpiHostJob() override;
  MpiHostJob(const MpiHostJob&) = delete;
  MpiHostJob& operator=(const MpiHostJob&) = delete;

  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t /*rank*/) override { return device_; }
  TimeNs now_ns() const override;
  void synchronize() override { links_.begin(); }

 private:
  std::vector<std::int32_t> ranks_;
  MpiLinks links_;
  HostDevice device_;
};

}  // namespace steptwin::hw
