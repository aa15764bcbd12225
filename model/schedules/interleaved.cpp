#include "model/schedules/interleaved.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace steptwin {
namespace {

struct Operation {
  std::int32_t chunk = 0;
  std::int32_t micro = 0;
};

std::int32_t round_count(const ScheduleRequest& request) {
  return std::max(1, request.micro_batches / request.ranks);
}

// The forwards of any rank in order. For the backwards read the chunks from the other end.
std::vector<Operation> operation_order(const ScheduleRequest& request) {
  const std::int32_t rounds = round_count(request);
  const std::int32_t shortest = request.micro_batches / rounds;
  const std::int32_t longer_rounds = request.micro_batches % rounds;
  std::vector<Operation> order;
  order.reserve(static_cast<std::size_t>(request.micro_batches) *
                static_cast<std::size_t>(request.chunks_per_rank));
  std::int32_t first_micro = 0;
  for (std::int32_t round = 0; round < rounds; ++round) {
    const std::int32_t end_micro = first_micro + shortest + (round < longer_rounds ? 1 : 0);
    for (std::int32_t chunk = 0; chunk < request.chunks_per_rank; ++chunk) {
      for (std::int32_t micro = first_micro; micro < end_micro; ++micro) {
        order.push_back({chunk, micro});
      }
    }
    first_micro = end_micro;
  }
  return order;
}

class RankColumns {
 public:
  RankColumns(const ScheduleRequest& request, const std::vector<Operation>& order,
              std::int32_t rank)
      : request_(request), order_(order), rank_(rank) {
    const std::int32_t to_last = request.ranks - 1 - rank;
    stagger_ = request.less_memory ? to_last : 2 * to_last;
    is_last_ = to_last == 0;
    const std::int32_t rounds = round_count(request);
    const std::int64_t first_round = (request.micro_batches + rounds - 1) / rounds;
    const std::int64_t warm_up = (request.chunks_per_rank - 1) * first_round + stagger_;
    const auto operations = static_cast<std::int64_t>(order.size());
    warm_up_ = static_cast<std::size_t>(std::min(warm_up, operations));
    short_by_ = std::max(0, request.ranks - request.micro_batches);
  }

  StepList build() {
    list_.reserve(2 * order_.size() + warm_up_ + 8);
    add_bubbles(rank_);
    add_warm_up();
    add_bubbles(std::max(0, stagger_ - request_.micro_batches));
    add_bubbles(request_.ranks - 1 - rank_);
    if (request_.overlap == OverlapMode::b_f) {
      add_steady_overlaps();
    } else {
      add_steady_pairs();
    }
    add_drain();
    return std::move(list_);
  }

 private:
  std::size_t steady() const { return order_.size() - warm_up_; }
  bool ends_round(std::size_t operation) const {  // where it matters: one round only
    return order_[operation].micro == request_.micro_batches - 1;
  }
  Step forward(std::size_t operation) const {
    const auto [chunk, micro] = order_[operation];
    return make_step(StepType::fwd, chunk * request_.ranks + rank_, micro);
  }
  Step backward(std::size_t operation) const {
    const auto [chunk, micro] = order_[operation];
    const std::int32_t from_last = request_.chunks_per_rank - 1 - chunk;
    return make_step(StepType::bwd, from_last * request_.ranks + rank_, micro);
  }
  void add_bubbles(std::int32_t count) {
    list_.resize(list_.size() + static_cast<std::size_t>(count));
  }

  void add_warm_up() {
    for (std::size_t operation = 0; operation < warm_up_; ++operation) {
      list_.emplace_back(forward(operation));
      const bool round_follows = operation + 1 < warm_up_ || is_last_;
      if (ends_round(operation) && round_follows) add_bubbles(short_by_);
    }
  }

  void add_steady_pairs() {
    for (std::size_t operation = 0; operation < steady(); ++operation) {
      list_.emplace_back(forward(warm_up_ + operation));
      list_.emplace_back(backward(operation));
      if (is_last_ && ends_round(operation)) add_bubbles(2 * short_by_);
    }
  }

  void add_steady_overlaps() {
    if (steady() == 0) return;
    list_.emplace_back(forward(warm_up_));
    for (std::size_t operation = 0; operation + 1 < steady(); ++operation) {
      list_.emplace_back(make_overlap(StepType::overlap_b_f, backward(operation),
                                      forward(warm_up_ + operation + 1)));
    }
    list_.emplace_back(backward(steady() - 1));
    if (is_last_ && ends_round(steady() - 1)) add_bubbles(2 * short_by_);
  }

  void add_drain() {
    for (std::size_t operation = steady(); operation < order_.size(); ++operation) {
      add_bubbles(1);
      list_.emplace_back(backward(operation));
      if (ends_round(operation)) add_bubbles(2 * short_by_);
    }
  }

  const ScheduleRequest& request_;
  const std::vector<Operation>& order_;
  std::int32_t rank_;
  std::int32_t stagger_ = 0;
  std::int32_t short_by_ = 0;  // R - M where a round is shorter than the ring
  bool is_last_ = false;
  std::size_t warm_up_ = 0;
  StepList list_;
};

}  // namespace

Schedule interleaved_columns(const ScheduleRequest& request) {
  const StageMap stages = loop_map(request.ranks, request.chunks_per_rank);
  Schedule columns{"interleaved_1f1b", stages, request.micro_batches, {}};
  const std::vector<Operation> order = operation_order(request);
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    columns.ranks.push_back(RankColumns(request, order, rank).build());
  }
  return columns;
}

}  // namespace steptwin
