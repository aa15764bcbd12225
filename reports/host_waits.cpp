#include "reports/host_waits.h"

#include <utility>

namespace steptwin::reports {
namespace {

// Of main and of the forked threads.
using Pieces = std::array<std::vector<Interval>, 2>;
struct RankPieces {
  Pieces in_rendezvous;
  Pieces working;
};

bool is_host_work(CommandType command) {
  return command != CommandType::rendezvous && command != CommandType::host_wait &&
         command != CommandType::join;
}

// A thread's commands follow each other without a gap: they make few pieces.
void add(const HostRecord& record, Pieces& pieces) {
  std::vector<Interval>& thread = pieces[record.thread == 0 ? 0 : 1];
  if (!thread.empty() && thread.back().end_ns == record.begin_ns) {
    thread.back().end_ns = record.end_ns;
  } else {
    thread.push_back({record.begin_ns, record.end_ns});
  }
}

}  // namespace

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

std::vector<HeldInRendezvous> held_in_rendezvous(const Trace& trace) {
  std::vector<RankPieces> pieces(trace.ranks.size());
  for (const HostRecord& record : trace.host) {
    if (record.command != CommandType::rendezvous) continue;
    add(record, pieces[static_cast<std::size_t>(record.rank)].in_rendezvous);
  }
  for (const HostRecord& record : trace.host) {
    RankPieces& rank = pieces[static_cast<std::size_t>(record.rank)];
    const bool meets = !rank.in_rendezvous[0].empty() || !rank.in_rendezvous[1].empty();
    if (meets && is_host_work(record.command)) add(record, rank.working);
  }
  std::vector<HeldInRendezvous> held;
  held.reserve(pieces.size());
  for (RankPieces& rank : pieces) {
    held.push_back({subtracted(IntervalSet(std::move(rank.in_rendezvous[0])),
                               IntervalSet(std::move(rank.working[1]))),
                    subtracted(IntervalSet(std::move(rank.in_rendezvous[1])),
                               IntervalSet(std::move(rank.working[0])))});
  }
  return held;
}

std::vector<std::vector<TimeNs>> thread_begins(const Trace& trace) {
  std::vector<std::vector<TimeNs>> begins;
  begins.reserve(trace.ranks.size());
  for (const TraceRank& rank : trace.ranks) begins.emplace_back(rank.threads.size(), 0);
  const HostRecord* before = nullptr;  // a thread's records follow each other
  for (const HostRecord& record : trace.host) {
    const bool is_first =
        before == nullptr || before->rank != record.rank || before->thread != record.thread;
    before = &record;
    if (!is_first) continue;
    begins[static_cast<std::size_t>(record.rank)][static_cast<std::size_t>(record.thread)] =
        record.begin_ns;
  }
  return begins;
}

}  // namespace steptwin::reports
