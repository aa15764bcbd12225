#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"

namespace steptwin::hw {

// What the CPU devices of a Program keep for payloads, in bytes, by rank: every stream has room for
// each part of its largest transfers, for what a collective brings and gets, and for both ends of a
// copy. What eager senders leave behind comes on top.
std::vector<double> payload_bytes(const Program& program);

// Throws Error if that of all ranks exceeds what can be used here, rather than let a run be killed
// half way; or that of one, on a machine with as many processes with a rank each.
void refuse_if_too_large(const Program& program);
void refuse_if_too_large(const Program& program, std::int32_t rank, std::int32_t processes);

}  // namespace steptwin::hw
