#include "reports/trace_index.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>

namespace steptwin::reports {
namespace {

// What chunks are ordered by. Works on kernels and on chunks alike.
template <typename Item>
auto chunk_key(const Item& item) {
  return std::tuple(item.stage, item.micro, item.step, item.rank);
}

Interval window_of(const std::vector<TraceKernel>& kernels) {
  if (kernels.empty()) return {};
  Interval window = occupied(kernels.front());
  for (const TraceKernel& kernel : kernels) {
    const Interval interval = occupied(kernel);
    window.begin_ns = std::min(window.begin_ns, interval.begin_ns);
    window.end_ns = std::max(window.end_ns, interval.end_ns);
  }
  return window;
}

}  // namespace

TraceIndex::TraceIndex(const Trace& trace) : trace_(&trace), window_(window_of(trace.kernels)) {
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

void TraceIndex::order_by_chunk() {
  by_chunk_.resize(trace_->kernels.size());
  std::iota(by_chunk_.begin(), by_chunk_.end(), std::size_t{0});
  std::sort(by_chunk_.begin(), by_chunk_.end(), [this](std::size_t left, std::size_t right) {
    return std::tuple(chunk_key(kernel(left)), left) < std::tuple(chunk_key(kernel(right)), right);
  });
  chunk_of_kernel_.resize(trace_->kernels.size());
  for (std::size_t place = 0; place < by_chunk_.size(); ++place) {
    const TraceKernel& member = kernel(by_chunk_[place]);
    if (chunks_.empty() || chunk_key(chunks_.back()) != chunk_key(member)) {
      chunks_.push_back({member.step, member.stage, member.micro, member.rank, place, 0});
    }
    ++chunks_.back().count;
    chunk_of_kernel_[by_chunk_[place]] = chunks_.size() - 1;
  }
}

}  // namespace steptwin::reports
