#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/scenario.h"

namespace steptwin {

// The scenario file. Unknown keys and sections are errors that suggest the nearest known one; a
// value of another type, not finite or out of range is an error at its position. What this version
// cannot honour is known, and accepted at its neutral value only.
//
// A value that is not the default and would change nothing is an error too: who wrote it believes
// that it does. So is a memory limit with a schedule that obeys none, a cost of layers that there
// are not, a stream for traffic that does not occur. Exceptions are what describes the machine, the
// times of [host] and the links of [network], and the sizes in [stage].
//
// Durations have their unit in the key: wherever a key ends in _us, the same with _ms will do.
// Sizes are bytes or texts ("64MiB"), bandwidths texts ("400GB/s", "50Gbit/s", "inf").
//
// Costs come from one source, in [stage] or in [layers]. With N = ranks * chunks_per_rank stages:
//
//   [stage]   forward_us, backward_input_us and backward_weight_us, each a number or a list of N;
//             or file = "costs.csv", relative to the folder of the scenario (stage_costs_csv.h)
//   [layers]  per_stage = 4                     4 moe layers on every stage
//             per_stage = [4, 4, 5, 3]          N numbers: so many moe layers on each stage
//             per_stage = ["dense", "moe"]      the layers of every stage
//             per_stage = [["dense"], ["moe", "moe"]]   N lists: the layers of each stage
//             attention_us is required, experts_us, dispatch_ and combine_ (_us or _bytes) if any
//             layer is moe, mlp_us if any is dense; counts_us has a forward only, since a backward
//             uses the counts of its forward. Beside it, [stage] may hold activation_bytes,
//             input_share and parameter_bytes.
//
// [machine]: `file` is a machine file (machine_toml.h), relative to the folder of the scenario, and
// `kernels` says which of its figures count ("real", or "timed"). What the machine overrules of
// [contention] is refused beside it.
//
// [network]: a link class that is not given while the other is, is timed by the p2p_ keys.

// `overrides` are key=value, as in toml_document.h. `file` is for messages and for finding the
// files that the scenario names. Throws Error.
Scenario read_scenario(std::string_view text, const std::string& file,
                       const std::vector<std::string>& overrides = {});

// The scenario with every default written out. Reading it gives the same scenario again, but for
// `file`; a machine's file, whose text is in the scenario, must stand beside it as kMachineFile.
inline constexpr std::string_view kMachineFile = "machine.toml";
std::string scenario_text(const Scenario& scenario);

}  // namespace steptwin
