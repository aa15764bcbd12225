#include "model/lowering/rank_lowering.h"

#include <cmath>
#include <fmt/format.h>

#include "model/costs.h"
#include "model/error.h"
#include "model/hooks.h"
#include "model/lowering/step_kernel.h"

namespace steptwin {
namespace {

const std::vector<ChunkItem>& items_of(const Chunk& chunk, StepType type) {
  if (type == StepType::fwd) return chunk.forward;
  if (type == StepType::bwd_input) return chunk.backward_input;
  if (type == StepType::bwd_weight) return chunk.backward_weight;
  return chunk.backward;
}

}  // namespace

RankLowering::RankLowering(const Schedule& schedule, const Scenario& scenario,
                           const std::vector<Chunk>& chunks, StreamPlan& plan, Program& program,
                           const RankPlace& place)
    : schedule_(schedule),
      scenario_(scenario),
      chunks_(chunks),
      plan_(plan),
      place_(place),
      writer_(program, place.rank()),
      memory_(program, place.rank(), gives_memory_sizes(scenario)),
      tensors_(schedule, place.pipeline_rank),
      noise_(scenario) {
  hold_parameters();
}

void RankLowering::lower_step(const Step& step) {
  if (is_overlap(step.type)) return lower_overlap(step);
  if (is_compute(step.type)) return lower_compute(step, false);
  if (is_p2p(step.type)) return lower_transfer(step);
  if (step.type == StepType::batch_send_recv) return lower_batch(step);
  if (is_fsdp(step.type)) return lower_fsdp(step);
  if (is_data(step.type)) return lower_data(step);
  lower_swap(step);
}

void RankLowering::finish() {
  for (const std::int32_t stream : outstanding_.streams()) {
    writer_.wait(kComputeStream, writer_.record(stream));
  }
}

void RankLowering::lower_compute(const Step& step, bool in_window) {
  check_step(step);
  const bool forward = step.type == StepType::fwd;
  pending_.clear();
  producer_ = first_kernel_ = last_kernel_ = -1;
  gather_parameters(step.stage);
  if (step.type != StepType::bwd_weight) gather_inputs(step, forward);
  for (const ChunkItem& item : items_of(chunks_[static_cast<std::size_t>(step.stage)], step.type)) {
    if (item.is_hook) {
      if (in_window && scenario_.overlap.hooks) issue_hook(item, forward);
    } else if (item.kind == KernelKind::compute) {
      issue_compute(item, step);
    } else {
      issue_collective(item, step);
    }
  }
  note_memory(step);
  if (step.type == StepType::bwd_weight) return;
  TensorState& output = tensors_.at(forward, step.stage, step.micro);
  output.pending = pending_.empty() ? -1 : pending_.back().event;
  output.producer = producer_;
  output.last_kernel = last_kernel_;
}

void RankLowering::note_launched(std::int32_t kernel, KernelKind kind) {
  if (first_kernel_ < 0) first_kernel_ = kernel;
  last_kernel_ = kernel;
  if (kind != KernelKind::compute) return;
  const bool backward = launcher_ == Launcher::backward_thread;
  newest_compute_[backward ? 1 : 0] = kernel;
  if (launcher_ == Launcher::alone) newest_compute_[1] = -1;
}

// Activations live from the first kernel of the forward to the last of the backward, a part of them
// to that of BWD_INPUT. A received tensor has been in a buffer of its own until its consumer began.
void RankLowering::note_memory(const Step& step) {
  const Bytes whole = activation_bytes(scenario_, step.stage);
  const Bytes input = input_share_bytes(scenario_, step.stage);
  if (step.type == StepType::fwd) {
    memory_.take(MemoryClass::activations, MemoryMoment::start, first_kernel_, whole);
  } else {
    const Bytes freed = step.type == StepType::bwd         ? whole
                        : step.type == StepType::bwd_input ? input
                                                           : whole - input;
    memory_.give_after(MemoryClass::activations, {last_kernel_, -1, -1}, freed);
  }
  const bool forward = step.type == StepType::fwd;
  if (!forward) note_full_gradients(step.stage);
  if (step.type == StepType::bwd_weight) return;
  TensorState& input_tensor = tensors_.at(forward, step.stage, step.micro);
  memory_.give_at_start(MemoryClass::p2p_buffers, first_kernel_, input_tensor.received_bytes);
  input_tensor.received_bytes = 0;
}

// What the first kernel of the chunk has to wait for: the receive posted for it, or what the
// neighbouring stage on this rank left on a communication stream. A backward also waits for the
// end of its own forward, which on the last stage nobody else consumes.
void RankLowering::gather_inputs(const Step& step, bool forward) {
  const auto loaded = loaded_.find({step.stage, step.micro});
  if (forward && loaded != loaded_.end()) pending_.push_back({loaded->second, false});
  add_received(tensors_.at(forward, step.stage, step.micro).received);
  const std::int32_t neighbour = forward ? schedule_.stages.stage_before(step.stage)
                                         : schedule_.stages.stage_after(step.stage);
  if (tensors_.holds(neighbour)) {
    TensorState& input = tensors_.at(forward, neighbour, step.micro);
    add_result(input.pending);
    producer_ = input.producer;
  }
  if (!forward) add_result(tensors_.at(true, step.stage, step.micro).pending);
}

void RankLowering::add_received(std::int32_t& event) {
  if (event >= 0) pending_.push_back({event, !scenario_.pipeline.overlap_p2p});
  event = -1;
}

void RankLowering::add_result(std::int32_t& event) {
  if (event >= 0) pending_.push_back({event, scenario_.comm.wait == CommWait::at_launch});
  event = -1;
}

void RankLowering::compute_waits(std::int32_t event) {
  writer_.wait(kComputeStream, event);
  outstanding_.compute_waits(event);
}

void RankLowering::compute_waits_for_pending() {
  for (const Pending& pending : pending_) {
    if (!pending.compute_waits) compute_waits(pending.event);
  }
}

void RankLowering::issue_hook(const ChunkItem& item, bool forward) {
  if (item.last_hook) {
    if (forward) writer_.notify(Role::comm, Hook::d_last, -1);
    return;
  }
  const HookRoles roles = hook_roles(item.hook, forward);
  writer_.notify(roles.previous, item.hook, item.layer);
  writer_.rendezvous(roles.next, item.hook, item.layer);
}

void RankLowering::issue_compute(const ChunkItem& item, const Step& step) {
  compute_waits_for_pending();
  pending_.clear();
  Kernel kernel = kernel_of(step);
  kernel.part = item.part;
  kernel.layer = item.layer;
  kernel.launches = item.launches;
  kernel.duration_ns = with_noise(kernel, item.duration_ns);
  producer_ = writer_.launch(kernel);
  note_launched(producer_, kernel.kind);
}

TimeNs RankLowering::with_noise(const Kernel& kernel, TimeNs duration) const {
  const double factor = noise_.factor(kernel, place_.rank(), place_.pipeline_rank, place_.peer);
  if (factor == 1) return duration;
  return static_cast<TimeNs>(std::llround(static_cast<double>(duration) * factor));
}

void RankLowering::issue_collective(const ChunkItem& item, const Step& step) {
  if (!expert_route_) expert_route_ = plan_.expert_route(place_.rank());
  const Route route = *expert_route_;
  order_after_compute(route.stream);
  Kernel kernel = kernel_of(step);
  kernel.stream = route.stream;
  kernel.communicator = route.communicator;
  kernel.kind = item.kind;
  kernel.part = item.part;
  kernel.layer = item.layer;
  kernel.launches = item.launches;
  kernel.duration_ns = with_noise(kernel, item.duration_ns);
  kernel.bytes = item.bytes;
  note_launched(writer_.launch(kernel), kernel.kind);
  const std::int32_t result = writer_.record(route.stream);
  outstanding_.launched(route.stream, launcher_, result);
  if (item.host_waits) return writer_.host_wait(result);
  const bool at_launch = scenario_.comm.wait == CommWait::at_launch;
  if (at_launch) compute_waits(result);
  pending_.push_back({result, at_launch});
}

// The communication kernel to be launched on `stream` consumes what this chunk has computed. With
// order = "stream" it waits for everything on the compute stream, whoever put it there; with
// "data" for the producer only.
void RankLowering::order_after_compute(std::int32_t stream) {
  if (scenario_.comm.order == CommOrder::stream) {
    compute_waits_for_pending();
    writer_.wait(stream, writer_.record(kComputeStream));
  } else {
    for (const Pending& pending : pending_) writer_.wait(stream, pending.event);
    if (pending_.empty() && producer_ >= 0) {
      writer_.wait(stream, writer_.record(kComputeStream, producer_));
    }
  }
  pending_.clear();
}

void RankLowering::lower_overlap(const Step& step) {
  const Step& first = step.sub_steps()[0];
  const Step& second = step.sub_steps()[1];
  if (scenario_.overlap.execution == OverlapExecution::sequential) {
    for (const Step& part : {first, second}) {
      lower_compute(part, false);
      if (part.type == StepType::fwd) lower_boundary(step);
    }
    return;
  }
  const bool backward_first = step.type == StepType::overlap_b_f;
  const Step& backward = backward_first ? first : second;
  const Step& forward = backward_first ? second : first;
  const std::int32_t thread = writer_.new_backward_thread();
  writer_.fork(thread);
  writer_.on_thread(thread);
  launcher_ = Launcher::backward_thread;
  lower_compute(backward, true);
  // Without `depart` the forward's end still disables the coordinator; the backward's does not.
  if (scenario_.overlap.hooks && scenario_.overlap.depart) writer_.depart();
  writer_.on_thread(0);
  launcher_ = Launcher::forward_thread;
  lower_compute(forward, true);
  lower_boundary(step);
  if (scenario_.overlap.hooks) writer_.depart();
  writer_.join(thread);
  launcher_ = Launcher::alone;
  // Either thread may have been the first to compute on the stage: each has waited.
  for (const Step& part : {first, second}) gathered_waited(part.stage);
}

void RankLowering::check_stage(const Step& step) const {
  if (step.stage >= 0 && step.stage < schedule_.stages.stages() && tensors_.holds(step.stage)) {
    return;
  }
  throw Error(fmt::format("rank {} has {}, but does not hold that stage", place_.pipeline_rank,
                          step_label(step)),
              "steps of the rank's own stages only");
}

void RankLowering::check_step(const Step& step) const {
  const bool outside = step.stage < 0 || step.stage >= schedule_.stages.stages() ||
                       step.micro < 0 || step.micro >= schedule_.micro_batches;
  if (outside || !tensors_.holds(step.stage)) {
    throw Error(fmt::format("rank {} has {}, but does not hold that stage or micro-batch",
                            place_.pipeline_rank, step_label(step)),
                "steps of the rank's own stages only");
  }
  if (!is_p2p(step.type) && step.type != StepType::data_send && step.type != StepType::data_recv) {
    return;
  }
  const std::int32_t other = other_stage(step);
  const StageMap& stages = schedule_.stages;
  if (other < 0 || other >= stages.stages()) {
    throw Error(fmt::format("rank {} has {}, but there is no stage {}", place_.pipeline_rank,
                            step_label(step), other),
                "a transfer between two stages");
  }
  if (other != stages.stage_before(step.stage) && other != stages.stage_after(step.stage)) {
    throw Error(fmt::format("rank {} has {}, but stage {} is of another copy of the model",
                            place_.pipeline_rank, step_label(step), other),
                "a transfer between two stages of one copy");
  }
  if (tensors_.holds(other)) {
    throw Error(fmt::format("rank {} has {}, but holds stage {} itself", place_.pipeline_rank,
                            step_label(step), other),
                "a transfer between two ranks");
  }
}

}  // namespace steptwin
