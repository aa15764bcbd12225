#pragma once

#include <cstdint>
#include <string>

#include "standstill/standstill.h"

namespace steptwin {

// Words for what hangs.

std::string stream_name(const Program& program, std::int32_t rank, std::int32_t stream);
std::string thread_name(const Program& program, std::int32_t rank, std::int32_t number);
// "FWD_SEND(s0,m1) to rank 1", "dispatch of FWD(s0,m1) layer 2",
// "BATCH_SEND_RECV[FWD_SEND(s0,m1) to rank 1|BWD_RECV(s0,m0) from rank 1]"
std::string kernel_text(const Program& program, std::int64_t index);
// "rank 0 stream comm stops at FWD_SEND(s0,m1) to rank 1"
std::string stream_text(const Standstill& standstill, std::int32_t rank, std::int32_t index);
// The step that the thread launched last, such as FWD(s0,m1); "" if there is none.
std::string thread_step(const Standstill& standstill, std::int32_t rank, std::int32_t number);
// "rank 0 thread main hangs in rendezvous A2 of FWD(s0,m1) as the COMM side"
std::string thread_text(const Standstill& standstill, std::int32_t rank, std::int32_t number);

}  // namespace steptwin
