#pragma once

#include "model/formats/toml_table.h"
#include "model/scenario.h"

namespace steptwin {

// The sections of the scenario file, one reader each: from a table to the keys of the scenario.
// [pipeline] is read first; the others need its N and M.

inline constexpr std::int32_t kMostRanks = 65'536;
inline constexpr std::int32_t kMostChunksPerRank = 1'024;
inline constexpr std::int32_t kMostMicroBatches = 16'777'215;
inline constexpr std::int32_t kMostLaunches = 1'000'000;
// A forward and a backward of each stage and micro-batch.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 31U;
inline constexpr std::int64_t kMostLayers = std::int64_t{1} << 22U;

void read_pipeline(const TomlTable& section, PipelineKeys& keys);
void read_costs(const TomlTable& document, Scenario& scenario);  // [stage] and [layers]
void read_outputs(const TomlTable& stage, Scenario& scenario);
void read_layers(const TomlTable& section, Scenario& scenario);
void read_network(const TomlTable& section, NetworkKeys& keys);
void read_streams(const TomlTable& section, StreamKeys& keys);
void read_contention(const TomlTable& section, ContentionKeys& keys);
void read_machine_keys(const TomlTable& section, Scenario& scenario);  // and the file it names

// Sections that this version knows but cannot honour.
void read_unavailable_sections(const TomlTable& document);

// Throws Error at a key whose value is not its default, yet changes nothing in this scenario:
// another key overrules it, or what it is about does not occur. What [host] and the links of
// [network] say is about the machine and may lie idle, and so may the sizes in [stage].
void refuse_idle_keys(const TomlTable& document, const Scenario& scenario);

// Throws Error if contention.host_cores would treat the peers of a folded rank differently.
void refuse_uneven_hosts(const TomlTable& document, const Scenario& scenario);

// Throws Error at a bandwidth over which a transfer of the scenario would take longer than
// kLongestDuration.
void refuse_long_transfers(const TomlTable& document, const Scenario& scenario);

// The durations of a step, one after the other, and its bytes all together must fit into 2^62:
// then no sum of them overflows. Throws Error at `position`.
void refuse_endless(const Scenario& scenario, const SourcePosition& position);

}  // namespace steptwin
