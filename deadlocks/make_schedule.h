#pragma once

#include <functional>

#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin::deadlocks {

// How the schedule of a scenario comes about; it throws Error where the scenario cannot have one.
using MakeSchedule = std::function<Schedule(const Scenario&)>;

}  // namespace steptwin::deadlocks
