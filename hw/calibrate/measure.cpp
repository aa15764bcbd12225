#include "hw/calibrate/measure.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>
#include <unistd.h>

#include "hw/calibrate/compute.h"
#include "hw/calibrate/host_costs.h"
#include "hw/calibrate/links.h"

namespace steptwin::hw {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

int scaled(double effort, int rounds) {
  return std::max(2, static_cast<int>(effort * rounds));
}

}  // namespace

Machine calibrate_host(const CalibrateOptions& options) {
  Machine machine;
  machine.name = host_name();
  machine.date = today();
  machine.cores = static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
  options.begins("matrix products, alone and together");
  measure_compute(machine, scaled(options.effort, 20));
  options.begins("launches, events, rendezvous, threads");
  measure_host_costs(machine, scaled(options.effort, 400));
  options.begins("transfers, all-to-alls, copies");
  measure_links(machine, scaled(options.effort, 6));
  return machine;
}

}  // namespace steptwin::hw
