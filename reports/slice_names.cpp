#include "reports/slice_names.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>

namespace steptwin::reports {
namespace {

std::string_view verb_of(const TraceKernel& kernel) {
  if (kernel.part == Part::chunk) return "";
  if (kernel.kind != KernelKind::p2p) return name_of(kernel.part);
  if (kernel.peers.size() > 1 || kernel.step == StepType::batch_send_recv) return "exchange";
  return is_send(kernel.step) || kernel.step == StepType::data_send ? "send" : "recv";
}

}  // namespace

std::string direction_letter(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "F";
    case Direction::backward:
    case Direction::backward_input:
      return "B";
    case Direction::backward_weight:
      return "W";
    case Direction::none:
      return "";
  }
  return "";
}

SliceNames::SliceNames(const TraceIndex& index)
    : stages_of_rank_(static_cast<std::size_t>(index.ranks())) {
  for (const Chunk& chunk : index.chunks()) {  // stages ascend
    std::vector<std::int32_t>& stages = stages_of_rank_[static_cast<std::size_t>(chunk.rank)];
    const bool is_known = !stages.empty() && stages.back() == chunk.stage;
    if (chunk.stage >= 0 && !is_known) stages.push_back(chunk.stage);
  }
}

std::string SliceNames::of(const TraceKernel& kernel) const {
  const std::string_view verb = verb_of(kernel);
  const std::string letter = direction_letter(kernel.direction);
  std::string what;
  if (kernel.micro >= 0) {
    what = fmt::format("{}{}.{}", letter, kernel.micro, chunk_of(kernel));
  } else if (kernel.stage >= 0) {
    what = fmt::format("{}s{}", letter, kernel.stage);
  } else {
    what = letter;
  }
  if (verb.empty() || what.empty()) return std::string(verb) + what;
  return fmt::format("{} {}", verb, what);
}

std::int32_t SliceNames::chunk_of(const TraceKernel& kernel) const {
  const std::vector<std::int32_t>& stages = stages_of_rank_[static_cast<std::size_t>(kernel.rank)];
  const auto found = std::lower_bound(stages.begin(), stages.end(), kernel.stage);
  if (found == stages.end() || *found != kernel.stage) return -1;
  return static_cast<std::int32_t>(found - stages.begin());
}

}  // namespace steptwin::reports
