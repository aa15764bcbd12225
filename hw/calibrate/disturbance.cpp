#include "hw/calibrate/disturbance.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

#include "hw/calibrate/product_rate.h"

namespace steptwin::hw {
namespace {

constexpr std::chrono::milliseconds kEffort{100};

std::optional<CoreTicks> ticks_now() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  return core_ticks(line);
}

}  // namespace

bool is_small(const Disturbance& disturbance) {
  constexpr double kRateChange = 0.03;
  constexpr double kStolen = 0.01;
  return std::abs(disturbance.rate_change) <= kRateChange && disturbance.stolen <= kStolen;
}

std::optional<CoreTicks> core_ticks(std::string_view proc_stat) {
  constexpr std::string_view kAllCores = "cpu ";
  if (!proc_stat.starts_with(kAllCores)) return std::nullopt;
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of user and nice.
  std::array<std::int64_t, 8> ticks{};
  const char* at = proc_stat.data() + kAllCores.size();
  const char* const end = proc_stat.data() + proc_stat.size();
  CoreTicks result;
  for (std::int64_t& each : ticks) {
    while (at != end && *at == ' ') ++at;
    const auto read = std::from_chars(at, end, each);
    if (read.ec != std::errc()) return std::nullopt;
    at = read.ptr;
    result.all += each;
  }
  result.stolen = ticks.back();
  return result;
}

DisturbanceWatch::DisturbanceWatch(const Stop& stop)
    : stop_(&stop),
      alone_(product_rate(kEffort, 1, stop)),
      together_(together()),
      ticks_(ticks_now()) {}

double DisturbanceWatch::together() const {
  return product_rate(kEffort, static_cast<int>(std::thread::hardware_concurrency()), *stop_);
}

Disturbance DisturbanceWatch::end() const {
  Disturbance disturbance;
  const std::optional<CoreTicks> ticks = ticks_now();
  if (ticks_ && ticks && ticks->all > ticks_->all) {
    disturbance.stolen = static_cast<double>(ticks->stolen - ticks_->stolen) /
                         static_cast<double>(ticks->all - ticks_->all);
  }
  disturbance.rate_change = together() / together_ - 1;
  return disturbance;
}

}  // namespace steptwin::hw
