#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/schedule.h"

namespace steptwin {

// A builder numbers ranks by their position in the pipeline. A user may number them otherwise, for
// instance to put neighbours into one machine; more freedom there is not, since the order of a
// schedule's steps follows from which stages share a rank.

// The user's number of the rank at each position: `wanted` must be `own` with its ranks renamed,
// one to one. Throws Error naming the first stage that does not fit; `own_rule` says in words what
// `own` is ("stage s on rank s mod R").
std::vector<std::int32_t> rank_names(const StageMap& own, const StageMap& wanted,
                                     std::string_view own_rule);

// The schedule with the list and the stages of rank k given to rank names[k].
Schedule with_ranks_renamed(Schedule schedule, const std::vector<std::int32_t>& names);

}  // namespace steptwin
