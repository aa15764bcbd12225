#include "reports/transfers.h"

#include <algorithm>
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

bool is_batch(const TraceKernel& kernel) {
  return kernel.kind == KernelKind::p2p &&
         (kernel.peers.size() > 1 || kernel.step == StepType::batch_send_recv);
}

}  // namespace

Transfers::Transfers(const TraceIndex& index) : index_(&index) {
  for (std::size_t position = 0; position < index.trace().kernels.size(); ++position) {
    const TraceKernel& kernel = index.kernel(position);
    if (!is_batch(kernel)) continue;
    std::vector<std::int32_t> peers = kernel.peers;
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    for (const std::int32_t peer : peers) {
      batches_.push_back(
          {kernel.rank, peer, kernel.times.ready_ns, kernel.times.start_ns, position});
    }
  }
  std::sort(batches_.begin(), batches_.end(), [](const Batch& left, const Batch& right) {
    return std::tie(left.rank, left.peer, left.ready_ns, left.kernel) <
           std::tie(right.rank, right.peer, right.ready_ns, right.kernel);
  });
}

std::optional<Transfer> Transfers::into(const Chunk& chunk) const {
  if (!takes_input(chunk)) return std::nullopt;
  const StepType receive = is_forward(chunk) ? StepType::fwd_recv : StepType::bwd_recv;
  const Chunk* found = index_->find(receive, chunk.stage, chunk.micro, chunk.rank);
  if (found != nullptr) return labelled(chunk, index_->kernels_of(*found).front());
  return batched(chunk);
}

std::optional<Transfer> Transfers::labelled(const Chunk& chunk, std::size_t receive) const {
  Transfer transfer{receive, kNoKernel, kNoKernel};
  const std::vector<std::int32_t>& peers = index_->kernel(receive).peers;
  if (peers.empty()) return transfer;
  const std::int32_t peer = peers.front();
  transfer.producer = last_kernel(producer_of(chunk, peer));
  const StepType send = is_forward(chunk) ? StepType::fwd_send : StepType::bwd_send;
  const Chunk* found = index_->find(send, producer_stage(chunk), chunk.micro, peer);
  if (found != nullptr) {
    transfer.send = index_->kernels_of(*found).front();
  } else if (transfer.producer != kNoKernel) {
    const TimeNs end_ns = index_->kernel(transfer.producer).times.end_ns;
    transfer.send = batch_ready_from(peer, chunk.rank, end_ns);
  }
  return transfer;
}

std::optional<Transfer> Transfers::batched(const Chunk& chunk) const {
  auto batch = std::partition_point(
      batches_.begin(), batches_.end(),
      [&chunk](const Batch& candidate) { return candidate.rank < chunk.rank; });
  while (batch != batches_.end() && batch->rank == chunk.rank) {
    const std::int32_t peer = batch->peer;
    const std::size_t producer = last_kernel(producer_of(chunk, peer));
    if (producer != kNoKernel) {
      const TimeNs end_ns = index_->kernel(producer).times.end_ns;
      const std::size_t send = batch_ready_from(peer, chunk.rank, end_ns);
      if (send == kNoKernel) return std::nullopt;
      const TimeNs start_ns = index_->kernel(send).times.start_ns;
      const std::size_t receive = batch_started_from(chunk.rank, peer, start_ns);
      if (receive == kNoKernel) return std::nullopt;
      return Transfer{receive, send, producer};
    }
    batch = std::partition_point(batch, batches_.end(), [&](const Batch& candidate) {
      return candidate.rank == chunk.rank && candidate.peer <= peer;
    });
  }
  return std::nullopt;
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

std::size_t Transfers::batch_ready_from(std::int32_t rank, std::int32_t peer,
                                        TimeNs ready_ns) const {
  const auto wanted = std::tie(rank, peer, ready_ns);
  const auto found =
      std::partition_point(batches_.begin(), batches_.end(), [&wanted](const Batch& batch) {
        return std::tie(batch.rank, batch.peer, batch.ready_ns) < wanted;
      });
  const bool fits = found != batches_.end() && found->rank == rank && found->peer == peer;
  return fits ? found->kernel : kNoKernel;
}

// Batches between two ranks start in the order they get ready, as a stream runs in order.
std::size_t Transfers::batch_started_from(std::int32_t rank, std::int32_t peer,
                                          TimeNs start_ns) const {
  const auto wanted = std::tie(rank, peer, start_ns);
  const auto found =
      std::partition_point(batches_.begin(), batches_.end(), [&wanted](const Batch& batch) {
        return std::tie(batch.rank, batch.peer, batch.start_ns) < wanted;
      });
  const bool fits = found != batches_.end() && found->rank == rank && found->peer == peer;
  return fits ? found->kernel : kNoKernel;
}

}  // namespace steptwin::reports
