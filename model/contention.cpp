#include "model/contention.h"

#include <fmt/format.h>
#include <string>

#include "model/error.h"

namespace steptwin {
namespace {

void check_loss(std::int64_t loss, const char* what) {
  if (loss >= 0 && loss < kWholeRate) return;
  throw Error(fmt::format("{} is {} billionths", what, loss), "0 to 999999999");
}

void check_at_least(std::int64_t least, std::int64_t value, const char* what) {
  if (value >= least) return;
  throw Error(fmt::format("{} is {}", what, value), fmt::format("{} or more", least));
}

void check_places(const std::vector<std::int32_t>& places, std::size_t ranks, const char* what) {
  if (places.size() != ranks) {
    throw Error(fmt::format("{} ranks have a {}", places.size(), what),
                fmt::format("one for each of {}", ranks));
  }
  for (const std::int32_t place : places) check_at_least(0, place, what);
}

}  // namespace

void validate(const Contention& contention, std::size_t ranks) {
  check_loss(contention.compute_loss, "the loss of compute");
  check_loss(contention.comm_loss, "the loss of communication");
  check_at_least(0, contention.host_cores, "the number of a host's cores");
  if (!contention.is_on()) return;
  check_places(contention.node, ranks, "node");
  check_places(contention.host, ranks, "host");
  check_at_least(1, contention.devices, "the number of devices that a rank stands for");
  for (const TimeNs latency_ns : contention.latency_ns) check_at_least(0, latency_ns, "a latency");
}

}  // namespace steptwin
