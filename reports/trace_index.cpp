#include "reports/trace_index.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>
#include <utility>

namespace steptwin::reports {
namespace {

// What chunks are ordered by. Works on kernels and on chunks alike.
template <typename Item>
auto chunk_key(const Item& item) {
  return std::tuple(item.stage, item.micro, item.step, item.rank);
}

// Two numbers as one that sorts as the pair does, -1 first.
std::uint64_t packed(std::int32_t high, std::int32_t low) {
  constexpr std::uint32_t kSign = 0x80000000U;
  return (std::uint64_t{static_cast<std::uint32_t>(high) ^ kSign} << 32U) |
         (static_cast<std::uint32_t>(low) ^ kSign);
}

}  // namespace

Interval window_of(const Trace& trace) {
  if (trace.kernels.empty()) return {};
  Interval window = occupied(trace.kernels.front());
  if (trace.begin_ns) window.begin_ns = *trace.begin_ns;
  for (const TraceKernel& kernel : trace.kernels) {
    const Interval interval = occupied(kernel);
    window.begin_ns = std::min(window.begin_ns, interval.begin_ns);
    window.end_ns = std::max(window.end_ns, interval.end_ns);
  }
  return window;
}

IntervalSet working(const Trace& trace, const TraceKernel& kernel) {
  const std::span<const TracePart> parts = parts_of(trace, kernel);
  if (parts.empty()) return IntervalSet({{kernel.times.start_ns, kernel.times.end_ns}});
  std::vector<Interval> pieces;
  for (const TracePart& part : parts) pieces.push_back({part.start_ns, part.end_ns});
  return IntervalSet(std::move(pieces));
}

TraceIndex::TraceIndex(const Trace& trace) : trace_(&trace), window_(window_of(trace)) {
  order_by_rank();
  order_by_chunk();
}

std::span<const std::size_t> TraceIndex::kernels_of_rank(std::int32_t rank) const {
  const auto position = static_cast<std::size_t>(rank);
  const std::size_t first = rank_begin_[position];
  return std::span(by_rank_).subspan(first, rank_begin_[position + 1] - first);
}

std::span<const std::size_t> TraceIndex::kernels_of(const Chunk& chunk) const {
  return std::span(by_chunk_).subspan(chunk.first, chunk.count);
}

const Chunk* TraceIndex::find(StepType step, std::int32_t stage, std::int32_t micro,
                              std::int32_t rank) const {
  const auto wanted = std::tuple(stage, micro, step, rank);
  const auto found =
      std::partition_point(chunks_.begin(), chunks_.end(),
                           [&wanted](const Chunk& chunk) { return chunk_key(chunk) < wanted; });
  return found != chunks_.end() && chunk_key(*found) == wanted ? &*found : nullptr;
}

Interval TraceIndex::span_of(const Chunk& chunk) const {
  const std::span<const std::size_t> kernels = kernels_of(chunk);
  Interval span{kernel(kernels.front()).times.start_ns, kernel(kernels.front()).times.end_ns};
  for (const std::size_t position : kernels) {
    span.begin_ns = std::min(span.begin_ns, kernel(position).times.start_ns);
    span.end_ns = std::max(span.end_ns, kernel(position).times.end_ns);
  }
  return span;
}

// A counting sort: the kernels come ordered by id, and stay so within a rank.
void TraceIndex::order_by_rank() {
  rank_begin_.assign(trace_->ranks.size() + 1, 0);
  for (const TraceKernel& kernel : trace_->kernels) {
    assert(kernel.rank >= 0 && kernel.rank < ranks());
    ++rank_begin_[static_cast<std::size_t>(kernel.rank) + 1];
  }
  std::partial_sum(rank_begin_.begin(), rank_begin_.end(), rank_begin_.begin());
  std::vector<std::size_t> next = rank_begin_;
  by_rank_.resize(trace_->kernels.size());
  for (std::size_t position = 0; position < trace_->kernels.size(); ++position) {
    by_rank_[next[static_cast<std::size_t>(kernel(position).rank)]++] = position;
  }
}

// Sorts copies of the keys, which lie together; the kernels themselves lie far apart.
void TraceIndex::order_by_chunk() {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::size_t>> keys;
  keys.reserve(trace_->kernels.size());
  for (std::size_t position = 0; position < trace_->kernels.size(); ++position) {
    const TraceKernel& member = kernel(position);
    keys.emplace_back(packed(member.stage, member.micro),
                      packed(static_cast<std::int32_t>(member.step), member.rank), position);
  }
  std::sort(keys.begin(), keys.end());
  by_chunk_.reserve(keys.size());
  chunk_of_kernel_.resize(keys.size());
  for (const auto& [stage_micro, step_rank, position] : keys) {
    const TraceKernel& member = kernel(position);
    if (chunks_.empty() || chunk_key(chunks_.back()) != chunk_key(member)) {
      chunks_.push_back(
          {member.step, member.stage, member.micro, member.rank, by_chunk_.size(), 0});
    }
    ++chunks_.back().count;
    chunk_of_kernel_[position] = chunks_.size() - 1;
    by_chunk_.push_back(position);
  }
}

}  // namespace steptwin::reports
