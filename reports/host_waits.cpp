#include "reports/host_waits.h"

#include <utility>

namespace steptwin::reports {

std::vector<RendezvousTimes> rendezvous_times(const Trace& trace) {
  std::vector<RendezvousTimes> times(trace.ranks.size());
  for (const HostRecord& record : trace.host) {
    if (record.command != CommandType::rendezvous) continue;
    RendezvousTimes& rank_times = times[static_cast<std::size_t>(record.rank)];
    const TimeNs length = Interval{record.begin_ns, record.end_ns}.length_ns();
    rank_times.total_ns += length;
    rank_times.of(record.hook, record.role) += length;
  }
  return times;
}

std::vector<IntervalSet> rendezvous_sets(const Trace& trace) {
  std::vector<std::vector<Interval>> pieces(trace.ranks.size());
  for (const HostRecord& record : trace.host) {
    if (record.command != CommandType::rendezvous) continue;
    pieces[static_cast<std::size_t>(record.rank)].push_back({record.begin_ns, record.end_ns});
  }
  std::vector<IntervalSet> sets;
  sets.reserve(pieces.size());
  for (std::vector<Interval>& rank_pieces : pieces) sets.emplace_back(std::move(rank_pieces));
  return sets;
}

}  // namespace steptwin::reports
