#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/naive_simulator.h"

namespace steptwin {

// "enqueue ready start end" of a kernel: "0 0 4 7"; -1 where it never came to it.
std::string times_text(const NaiveResult& result, std::int32_t kernel);

// The completed commands of a thread: "launch 0-2, record 2-3".
std::string host_text(const NaiveResult& result, std::int32_t rank, std::int32_t thread);

// What a deadlock blocks: "rank 0 thread 1 command 3; rank 0 stream 1 kernel 2"; "wait" for a wait
// entry at the head. Empty if the run finished.
std::string blocked_text(const NaiveResult& result);

}  // namespace steptwin
