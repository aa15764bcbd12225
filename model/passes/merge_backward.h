#pragma once

#include "model/schedule.h"

namespace steptwin {

// Puts the halves of a split backward together where nothing but bubbles stands between them, which
// is the faster way to compute them: BWD_INPUT(s,m) BWD_WEIGHT(s,m) becomes BWD(s,m). All bubbles
// are dropped, as PyTorch does when it merges. Halves in an overlap stay as they are.
Schedule merge_backward(const Schedule& schedule);

}  // namespace steptwin
