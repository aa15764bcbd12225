#pragma once

#include <memory>
#include <vector>

#include "hw/host/device.h"
#include "hw/host/local_links.h"
#include "model/program.h"

namespace steptwin::hw {

// All ranks of a Program in this process: nothing to install, nothing to start.
class HostJob final : public Job {
 public:
  HostJob(const Program& program, const HostSettings& settings, Stop& stop);
  ~HostJob() override;
  HostJob(const HostJob&) = delete;
  HostJob& operator=(const HostJob&) = delete;

  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t rank) override { return *devices_[static_cast<std::size_t>(rank)]; }
  TimeNs now_ns() const override;
  void synchronize() override { links_.begin(); }

 private:
  LocalLinks links_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::unique_ptr<HostDevice>> devices_;
};

}  // namespace steptwin::hw
