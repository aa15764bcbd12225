#include "hw/team_rows.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace steptwin::hw {
namespace {

std::size_t first_command_of(const Program& program, std::int32_t rank) {
  std::size_t first = 0;
  for (std::int32_t before = 0; before < rank; ++before) {
    for (const HostThread& thread : program.ranks[static_cast<std::size_t>(before)].threads) {
      first += thread.commands.size();
    }
  }
  return first;
}

// Every time that is the rank's own, but for zero_ns, in the same order for both directions.
template <typename Times, typename Visit>
void for_each_time(const Program& program, std::int32_t rank, Times& times, Visit visit) {
  const auto visit_span = [&visit](auto& span) {
    visit(span.begin_ns);
    visit(span.end_ns);
  };
  for (std::size_t index = 0; index < program.kernels.size(); ++index) {
    const Kernel& kernel = program.kernels[index];
    if (kernel.rank != rank) continue;
    auto& at = times.stamps.kernels[index];
    visit(at.enqueue_ns);
    visit(at.ready_ns);
    visit(at.start_ns);
    visit(at.end_ns);
    for (std::int32_t part = 0; part < kernel.part_count; ++part) {
      visit_span(times.stamps.parts[static_cast<std::size_t>(kernel.first_part) +
                                    static_cast<std::size_t>(part)]);
    }
  }
  const std::size_t end = first_command_of(program, rank + 1);
  for (std::size_t index = first_command_of(program, rank); index < end; ++index) {
    visit_span(times.commands[index]);
  }
  visit(times.ended_ns[static_cast<std::size_t>(rank)]);
}

}  // namespace

std::vector<std::int64_t> row_of(const Program& program, std::int32_t rank,
                                 const IterationTimes& times, TimeNs offset_ns) {
  std::vector<std::int64_t> row = {times.zero_ns + offset_ns};
  for_each_time(program, rank, times, [&](TimeNs time) { row.push_back(time + offset_ns); });
  const auto& order = times.stamps.communications[static_cast<std::size_t>(rank)];
  row.insert(row.end(), order.begin(), order.end());
  return row;
}

void put_row(std::span<const std::int64_t> row, const Program& program, std::int32_t rank,
             IterationTimes& times) {
  std::size_t next = 0;
  times.zero_ns = std::min(times.zero_ns, row[next++]);
  for_each_time(program, rank, times, [&](TimeNs& time) { time = row[next++]; });
  const auto order = row.subspan(next);
  times.stamps.communications[static_cast<std::size_t>(rank)].assign(order.begin(), order.end());
}

std::vector<std::int64_t> row_of(const StoppedRank& rank) {
  std::vector<std::int64_t> row = {rank.forked};
  for (const StoppedThread& thread : rank.threads) {
    row.push_back(static_cast<std::int64_t>(thread.stop));
    row.push_back(thread.position);
  }
  for (const StoppedStream& stream : rank.streams) {
    row.push_back(stream.passed);
    row.push_back(static_cast<std::int64_t>(stream.entries.size()));
    row.insert(row.end(), stream.entries.begin(), stream.entries.end());
  }
  for (const EventPlace& event : rank.events) {
    row.push_back(event.stream);
    row.push_back(event.covered);
  }
  return row;
}

StoppedRank stopped_rank(std::span<const std::int64_t> row, const RankProgram& program) {
  std::size_t place = 0;
  const auto next = [&] { return static_cast<std::int32_t>(row[place++]); };
  StoppedRank rank;
  rank.forked = next();
  for (std::size_t index = 0; index < program.threads.size(); ++index) {
    const auto stop = static_cast<ThreadStop>(next());
    rank.threads.push_back({stop, next()});
  }
  for (std::size_t index = 0; index < program.streams.size(); ++index) {
    StoppedStream stream;
    stream.passed = next();
    const std::int32_t entries = next();
    for (std::int32_t entry = 0; entry < entries; ++entry) stream.entries.push_back(next());
    rank.streams.push_back(std::move(stream));
  }
  for (std::int32_t event = 0; event < program.events; ++event) {
    const std::int32_t stream = next();
    rank.events.push_back({stream, next()});
  }
  assert(place == row.size());
  return rank;
}

}  // namespace steptwin::hw
