#include "deadlocks/exchange.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "deadlocks/step_places.h"
#include "model/formats/steps_text.h"

namespace steptwin::deadlocks {
namespace {

struct Range {
  std::int64_t first = -1;
  std::int64_t last = -1;

  void add(std::int64_t slot) {
    if (slot < 0) return;
    first = first < 0 ? slot : std::min(first, slot);
    last = std::max(last, slot);
  }
};
using Ranges = std::map<std::int32_t, Range>;  // by rank

// What a thread that hangs has launched last, and what it would launch next.
std::array<std::int64_t, 2> launches_around(const Program& program, const sim::BlockedItem& item) {
  const std::vector<Command>& commands = program.ranks[static_cast<std::size_t>(item.rank)]
                                             .threads[static_cast<std::size_t>(item.index)]
                                             .commands;
  std::array<std::int64_t, 2> around = {-1, -1};
  for (std::size_t at = 0; at < commands.size(); ++at) {
    if (commands[at].type != CommandType::launch) continue;
    const bool is_done = static_cast<std::int64_t>(at) < item.command;
    around[is_done ? 0 : 1] = commands[at].kernel;
    if (!is_done) break;
  }
  return around;
}

// From where a rank of the cycle hangs to what others on the cycle wait for there.
class RangeFinder {
 public:
  RangeFinder(const Schedule& schedule, const Program& program, const sim::Deadlock& deadlock)
      : schedule_(schedule), program_(program) {
    for (std::size_t at = 0; at < deadlock.cycle.size(); ++at) {
      const sim::BlockedItem& item = deadlock.blocked[static_cast<std::size_t>(deadlock.cycle[at])];
      add(item.kernel);
      add(deadlock.awaited[at]);
      if (!item.is_thread) continue;
      for (const std::int64_t kernel : launches_around(program, item)) add(kernel);
    }
  }

  Ranges ranges() { return std::move(ranges_); }

 private:
  void add(std::int64_t kernel) {
    if (kernel < 0) return;
    const std::int32_t rank =
        list_of(schedule_, program_, program_.kernels[static_cast<std::size_t>(kernel)].rank);
    const auto& list = schedule_.ranks[static_cast<std::size_t>(rank)];
    const StepPlaces& places = places_.try_emplace(rank, list).first->second;
    ranges_[rank].add(places.slot_of(program_, kernel));
  }

  const Schedule& schedule_;
  const Program& program_;
  std::map<std::int32_t, StepPlaces> places_;
  Ranges ranges_;
};

void add_neighbours(const StepList& list, std::int32_t rank, const Range& range,
                    std::vector<Exchange>& exchanges) {
  std::int64_t before = -1;
  for (std::int64_t slot = range.first; slot <= range.last && slot >= 0; ++slot) {
    const Slot& step = list[static_cast<std::size_t>(slot)];
    if (!step) continue;
    if (before >= 0) {
      exchanges.push_back({rank, before, slot, 0, *list[static_cast<std::size_t>(before)], *step});
    }
    before = slot;
    const std::vector<Step>& boundary = step->boundary_p2p();
    for (std::size_t at = 0; at + 1 < boundary.size(); ++at) {
      exchanges.push_back({rank, slot, slot, at, boundary[at], boundary[at + 1]});
    }
  }
}

bool computes(const Step& step) {
  return !is_p2p(step.type) && step.type != StepType::batch_send_recv;
}

int computations(const Exchange& exchange) {
  return static_cast<int>(computes(exchange.first)) + static_cast<int>(computes(exchange.second));
}

}  // namespace

Schedule exchanged(const Schedule& schedule, const Exchange& exchange) {
  Schedule result = schedule;
  StepList& list = result.ranks[static_cast<std::size_t>(exchange.rank)];
  Slot& first = list[static_cast<std::size_t>(exchange.first_slot)];
  if (exchange.first_slot != exchange.second_slot) {
    std::swap(first, list[static_cast<std::size_t>(exchange.second_slot)]);
    return result;
  }
  std::vector<Step> boundary = first->boundary_p2p();
  std::swap(boundary[exchange.boundary], boundary[exchange.boundary + 1]);
  const std::vector<Step> halves = first->sub_steps();
  first = make_overlap(first->type, halves[0], halves[1], std::move(boundary));
  return result;
}

std::string exchange_text(const Exchange& exchange) {
  const std::string where =
      exchange.first_slot == exchange.second_slot
          ? fmt::format("boundary of slot {}", exchange.first_slot)
          : fmt::format("slots {} and {}", exchange.first_slot, exchange.second_slot);
  return fmt::format("{} and {} on rank {} ({})", step_text(exchange.first),
                     step_text(exchange.second), exchange.rank, where);
}

std::vector<Exchange> possible_exchanges(const Schedule& schedule, const Program& program,
                                         const sim::Deadlock& deadlock) {
  std::vector<Exchange> exchanges;
  for (const auto& [rank, range] : RangeFinder(schedule, program, deadlock).ranges()) {
    add_neighbours(schedule.ranks[static_cast<std::size_t>(rank)], rank, range, exchanges);
  }
  std::stable_sort(exchanges.begin(), exchanges.end(),
                   [](const Exchange& left, const Exchange& right) {
                     return computations(left) < computations(right);
                   });
  return exchanges;
}

ExchangeSearch find_exchange(const Schedule& schedule, const Scenario& scenario,
                             const Program& program, const sim::Deadlock& deadlock,
                             Effort& effort) {
  ExchangeSearch search;
  for (const Exchange& exchange : possible_exchanges(schedule, program, deadlock)) {
    const Trial trial = try_out(exchanged(schedule, exchange), scenario, effort);
    if (trial.ending == Ending::not_tried) break;
    ++search.tried;
    if (trial.ending != Ending::runs) continue;
    search.found = exchange;
    break;
  }
  return search;
}

}  // namespace steptwin::deadlocks
