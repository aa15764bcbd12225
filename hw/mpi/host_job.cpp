#include "hw/mpi/host_job.h"

#include "hw/host/clock.h"

namespace steptwin::hw {

MpiHostJob::MpiHostJob(const Program& program, std::int32_t rank, const HostSettings& settings,
                       Stop& stop)
    : ranks_{rank},
      links_(program, stop),
      device_(rank, program.ranks[static_cast<std::size_t>(rank)].streams.size(),
              static_cast<std::size_t>(program.ranks[static_cast<std::size_t>(rank)].events),
              settings, links_, stop) {}

MpiHostJob::~MpiHostJob() {
  device_.end();
}

TimeNs MpiHostJob::now_ns() const {
  return host_now_ns();
}

}  // namespace steptwin::hw
