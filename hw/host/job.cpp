#include "hw/host/job.h"

#include "hw/host/clock.h"

namespace steptwin::hw {

HostJob::HostJob(const Program& program, const HostSettings& settings, Stop& stop) : links_(stop) {
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const RankProgram& own = program.ranks[rank];
    ranks_.push_back(static_cast<std::int32_t>(rank));
    devices_.push_back(std::make_unique<HostDevice>(ranks_.back(), own.streams.size(),
                                                    static_cast<std::size_t>(own.events), settings,
                                                    links_, stop));
  }
}

// One device's thread may still read what another one's has sent: first all threads end.
HostJob::~HostJob() {
  for (const auto& device : devices_) device->end();
}

TimeNs HostJob::now_ns() const {
  return host_now_ns();
}

}  // namespace steptwin::hw
