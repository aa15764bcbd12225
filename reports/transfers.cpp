#include "reports/transfers.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace steptwin::reports {
namespace {

constexpr std::size_t kNoKernel = Transfer::kNoKernel;

bool is_forward(const Chunk& chunk) {
  return chunk.step == StepType::fwd;
}

bool takes_input(const Chunk& chunk) {
  return is_forward(chunk) || gives_gradient(chunk.step);
}

std::int32_t producer_stage(const Chunk& chunk) {
  return is_forward(chunk) ? chunk.stage - 1 : chunk.stage + 1;
}

template <typename Part>
auto label_of(const Part& part) {
  return std::tie(part.stage, part.micro, part.step, part.rank);
}

}  // namespace

Transfers::Transfers(const TraceIndex& index) : index_(&index) {
  for (std::size_t position = 0; position < index.trace().kernels.size(); ++position) {
    const TraceKernel& kernel = index.kernel(position);
    const std::span<const TracePart> parts = parts_of(index.trace(), kernel);
    for (std::size_t at = 0; at < parts.size(); ++at) {
      const TracePart& part = parts[at];
      parts_.push_back({part.step,
                        part.stage,
                        part.micro,
                        kernel.rank,
                        {kernel.peers[at], position, {part.start_ns, part.end_ns}}});
    }
  }
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const LabelledPart& left, const LabelledPart& right) {
                     return label_of(left) < label_of(right);
                   });
}

std::optional<Transfer> Transfers::into(const Chunk& chunk) const {
  if (!takes_input(chunk)) return std::nullopt;
  const bool forward = is_forward(chunk);
  const std::optional<End> receive = end_of(forward ? StepType::fwd_recv : StepType::bwd_recv,
                                            chunk.stage, chunk.micro, chunk.rank);
  if (!receive) return std::nullopt;
  Transfer transfer{receive->kernel, kNoKernel, kNoKernel, receive->moving, {}};
  if (receive->peer < 0) return transfer;
  transfer.producer = last_kernel(producer_of(chunk, receive->peer));
  const std::optional<End> send = end_of(forward ? StepType::fwd_send : StepType::bwd_send,
                                         producer_stage(chunk), chunk.micro, receive->peer);
  if (!send) return transfer;
  transfer.send = send->kernel;
  transfer.sending = send->moving;
  return transfer;
}

std::optional<Transfers::End> Transfers::end_of(StepType step, std::int32_t stage,
                                                std::int32_t micro, std::int32_t rank) const {
  if (const Chunk* chunk = index_->find(step, stage, micro, rank)) {
    const std::size_t position = index_->kernels_of(*chunk).front();
    const TraceKernel& kernel = index_->kernel(position);
    const std::int32_t peer = kernel.peers.empty() ? -1 : kernel.peers.front();
    return End{peer, position, {kernel.times.start_ns, kernel.times.end_ns}};
  }
  const auto wanted = std::tie(stage, micro, step, rank);
  const auto found =
      std::partition_point(parts_.begin(), parts_.end(),
                           [&wanted](const LabelledPart& part) { return label_of(part) < wanted; });
  if (found == parts_.end() || label_of(*found) != wanted) return std::nullopt;
  return found->end;
}

const Chunk* Transfers::producer_of(const Chunk& chunk, std::int32_t rank) const {
  const std::int32_t stage = producer_stage(chunk);
  if (is_forward(chunk)) return index_->find(StepType::fwd, stage, chunk.micro, rank);
  const Chunk* found = index_->find(StepType::bwd, stage, chunk.micro, rank);
  return found != nullptr ? found : index_->find(StepType::bwd_input, stage, chunk.micro, rank);
}

std::size_t Transfers::last_kernel(const Chunk* chunk) const {
  std::size_t last = kNoKernel;
  if (chunk == nullptr) return last;
  for (const std::size_t position : index_->kernels_of(*chunk)) {
    const TraceKernel& kernel = index_->kernel(position);
    if (last == kNoKernel || kernel.times.end_ns >= index_->kernel(last).times.end_ns) {
      last = position;
    }
  }
  return last;
}

}  // namespace steptwin::reports
