#pragma once

#include <cstdint>
#include <string>

#include "sim/state.h"

namespace steptwin::sim {

// Words for what hangs, and what the deadlock report has to ask the state.

std::string stream_name(const State& state, std::int32_t stream);  // numbered through all ranks
std::string thread_name(const State& state, std::int32_t rank, std::int32_t number);
// "FWD_SEND(s0,m1) to rank 1", "dispatch of FWD(s0,m1) layer 2",
// "BATCH_SEND_RECV[FWD_SEND(s0,m1) to rank 1|BWD_RECV(s0,m0) from rank 1]"
std::string kernel_text(const Program& program, std::int64_t kernel);
// "rank 0 stream comm stops at FWD_SEND(s0,m1) to rank 1"
std::string stream_text(const State& state, std::int32_t stream);
// The step that the thread launched last, such as FWD(s0,m1); "" if there is none.
std::string thread_step(const State& state, const ThreadState& thread);
// "rank 0 thread main hangs in rendezvous A2 of FWD(s0,m1) as the COMM side"
std::string thread_text(const State& state, const ThreadState& thread);

// Whether a part of the kernel in flight has not met its other end.
bool part_waits(const State& state, const Kernel& kernel, const P2pPart& part);
// Whether the member is in the communicator's open call.
bool has_arrived(const State& state, std::int32_t communicator, std::int32_t rank);

}  // namespace steptwin::sim
