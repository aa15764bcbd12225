#include "model/lowering/rank_lowering.h"

#include <fmt/format.h>

#include "model/costs.h"
#include "model/error.h"
#include "model/hooks.h"

namespace steptwin {
namespace {

constexpr std::int32_t kComputeStream = 0;

bool is_forward(StepType type) {
  return type == StepType::fwd || type == StepType::fwd_send || type == StepType::fwd_recv;
}

Direction direction_of(StepType type) {
  if (is_forward(type)) return Direction::forward;
  if (type == StepType::bwd_input) return Direction::backward_input;
  if (type == StepType::bwd_weight) return Direction::backward_weight;
  return Direction::backward;
}

const std::vector<ChunkItem>& items_of(const Chunk& chunk, StepType type) {
  if (type == StepType::fwd) return chunk.forward;
  if (type == StepType::bwd_input) return chunk.backward_input;
  if (type == StepType::bwd_weight) return chunk.backward_weight;
  return chunk.backward;
}

// What every kernel of a step has in common; on the compute stream unless it is moved.
Kernel kernel_of(const Step& step) {
  Kernel kernel;
  kernel.stream = kComputeStream;
  kernel.step = step.type;
  kernel.direction = direction_of(step.type);
  kernel.stage = step.stage;
  kernel.micro = step.micro;
  return kernel;
}

}  // namespace

RankLowering::RankLowering(const Schedule& schedule, const Scenario& scenario,
                           const std::vector<Chunk>& chunks, StreamPlan& plan, Program& program,
                           std::int32_t rank)
    : schedule_(schedule),
      scenario_(scenario),
      chunks_(chunks),
      plan_(plan),
      writer_(program, rank),
      tensors_(schedule, rank) {}

void RankLowering::lower_step(const Step& step) {
  if (is_overlap(step.type)) return lower_overlap(step);
  if (is_compute(step.type)) return lower_compute(step, false);
  if (is_send(step.type)) return lower_send(step);
  if (is_recv(step.type)) return lower_recv(step);
  throw Error(
      scenario_.pipeline.schedule_at,
      fmt::format("rank {}: {} cannot be run in this version", writer_.rank(), name_of(step.type)),
      "FWD, BWD, BWD_INPUT, BWD_WEIGHT, the four P2P steps and overlaps; pipeline.data_steps = "
      "false "
      "makes no others");
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
  producer_ = -1;
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
  if (step.type == StepType::bwd_weight) return;
  TensorState& output = tensors_.at(forward, step.stage, step.micro);
  output.pending = pending_.empty() ? -1 : pending_.back().event;
  output.producer = producer_;
}

// What the first kernel of the chunk has to wait for: the receive posted for it, or what the
// neighbouring stage on this rank left on a communication stream. A backward also waits for the
// end of its own forward, which on the last stage nobody else consumes.
void RankLowering::gather_inputs(const Step& step, bool forward) {
  add_received(tensors_.at(forward, step.stage, step.micro).received);
  const std::int32_t neighbour = forward ? step.stage - 1 : step.stage + 1;
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
    if (forward) writer_.notify(Role::comm, item.hook, item.layer);
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
  kernel.duration_ns = item.duration_ns;
  producer_ = writer_.launch(kernel);
}

void RankLowering::issue_collective(const ChunkItem& item, const Step& step) {
  const Route route = plan_.expert_route(writer_.rank());
  order_after_compute(route.stream);
  Kernel kernel = kernel_of(step);
  kernel.stream = route.stream;
  kernel.communicator = route.communicator;
  kernel.kind = item.kind;
  kernel.part = item.part;
  kernel.layer = item.layer;
  kernel.launches = item.launches;
  kernel.duration_ns = item.duration_ns;
  kernel.bytes = item.bytes;
  writer_.launch(kernel);
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

void RankLowering::lower_send(const Step& step) {
  check_step(step);
  const bool forward = step.type == StepType::fwd_send;
  const std::int32_t peer_stage = other_stage(step);
  const std::int32_t peer = schedule_.stages.rank_of(peer_stage);
  const Route route = plan_.p2p_route(writer_.rank(), writer_.rank(), peer, forward,
                                      forward ? step.stage : peer_stage, step.micro);
  TensorState& output = tensors_.at(forward, step.stage, step.micro);
  pending_.clear();
  add_result(output.pending);
  producer_ = output.producer;
  order_after_compute(route.stream);
  Kernel kernel = kernel_of(step);
  kernel.part = Part::p2p;
  kernel.stream = route.stream;
  kernel.communicator = route.communicator;
  const Bytes bytes = output_bytes(scenario_, forward ? step.stage : peer_stage);
  writer_.launch_p2p(kernel, {true, peer, bytes, p2p_time(scenario_, writer_.rank(), peer, bytes)});
  if (scenario_.pipeline.overlap_p2p) return outstanding_.launched(route.stream, launcher_);
  const std::int32_t event = writer_.record(route.stream);
  outstanding_.launched(route.stream, launcher_, event);
  compute_waits(event);
}

void RankLowering::lower_recv(const Step& step) {
  check_step(step);
  const bool forward = step.type == StepType::fwd_recv;
  const std::int32_t peer_stage = other_stage(step);
  const std::int32_t peer = schedule_.stages.rank_of(peer_stage);
  const Route route = plan_.p2p_route(writer_.rank(), peer, writer_.rank(), forward,
                                      forward ? peer_stage : step.stage, step.micro);
  Kernel kernel = kernel_of(step);
  kernel.part = Part::p2p;
  kernel.stream = route.stream;
  kernel.communicator = route.communicator;
  const Bytes bytes = output_bytes(scenario_, forward ? peer_stage : step.stage);
  writer_.launch_p2p(kernel,
                     {false, peer, bytes, p2p_time(scenario_, peer, writer_.rank(), bytes)});
  const std::int32_t event = writer_.record(route.stream);
  outstanding_.launched(route.stream, launcher_, event);
  if (!scenario_.pipeline.overlap_p2p) compute_waits(event);
  tensors_.at(forward, step.stage, step.micro).received = event;
}

void RankLowering::lower_overlap(const Step& step) {
  const Step& first = step.sub_steps()[0];
  const Step& second = step.sub_steps()[1];
  if (!step.boundary_p2p().empty()) {
    throw Error(fmt::format("rank {}: boundary transfers of {} cannot be run in this version",
                            writer_.rank(), name_of(step.type)),
                "an overlap without boundary transfers");
  }
  if (scenario_.overlap.execution == OverlapExecution::sequential) {
    lower_compute(first, false);
    lower_compute(second, false);
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
  if (scenario_.overlap.hooks) writer_.depart();
  writer_.join(thread);
  launcher_ = Launcher::alone;
}

void RankLowering::check_step(const Step& step) const {
  const bool outside = step.stage < 0 || step.stage >= schedule_.stages.stages() ||
                       step.micro < 0 || step.micro >= schedule_.micro_batches;
  if (outside || !tensors_.holds(step.stage)) {
    throw Error(fmt::format("rank {} has {}, but does not hold that stage or micro-batch",
                            writer_.rank(), step_label(step)),
                "steps of the rank's own stages only");
  }
  if (!is_p2p(step.type)) return;
  const std::int32_t other = other_stage(step);
  if (other < 0 || other >= schedule_.stages.stages()) {
    throw Error(fmt::format("rank {} has {}, but there is no stage {}", writer_.rank(),
                            step_label(step), other),
                "a transfer between two stages");
  }
  if (tensors_.holds(other)) {
    throw Error(fmt::format("rank {} has {}, but holds stage {} itself", writer_.rank(),
                            step_label(step), other),
                "a transfer between two ranks");
  }
}

}  // namespace steptwin
