#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace.h"
#include "reports/compare_matches.h"

namespace steptwin::reports {

// Two traces side by side, the first as a prediction of the second. Signs are the prediction's:
// above 0 it is longer, later, or has more than what was measured. A relative error whose
// measurement is 0, and a median of nothing, is nothing.

// Durations of alike things: of one part and direction.
struct DurationErrors {
  Part part = Part::chunk;
  Direction direction = Direction::none;
  std::int64_t count = 0;   // kernels; of those with several parts, the parts
  TimeNs predicted_ns = 0;  // sums of durations, which may overlap: start to end, without waiting
  TimeNs measured_ns = 0;
  // Of the relative errors of single ones, those measured at 0 left out: the median, and the 90th
  // percentile of their magnitudes.
  std::optional<double> median;
  std::optional<double> p90;
  std::int64_t measured_at_zero = 0;
};

// By how much things start too early or late, the first start of either trace taken as 0.
struct StartErrors {
  std::optional<TimeNs> median_ns;  // of magnitudes
  std::optional<TimeNs> p90_ns;
  TimeNs worst_ns = 0;  // the largest magnitude, with its sign
  std::string worst;    // what it is, "" if there is nothing
};

// Pairs of kernels of a stream that start one way round in one trace and the other way round in the
// other. Starting at the same instant in either is no inversion.
struct StreamOrder {
  std::int32_t rank = 0;
  std::string stream;
  std::int64_t pairs = 0;
  std::int64_t inversions = 0;
};

// A ratio in both; their difference is in points of a percent.
struct RatioPair {
  std::optional<double> predicted;
  std::optional<double> measured;

  std::optional<double> difference() const;
};

struct RankComparison {
  std::int32_t rank = 0;
  RatioPair bubble;   // (T - |C|) / T, as in metrics.h
  RatioPair overlap;  // |X and C| / |X|
};

struct Comparison {
  Join join = Join::kernel;
  std::int64_t matched = 0;
  std::vector<std::string> only_predicted;  // in words
  std::vector<std::string> only_measured;
  TimeNs predicted_step_ns = 0;  // the window of metrics.h
  TimeNs measured_step_ns = 0;
  std::optional<double> step_time_error;
  RatioPair bubble;                       // job: mean over ranks
  RatioPair overlap;                      // job: sums over ranks
  std::vector<DurationErrors> durations;  // by part, then direction
  StartErrors starts;
  std::vector<StreamOrder> orders;  // of streams with two kernels or more, by rank and stream
  std::vector<RankComparison> ranks;
};

Comparison compare(const Trace& predicted, const Trace& measured, Join join);

}  // namespace steptwin::reports
