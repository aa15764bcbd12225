#pragma once

#include "model/schedule.h"

namespace steptwin {

// A compute order: lists that hold FWD, BWD, BWD_INPUT, BWD_WEIGHT, overlaps of them and bubbles,
// and nothing else. The passes that place transfers start from one.
//
// Throws Error if a list holds any other step, or a stage or micro-batch that does not exist or a
// stage that its rank does not hold: a schedule may come from a file.
void require_compute_only(const Schedule& schedule);

}  // namespace steptwin
