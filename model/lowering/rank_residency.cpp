#include <algorithm>
#include <fmt/format.h>

#include "model/costs.h"
#include "model/error.h"
#include "model/lowering/rank_lowering.h"
#include "model/lowering/step_kernel.h"

// What comes to a rank's device and leaves it beside activations and gradients on their way through
// the pipeline: sharded parameters, activations in the host's memory, raw inputs.

namespace steptwin {

void RankLowering::hold_parameters() {
  const StepList& list = schedule_.ranks[static_cast<std::size_t>(place_.pipeline_rank)];
  sharded_ = std::any_of(list.begin(), list.end(),
                         [](const Slot& slot) { return slot && is_fsdp(slot->type); });
  const Bytes peers = sharded_ ? scenario_.parallel.expert : 1;
  const auto share = [peers](Bytes bytes) { return (bytes + peers - 1) / peers; };
  for (const std::int32_t stage : schedule_.stages.stages_of(place_.pipeline_rank)) {
    memory_.hold(MemoryClass::parameters, share(parameter_bytes(scenario_, stage)));
    memory_.hold(MemoryClass::gradients, share(gradient_bytes(scenario_, stage)));
    memory_.hold(MemoryClass::optimizer, share(optimizer_bytes(scenario_, stage)));
  }
}

void RankLowering::lower_fsdp(const Step& step) {
  check_stage(step);
  if (step.type == StepType::fsdp_unshard) return lower_unshard(step);
  if (step.type == StepType::fsdp_reshard) return lower_reshard(step);
  lower_reduce_grad(step);
}

const Route& RankLowering::fsdp_route() {
  if (!fsdp_route_) fsdp_route_ = plan_.fsdp_route(place_.rank());
  return *fsdp_route_;
}

// A collective among the peers that hold a share each. Nothing is computed for it to wait for.
std::int32_t RankLowering::issue_shard_exchange(const Step& step, KernelKind kind, Part part) {
  const Bytes bytes = kind == KernelKind::all_gather ? parameter_bytes(scenario_, step.stage)
                                                     : gradient_bytes(scenario_, step.stage);
  const Route& route = fsdp_route();
  Kernel kernel = kernel_of(step);
  kernel.direction = Direction::none;
  kernel.stream = route.stream;
  kernel.communicator = route.communicator;
  kernel.kind = kind;
  kernel.part = part;
  kernel.bytes = bytes;
  kernel.duration_ns = shard_exchange_time(scenario_, bytes);
  return writer_.launch(kernel);
}

// What is gathered takes the room of what was freed before it: else a host that is ahead would have
// everything gathered at once.
void RankLowering::lower_unshard(const Step& step) {
  const std::int32_t stream = fsdp_route().stream;
  if (resharded_ >= 0) writer_.wait(stream, resharded_);
  resharded_ = -1;
  const std::int32_t kernel = issue_shard_exchange(step, KernelKind::all_gather, Part::unshard);
  const std::int32_t event = writer_.record(stream);
  outstanding_.launched(stream, launcher_, event);
  const bool at_launch = scenario_.comm.wait == CommWait::at_launch;
  if (at_launch) compute_waits(event);
  memory_.take(MemoryClass::gathered, MemoryMoment::ready, kernel,
               parameter_bytes(scenario_, step.stage));
  gathered_[step.stage] = {at_launch ? -1 : event, kernel};
}

// The bytes are free when what was computed so far has ended, in the order of the compute stream.
void RankLowering::lower_reshard(const Step& step) {
  const auto gathered = gathered_.find(step.stage);
  if (gathered == gathered_.end()) return;  // it was never gathered: nothing to free
  memory_.give_after(MemoryClass::gathered,
                     {gathered->second.kernel, newest_compute_[0], newest_compute_[1]},
                     parameter_bytes(scenario_, step.stage));
  gathered_.erase(gathered);
  resharded_ = writer_.record(kComputeStream);
}

void RankLowering::lower_reduce_grad(const Step& step) {
  const std::int32_t stream = fsdp_route().stream;
  pending_.clear();
  const auto gradient = newest_gradient_.find(step.stage);
  producer_ = gradient == newest_gradient_.end() ? -1 : gradient->second;
  order_after_compute(stream);
  const std::int32_t kernel =
      issue_shard_exchange(step, KernelKind::reduce_scatter, Part::reduce_grad);
  outstanding_.launched(stream, launcher_, writer_.record(stream));
  if (!has_full_gradients_[step.stage]) return;
  memory_.give_after(MemoryClass::gradients, {kernel, -1, -1},
                     gradient_bytes(scenario_, step.stage));
  has_full_gradients_[step.stage] = false;
}

// Every thread that computes on the stage first waits for its parameters.
void RankLowering::gather_parameters(std::int32_t stage) {
  const auto gathered = gathered_.find(stage);
  if (gathered == gathered_.end() || gathered->second.event < 0) return;
  pending_.push_back({gathered->second.event, false});
  if (launcher_ == Launcher::alone) gathered->second.event = -1;
}

void RankLowering::gathered_waited(std::int32_t stage) {
  const auto gathered = gathered_.find(stage);
  if (gathered != gathered_.end()) gathered->second.event = -1;
}

// Sharded parameters have gradients in full from the stage's first backward until they are reduced.
void RankLowering::note_full_gradients(std::int32_t stage) {
  newest_gradient_[stage] = newest_compute_[launcher_ == Launcher::backward_thread ? 1 : 0];
  if (!sharded_ || has_full_gradients_[stage]) return;
  has_full_gradients_[stage] = true;
  memory_.take(MemoryClass::gradients, MemoryMoment::start, first_kernel_,
               gradient_bytes(scenario_, stage));
}

// Launches a copy; the caller has made its stream wait for what it copies.
std::int32_t RankLowering::issue_copy(const Step& step, Part part, Bytes bytes) {
  Kernel kernel = kernel_of(step);
  kernel.direction = Direction::none;
  kernel.stream = plan_.copy_stream(place_.rank());
  kernel.kind = KernelKind::copy;
  kernel.part = part;
  kernel.bytes = bytes;
  kernel.duration_ns = copy_time(scenario_, bytes);
  return writer_.launch(kernel);
}

void RankLowering::lower_swap(const Step& step) {
  check_step(step);
  const Bytes bytes = activation_bytes(scenario_, step.stage);
  const StageMicro key = {step.stage, step.micro};
  const bool offload =
      step.type == StepType::swap_launch_offload || step.type == StepType::swap_wait_offload;
  std::map<StageMicro, Fetched>& copies = copies_[offload ? 0 : 1];
  if (step.type == StepType::swap_launch_offload || step.type == StepType::swap_launch_load) {
    const std::int32_t stream = plan_.copy_stream(place_.rank());
    writer_.wait(stream, writer_.record(kComputeStream));
    const std::int32_t kernel = issue_copy(step, offload ? Part::offload : Part::load, bytes);
    const std::int32_t event = writer_.record(stream);
    outstanding_.launched(stream, launcher_, event);
    copies[key] = {event, kernel};
    if (!offload) memory_.take(MemoryClass::activations, MemoryMoment::ready, kernel, bytes);
    return;
  }
  const auto copy = copies.find(key);
  if (copy == copies.end()) {
    throw Error(fmt::format("rank {} has {}, but no copy is under way", place_.pipeline_rank,
                            step_label(step)),
                offload ? "SWAP_LAUNCH_OFFLOAD before it" : "SWAP_LAUNCH_LOAD before it");
  }
  compute_waits(copy->second.event);
  if (offload) {
    memory_.give_after(MemoryClass::activations,
                       {copy->second.kernel, newest_compute_[0], newest_compute_[1]}, bytes);
  }
  copies.erase(copy);
}

void RankLowering::lower_data(const Step& step) {
  check_step(step);
  if (step.type == StepType::data_load) return lower_data_load(step);
  lower_data_transfer(step);
}

// Only the first stage of a model loads.
void RankLowering::lower_data_load(const Step& step) {
  if (schedule_.stages.stage_before(step.stage) != StageMap::kNoStage) return;
  writer_.host_work(nanoseconds_from_us(scenario_.data.load_us));
  issue_copy(step, Part::data, scenario_.data.bytes);
  const std::int32_t stream = plan_.copy_stream(place_.rank());
  const std::int32_t event = writer_.record(stream);
  outstanding_.launched(stream, launcher_, event);
  loaded_[{step.stage, step.micro}] = event;
}

// The host waits for the transfer, at both ends.
void RankLowering::lower_data_transfer(const Step& step) {
  const bool sends = step.type == StepType::data_send;
  if (!data_route_) data_route_ = plan_.data_route(place_.rank());
  const Route route = *data_route_;
  const std::int32_t peer = schedule_.stages.rank_of(other_stage(step));
  const auto loaded = loaded_.find({step.stage, step.micro});
  if (sends && loaded != loaded_.end()) writer_.wait(route.stream, loaded->second);
  Kernel kernel = kernel_of(step);
  kernel.direction = Direction::forward;
  kernel.stream = route.stream;
  kernel.communicator = route.communicator;
  kernel.part = Part::data;
  const Bytes bytes = scenario_.data.bytes;
  writer_.launch_p2p(kernel, {{sends, step.type, place_.rank_of(peer), step.stage, step.micro,
                               bytes, p2p_time(scenario_, place_.pipeline_rank, peer, bytes)}});
  const std::int32_t event = writer_.record(route.stream);
  outstanding_.launched(route.stream, launcher_, event);
  writer_.host_wait(event);
}

}  // namespace steptwin
