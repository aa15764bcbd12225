#pragma once

#include <vector>

#include "model/check.h"
#include "model/schedule.h"

namespace steptwin {

// What is wrong with the steps that move parameters and activations, by rank and then by what they
// are about; check_schedule sorts them in. A stage without FSDP steps on its rank is never sharded,
// activations without SWAP steps stay where they are.
//
//   FSDP   a stage is sharded at first: gathered before it computes, gathered once before it is
//          resharded, and sharded again in the end; what gradients it has are reduced, none of them
//          is computed behind its reduction and none is reduced twice
//   SWAP   for each (stage, micro-batch): offloaded behind its forward and before any part of its
//          backward, waited for, loaded, waited for, each once; no backward while the activations
//          are away
std::vector<Finding> residency_findings(const Schedule& schedule);

}  // namespace steptwin
