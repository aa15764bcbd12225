#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "model/program.h"
#include "model/schedule.h"

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

}  // namespace steptwin::deadlocks
