#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "model/program.h"
#include "model/schedule.h"
#include "sim/simulate.h"

namespace steptwin::deadlocks {

// Where in a rank's list a kernel comes from.
class StepPlaces {
 public:
  explicit StepPlaces(const StepList& list);

  // The slot of the step, or of the batch or overlap that it is in; -1 if it is nowhere. Of a step
  // that is there several times, the first.
  std::int64_t slot_of(const Program& program, std::int64_t kernel) const;

 private:
  using Key = std::tuple<StepType, std::int32_t, std::int32_t>;

  std::map<Key, std::int64_t> slots_;
};

// Which list of the schedule a rank of the Program runs: where expert-parallel peers are ranks of
// their own, all of a pipeline rank run its list.
std::int32_t list_of(const Schedule& schedule, const Program& program, std::int32_t rank);

// The kernel that a stream stops at, or that a thread launched last; -1 if there is none.
std::int64_t kernel_at(const Program& program, const sim::BlockedItem& item);

// Where a deadlock is to be looked for: at the beginning of its cycle, or, if there is none, at the
// first that waits for what nobody brings.
struct Place {
  std::int32_t rank = 0;   // of the schedule
  std::int64_t slot = -1;  // -1: it is at no step
  std::string step;        // the text of the slot
};
Place place_of(const Schedule& schedule, const Program& program, const sim::Deadlock& deadlock);

}  // namespace steptwin::deadlocks
