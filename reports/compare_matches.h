#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"
#include "reports/intervals.h"

namespace steptwin::reports {

// How what two traces tell of is told to be the same.
//
//   kernel  by the id of the kernel: two traces of one Program
//   step    by (rank, stage, micro-batch, step), all kernels of a compute step being one thing from
//           the first start to the last end: a trace that came from elsewhere. Transfers, batches
//           and what belongs to no micro-batch are left out.
enum class Join : std::uint8_t { kernel, step };

// One thing that both traces have.
struct Match {
  std::int64_t kernel = -1;  // by kernel
  std::int32_t rank = 0;
  std::int32_t stream = 0;  // of the first trace
  Part part = Part::chunk;
  Direction direction = Direction::none;
  StepType step = StepType::fwd;
  std::int32_t stage = -1;
  std::int32_t micro = -1;
  std::int32_t layer = -1;
  Interval predicted;  // start to end
  Interval measured;
  // Where both have the same number of parts, and that is not one: the times of each. Indices into
  // the parts of the two traces; -1: none.
  std::int32_t predicted_parts = -1;
  std::int32_t measured_parts = -1;
  std::int32_t part_count = 0;
};

struct Matches {
  std::vector<Match> pairs;                 // by kernel id, or by (stage, micro-batch, step, rank)
  std::vector<std::string> only_predicted;  // in words
  std::vector<std::string> only_measured;
};

// A kernel id that means different things in the two traces (rank, kind, step, stage or
// micro-batch) is in both lists of what has no match.
Matches matches_of(const Trace& predicted, const Trace& measured, Join join);

// Why the two are no traces of one Program, "" if they are: how many kernels there are, or the
// first one whose rank, kind, part, step, stage, micro-batch or layer differ.
std::string first_difference(const Trace& left, const Trace& right);

// "rank 1 FWD(s1,m3) attention of layer 2": for people.
std::string match_words(const Match& match);

}  // namespace steptwin::reports
