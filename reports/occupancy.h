#pragma once

#include <cstdint>
#include <optional>

#include "reports/intervals.h"
#include "reports/trace_index.h"

namespace steptwin::reports {

// What a rank's device does at each instant, as sets.
struct Occupancy {
  IntervalSet compute;        // C: kernels of kind compute
  IntervalSet communication;  // X: communication kernels, arrival to end
  IntervalSet transfer;       // the part of X in which bytes move: start to end of each part
  IntervalSet collective;     // the part of X that is collectives
  IntervalSet copies;         // M: copies
};

// Their measures within the window of length T, which add up exactly:
//
//   T = |C| + |X minus C| + |M minus (C or X)| + idle
//
// Exposed communication is X minus C; where a transfer and a wait are exposed together, on two
// streams, the instant is a transfer.
struct OccupancyTimes {
  TimeNs compute_ns = 0;
  TimeNs communication_ns = 0;
  TimeNs overlapped_ns = 0;  // |X and C|
  TimeNs exposed_comm_ns = 0;
  TimeNs exposed_wait_ns = 0;        // of it: arrived, waiting for a peer
  TimeNs exposed_transfer_ns = 0;    // of it: bytes in flight
  TimeNs exposed_collective_ns = 0;  // of it: a collective is among what is exposed
  TimeNs exposed_copy_ns = 0;
  TimeNs idle_ns = 0;
};

// How much slower compute is under communication. Kernels of one rank, stage, part and direction
// are alike; those more than half under communication are compared with those not under it at all:
//
//   dilation = sum of the overlapped ones' durations / sum of what they would take alone,
//
// "alone" being the mean of their like that ran alone. Groups that lack one of the two sorts do
// not count. Sums over ranks are compared, never means of ratios.
struct Dilation {
  double overlapped_ns = 0;
  double alone_ns = 0;

  std::optional<double> ratio() const;
};

Occupancy occupancy_of(const TraceIndex& index, std::int32_t rank);
OccupancyTimes times_of(const Occupancy& occupancy, Interval window);
Dilation dilation_of(const TraceIndex& index, std::int32_t rank, const IntervalSet& communication);

// A ratio whose denominator is empty is not a number but nothing.
std::optional<double> ratio_of(TimeNs part, TimeNs whole);

}  // namespace steptwin::reports
