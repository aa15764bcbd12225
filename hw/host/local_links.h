#pragma once

#include "hw/host/exchange.h"
#include "hw/host/gathering.h"
#include "hw/host/links.h"

namespace steptwin::hw {

// All ranks are threads of this process.
class LocalLinks final : public HostLinks {
 public:
  explicit LocalLinks(const Stop& stop) : exchange_(stop), gathering_(stop) {}

  void transfer(std::int32_t rank, std::int32_t communicator, std::vector<End>& ends) override {
    exchange_.transfer(rank, communicator, ends);
  }
  TimeSpan collective(const Collective& call, std::span<const std::uint64_t> brought,
                      std::span<std::uint64_t> results) override;
  void begin() override;

 private:
  Exchange exchange_;
  Gathering gathering_;
};

}  // namespace steptwin::hw
