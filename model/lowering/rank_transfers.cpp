#include <algorithm>

#include "model/costs.h"
#include "model/lowering/rank_lowering.h"
#include "model/lowering/step_kernel.h"

// The P2P steps of a rank. Transfers that are issued as one group become one kernel with a part for
// each; a lone step is a group of one.

namespace steptwin {

void RankLowering::lower_transfer(const Step& step) {
  issue_group({transfer_of(step)});
}

// The steps grouped by peer, in the order in which the peers appear; where [streams] sends the two
// directions different ways, by stream as well.
void RankLowering::lower_batch(const Step& batch) {
  std::vector<std::vector<Transfer>> groups;
  for (const Step& step : batch.sub_steps()) {
    const Transfer transfer = transfer_of(step);
    const auto same = [&transfer](const std::vector<Transfer>& group) {
      const Transfer& first = group.front();
      return first.peer_pipeline_rank == transfer.peer_pipeline_rank &&
             first.route.stream == transfer.route.stream &&
             first.route.communicator == transfer.route.communicator;
    };
    const auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) {
      groups.push_back({transfer});
    } else {
      group->push_back(transfer);
    }
  }
  for (const std::vector<Transfer>& group : groups) issue_group(group);
}

void RankLowering::lower_boundary(const Step& overlap) {
  for (const Step& step : overlap.boundary_p2p()) lower_transfer(step);
}

RankLowering::Transfer RankLowering::transfer_of(const Step& step) {
  check_step(step);
  Transfer transfer;
  transfer.step = step;
  transfer.forward = is_forward(step.type);
  const std::int32_t rank = place_.rank();
  const std::int32_t peer_stage = other_stage(step);
  const std::int32_t peer_pipeline_rank = schedule_.stages.rank_of(peer_stage);
  const std::int32_t peer = place_.rank_of(peer_pipeline_rank);
  transfer.sends = is_send(step.type);
  transfer.peer_pipeline_rank = peer_pipeline_rank;
  const std::int32_t sender = transfer.sends ? rank : peer;
  const std::int32_t receiver = transfer.sends ? peer : rank;
  // The activation that travels, or whose gradient does, is the output of this stage.
  transfer.producer = transfer.forward == transfer.sends ? step.stage : peer_stage;
  transfer.route =
      plan_.p2p_route(rank, sender, receiver, transfer.forward, transfer.producer, step.micro);
  return transfer;
}

void RankLowering::append_parts(const Transfer& transfer) {
  const Step& step = transfer.step;
  const std::int32_t peer = transfer.peer_pipeline_rank;
  for (const Bytes bytes : output_tensors(scenario_, transfer.producer, transfer.forward)) {
    parts_.push_back({transfer.sends, step.type, place_.rank_of(peer), step.stage, step.micro,
                      bytes, p2p_time(scenario_, place_.pipeline_rank, peer, bytes)});
  }
}

void RankLowering::issue_group(const std::vector<Transfer>& group) {
  const Route route = group.front().route;
  parts_.clear();
  bool receives = false;
  std::int32_t transfers = 0;
  const Transfer* last = nullptr;
  for (const Transfer& transfer : group) {
    const std::size_t before = parts_.size();
    append_parts(transfer);
    if (parts_.size() == before) continue;
    receives = receives || !transfer.sends;
    ++transfers;
    last = &transfer;
  }
  if (last == nullptr) return;  // gradients of what requires none
  order_sends(group);
  // Several steps make the kernel of a batch, not of one of them.
  Kernel kernel = kernel_of(last->step);
  if (transfers > 1) {
    kernel.step = StepType::batch_send_recv;
    kernel.direction = Direction::none;
    kernel.stage = kernel.micro = -1;
  }
  kernel.part = Part::p2p;
  kernel.stream = route.stream;
  kernel.communicator = route.communicator;
  note_buffers(group, writer_.launch_p2p(kernel, parts_));
  if (!receives && scenario_.pipeline.overlap_p2p) {
    return outstanding_.launched(route.stream, launcher_);
  }
  const std::int32_t event = writer_.record(route.stream);
  outstanding_.launched(route.stream, launcher_, event);
  if (!scenario_.pipeline.overlap_p2p) compute_waits(event);
  for (const Transfer& transfer : group) {
    if (transfer.sends) continue;
    tensors_.at(transfer.forward, transfer.step.stage, transfer.step.micro).received = event;
  }
}

// What is sent stays from its last kernel to the end of the transfer; what is received has a buffer
// from the moment the receive is posted until its consumer begins.
void RankLowering::note_buffers(const std::vector<Transfer>& group, std::int32_t kernel) {
  for (const Transfer& transfer : group) {
    TensorState& tensor = tensors_.at(transfer.forward, transfer.step.stage, transfer.step.micro);
    Bytes bytes = 0;
    for (const Bytes part : output_tensors(scenario_, transfer.producer, transfer.forward)) {
      bytes += part;
    }
    if (transfer.sends) {
      memory_.take(MemoryClass::p2p_buffers, MemoryMoment::end, tensor.last_kernel, bytes);
      memory_.give_after(MemoryClass::p2p_buffers, {kernel, -1, -1}, bytes);
    } else {
      memory_.take(MemoryClass::p2p_buffers, MemoryMoment::ready, kernel, bytes);
      tensor.received_bytes = bytes;
    }
  }
}

// The group's stream waits for what it sends. With order = "stream" one wait covers all of it.
void RankLowering::order_sends(const std::vector<Transfer>& group) {
  const bool at_once = scenario_.comm.order == CommOrder::stream;
  bool sends = false;
  pending_.clear();
  for (const Transfer& transfer : group) {
    if (!transfer.sends) continue;
    sends = true;
    TensorState& output = tensors_.at(transfer.forward, transfer.step.stage, transfer.step.micro);
    add_result(output.pending);
    producer_ = output.producer;
    if (!at_once) order_after_compute(group.front().route.stream);
  }
  if (sends && at_once) order_after_compute(group.front().route.stream);
}

}  // namespace steptwin
