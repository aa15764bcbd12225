#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace.h"
#include "reports/bubbles.h"
#include "reports/gap_causes.h"
#include "reports/host_waits.h"
#include "reports/intervals.h"
#include "reports/memory.h"
#include "reports/occupancy.h"

namespace steptwin::reports {

// Every figure the reports print, from a Trace and nothing else: where it came from makes no
// difference. T is the length of the window, C the set of instants at which a rank computes. A
// ratio with an empty denominator, and a figure the trace has no records for, is nothing.

struct RankMetrics {
  std::int32_t rank = 0;
  OccupancyTimes times;
  std::optional<double> bubble_ratio;      // (T - |C|) / T
  std::optional<double> overlap_ratio;     // |X and C| / |X|
  std::optional<double> compute_dilation;  // see Dilation
  TimeNs compute_span_ns = 0;              // first start to last end of compute
  PhaseGaps phases;
  GapTimes gap_by_cause;                      // adds up to T - |C|
  std::optional<RendezvousTimes> rendezvous;  // needs host records
  TimeNs p2p_wait_ns = 0;                     // sum of start - ready, and between parts
  TimeNs collective_wait_ns = 0;
  std::int64_t in_flight_max = 0;        // live (stage, micro-batch) activations
  std::int64_t in_flight_input_max = 0;  // the same, counted as free after BWD_INPUT
  std::optional<MemoryPeak> memory;      // needs memory records
};

struct Metrics {
  Interval window;
  bool from_release = false;  // the window of a real run, which begins with the ranks' release
  TimeNs step_time_ns = 0;
  std::int64_t kernels = 0;
  std::int32_t micro_batches = 0;  // 1 + the largest index of one

  // Three conventions for the bubble, each with its own window:
  std::optional<double> bubble_ratio;       // R1: mean over ranks of (T - |C|) / T
  std::optional<double> bubble_ratio_max;   // and the worst rank's
  std::optional<double> bubble_ratio_span;  // R2: 1 - max |C| / longest compute span of a rank
  std::optional<double> bubble_over_ideal;  // (T - max |C|) / max |C|
  std::optional<double> overlap_ratio;      // sum |X and C| / sum |X|, over ranks
  std::optional<double> compute_dilation;   // sums over ranks
  std::optional<double> stage_balance;      // max |C| / mean |C|
  std::optional<TimeNs> latency_p50_ns;     // micro_batch_latency
  std::optional<TimeNs> latency_p99_ns;
  GapTimes gap_by_cause;                 // sums over ranks
  bool transfers_share_streams = false;  // between other peers, or the other way
  std::vector<RankMetrics> ranks;
};

// Throws Error for a step so long that a sum over ranks, or over a rank's kernels, could exceed a
// TimeNs.
Metrics compute_metrics(const Trace& trace);

// "" if on every rank T = |C| + |X minus C| + |M minus (C or X)| + idle and the causes of gaps
// add up to T - |C|; else which rank breaks which.
std::string broken_identity(const Metrics& metrics);

}  // namespace steptwin::reports
