#include "reports/compare_matches.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <tuple>

#include "reports/trace_index.h"

namespace steptwin::reports {
namespace {

Match match_of(const TraceKernel& kernel) {
  Match match;
  match.kernel = kernel.kernel;
  match.rank = kernel.rank;
  match.stream = kernel.stream;
  match.part = kernel.part;
  match.direction = kernel.direction;
  match.step = kernel.step;
  match.stage = kernel.stage;
  match.micro = kernel.micro;
  match.layer = kernel.layer;
  match.predicted = {kernel.times.start_ns, kernel.times.end_ns};
  return match;
}

auto meaning_of(const TraceKernel& kernel) {
  return std::tuple(kernel.rank, kernel.kind, kernel.part, kernel.step, kernel.stage, kernel.micro,
                    kernel.layer);
}

std::string kernel_words(const TraceKernel& kernel) {
  return fmt::format("kernel {}, {} of {}", kernel.kernel, name_of(kernel.kind),
                     match_words(match_of(kernel)));
}

// Both lists ascend by `key_of`. Calls both(left, right) for what both have, left_only and
// right_only for the rest.
template <typename List, typename Key, typename Both, typename LeftOnly, typename RightOnly>
void merge(const List& left, const List& right, Key key_of, Both both, LeftOnly left_only,
           RightOnly right_only) {
  auto here = left.begin();
  auto there = right.begin();
  while (here != left.end() || there != right.end()) {
    if (there == right.end() || (here != left.end() && key_of(*here) < key_of(*there))) {
      left_only(*here++);
    } else if (here == left.end() || key_of(*there) < key_of(*here)) {
      right_only(*there++);
    } else {
      both(*here++, *there++);
    }
  }
}

Matches by_kernel(const Trace& predicted, const Trace& measured) {
  Matches matches;
  const auto left_only = [&](const TraceKernel& kernel) {
    matches.only_predicted.push_back(kernel_words(kernel));
  };
  const auto right_only = [&](const TraceKernel& kernel) {
    matches.only_measured.push_back(kernel_words(kernel));
  };
  const auto both = [&](const TraceKernel& left, const TraceKernel& right) {
    if (meaning_of(left) != meaning_of(right)) {
      left_only(left);
      right_only(right);
      return;
    }
    Match match = match_of(left);
    match.measured = {right.times.start_ns, right.times.end_ns};
    if (left.first_part >= 0 && right.first_part >= 0 && left.peers == right.peers) {
      match.predicted_parts = left.first_part;
      match.measured_parts = right.first_part;
      match.part_count = static_cast<std::int32_t>(left.peers.size());
    }
    matches.pairs.push_back(match);
  };
  merge(
      predicted.kernels, measured.kernels, [](const TraceKernel& kernel) { return kernel.kernel; },
      both, left_only, right_only);
  return matches;
}

Direction direction_of(StepType step) {
  if (step == StepType::fwd) return Direction::forward;
  if (step == StepType::bwd_input) return Direction::backward_input;
  return step == StepType::bwd_weight ? Direction::backward_weight : Direction::backward;
}

Match match_of(const Chunk& chunk) {
  Match match;
  match.rank = chunk.rank;
  match.direction = direction_of(chunk.step);
  match.step = chunk.step;
  match.stage = chunk.stage;
  match.micro = chunk.micro;
  return match;
}

std::vector<Chunk> compute_chunks(const TraceIndex& index) {
  std::vector<Chunk> chunks;
  for (const Chunk& chunk : index.chunks()) {
    if (is_compute(chunk.step)) chunks.push_back(chunk);
  }
  return chunks;
}

Matches by_step(const Trace& predicted, const Trace& measured) {
  Matches matches;
  const TraceIndex left(predicted);
  const TraceIndex right(measured);
  merge(
      compute_chunks(left), compute_chunks(right),
      [](const Chunk& chunk) {
        return std::tuple(chunk.stage, chunk.micro, chunk.step, chunk.rank);
      },
      [&](const Chunk& here, const Chunk& there) {
        Match match = match_of(here);
        match.predicted = left.span_of(here);
        match.measured = right.span_of(there);
        matches.pairs.push_back(match);
      },
      [&](const Chunk& chunk) { matches.only_predicted.push_back(match_words(match_of(chunk))); },
      [&](const Chunk& chunk) { matches.only_measured.push_back(match_words(match_of(chunk))); });
  return matches;
}

}  // namespace

Matches matches_of(const Trace& predicted, const Trace& measured, Join join) {
  return join == Join::kernel ? by_kernel(predicted, measured) : by_step(predicted, measured);
}

std::string first_difference(const Trace& left, const Trace& right) {
  const std::size_t common = std::min(left.kernels.size(), right.kernels.size());
  for (std::size_t at = 0; at < common; ++at) {
    const TraceKernel& here = left.kernels[at];
    const TraceKernel& there = right.kernels[at];
    if (here.kernel == there.kernel && meaning_of(here) == meaning_of(there)) continue;
    return fmt::format("here is {}, there {}", kernel_words(here), kernel_words(there));
  }
  if (left.kernels.size() == right.kernels.size()) return "";
  return fmt::format("here are {} kernels, there {}", left.kernels.size(), right.kernels.size());
}

std::string match_words(const Match& match) {
  std::string words =
      fmt::format("rank {} {}", match.rank, step_label(match.step, match.stage, match.micro));
  if (match.part != Part::chunk && match.part != Part::p2p) {
    words += fmt::format(" {}", name_of(match.part));
  }
  if (match.layer >= 0) words += fmt::format(" of layer {}", match.layer + 1);
  return words;
}

}  // namespace steptwin::reports
