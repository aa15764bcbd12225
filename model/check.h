#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/schedule.h"

namespace steptwin {

// What is wrong with a schedule, found without running it.
struct Finding {
  std::int32_t rank = 0;
  std::int64_t position = -1;  // slot in the rank's list; -1: the list as a whole
  std::string step;            // text of the step; "" for the list as a whole
  std::string text;            // what is wrong with it
};

// How many findings are reported at most.
inline constexpr std::size_t kMostFindings = 1000;

// "rank 1 slot 12 BWD(s1,m0): runs before FWD(s1,m0)"
std::string finding_text(const Finding& finding);

// The findings, by (rank, position); only the first found where there are more than kMostFindings:
//
//   work        every stage runs each micro-batch's forward once, and its backward once, whole or
//               as BWD_INPUT then BWD_WEIGHT, on the rank that holds the stage
//   order       forward before backward and not beside it, BWD_INPUT before BWD_WEIGHT; between
//               stages of one rank also FWD(s-1) before FWD(s) and BWD(s+1) before BWD(s)
//   transfers   between neighbouring stages on different ranks only; a send after the step that
//               computes what it sends, a receive before the step that consumes it; every step
//               whose input is computed on another rank has its receive and every such output its
//               send, if the schedule has transfers at all
//   data        DATA_SEND(s,m) and DATA_RECV(s+1,m) are both there or neither, each once and before
//               the FWD_SEND or FWD_RECV it goes with; DATA_LOAD(s,m) once, before FWD(s,m)
//   residency   parameters gathered and activations loaded when they are used
//               (model/check_residency.h)
//   matching    the k-th send from one rank to another and the k-th receive there name the same
//               tensor, as communicators that match by position need; and so for DATA_SEND and
//               DATA_RECV among themselves
std::vector<Finding> check_schedule(const Schedule& schedule);

}  // namespace steptwin
