#include "model/step.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace steptwin {
namespace {

constexpr std::array<std::string_view, kStepTypeCount> kNames = {
    "DATA_LOAD",
    "DATA_SEND",
    "DATA_RECV",
    "FWD",
    "BWD",
    "BWD_INPUT",
    "BWD_WEIGHT",
    "FWD_RECV",
    "FWD_SEND",
    "BWD_RECV",
    "BWD_SEND",
    "BATCH_SEND_RECV",
    "OVERLAP_F_B",
    "OVERLAP_B_F",
    "FSDP_UNSHARD",
    "FSDP_RESHARD",
    "FSDP_REDUCE_GRAD",
    "SWAP_LAUNCH_OFFLOAD",
    "SWAP_WAIT_OFFLOAD",
    "SWAP_LAUNCH_LOAD",
    "SWAP_WAIT_LOAD",
};

const std::vector<Step>& no_steps() {
  static const std::vector<Step> kNone;
  return kNone;
}

std::string misshape_of_overlap(const Step& step) {
  if (step.sub_steps().size() != 2) return "an overlap has two sub-steps";
  const Step& first = step.sub_steps()[0];
  const Step& second = step.sub_steps()[1];
  if (step.type == StepType::overlap_b_f) {
    if (!gives_gradient(first.type) || second.type != StepType::fwd) {
      return "OVERLAP_B_F has a BWD or BWD_INPUT, then a FWD";
    }
  } else if (first.type != StepType::fwd || !gives_gradient(second.type)) {
    return "OVERLAP_F_B has a FWD, then a BWD or BWD_INPUT";
  }
  for (const Step& sub_step : step.sub_steps()) {
    if (std::string wrong = misshape_of(sub_step); !wrong.empty()) return wrong;
  }
  if (step.boundary_p2p().empty()) return "";
  if (step.type != StepType::overlap_b_f) return "only OVERLAP_B_F has boundary steps";
  for (const Step& boundary : step.boundary_p2p()) {
    if (!is_p2p(boundary.type)) return "boundary steps are P2P steps";
    if (std::string wrong = misshape_of(boundary); !wrong.empty()) return wrong;
  }
  return "";
}

std::string misshape_of_batch(const Step& step) {
  if (!step.boundary_p2p().empty()) return "only OVERLAP_B_F has boundary steps";
  if (step.sub_steps().empty()) return "a batch has at least one sub-step";
  for (const Step& sub_step : step.sub_steps()) {
    if (!is_p2p(sub_step.type)) return "a batch holds FWD_SEND, FWD_RECV, BWD_SEND, BWD_RECV only";
    if (std::string wrong = misshape_of(sub_step); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string_view name_of(StepType type) {
  return kNames[static_cast<std::size_t>(type)];
}

std::optional<StepType> step_type_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<StepType>(found - kNames.begin());
}

StepShape shape_of(StepType type) {
  if (type == StepType::batch_send_recv) return StepShape::batch;
  if (is_overlap(type)) return StepShape::overlap;
  const bool fsdp = type == StepType::fsdp_unshard || type == StepType::fsdp_reshard ||
                    type == StepType::fsdp_reduce_grad;
  return fsdp ? StepShape::stage_only : StepShape::stage_micro;
}

bool is_p2p(StepType type) {
  return type >= StepType::fwd_recv && type <= StepType::bwd_send;
}
bool is_send(StepType type) {
  return type == StepType::fwd_send || type == StepType::bwd_send;
}
bool is_recv(StepType type) {
  return type == StepType::fwd_recv || type == StepType::bwd_recv;
}
bool is_compute(StepType type) {
  return type >= StepType::fwd && type <= StepType::bwd_weight;
}
bool gives_gradient(StepType type) {
  return type == StepType::bwd || type == StepType::bwd_input;
}
bool is_overlap(StepType type) {
  return type == StepType::overlap_f_b || type == StepType::overlap_b_f;
}
bool is_fsdp(StepType type) {
  return type >= StepType::fsdp_unshard && type <= StepType::fsdp_reduce_grad;
}
bool is_swap(StepType type) {
  return type >= StepType::swap_launch_offload && type <= StepType::swap_wait_load;
}
bool is_data(StepType type) {
  return type <= StepType::data_recv;
}

const std::vector<Step>& Step::sub_steps() const {
  return parts ? parts->sub_steps : no_steps();
}

const std::vector<Step>& Step::boundary_p2p() const {
  return parts ? parts->boundary_p2p : no_steps();
}

std::string step_label(StepType type, std::int32_t stage, std::int32_t micro) {
  if (stage == Step::kNone) return std::string(name_of(type));
  if (micro == Step::kNone) return fmt::format("{}(s{})", name_of(type), stage);
  return fmt::format("{}(s{},m{})", name_of(type), stage, micro);
}

std::string step_label(const Step& step) {
  return step_label(step.type, step.stage, step.micro);
}

bool operator==(const Step& left, const Step& right) {
  return left.type == right.type && left.stage == right.stage && left.micro == right.micro &&
         left.sub_steps() == right.sub_steps();
}

std::size_t hash_of(const Step& step) {
  auto hash = static_cast<std::size_t>(step.type);
  const auto mix = [&hash](std::size_t value) {
    hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
  };
  mix(std::hash<std::int32_t>{}(step.stage));
  mix(std::hash<std::int32_t>{}(step.micro));
  for (const Step& sub_step : step.sub_steps()) mix(hash_of(sub_step));
  return hash;
}

std::int32_t other_stage(const Step& transfer) {
  const StepType type = transfer.type;
  assert(is_p2p(type) || type == StepType::data_send || type == StepType::data_recv);
  const bool upwards =
      type == StepType::fwd_send || type == StepType::bwd_recv || type == StepType::data_send;
  return upwards ? transfer.stage + 1 : transfer.stage - 1;
}

Step make_step(StepType type, std::int32_t stage, std::int32_t micro) {
  Step step{type, stage, micro, nullptr};
  assert(misshape_of(step).empty());
  return step;
}

Step make_stage_step(StepType type, std::int32_t stage) {
  return make_step(type, stage, Step::kNone);
}

Step make_batch(std::vector<Step> p2p_steps) {
  Step step{StepType::batch_send_recv, Step::kNone, Step::kNone,
            std::make_shared<const StepParts>(StepParts{std::move(p2p_steps), {}})};
  assert(misshape_of(step).empty());
  return step;
}

Step make_overlap(StepType type, Step first, Step second, std::vector<Step> boundary_p2p) {
  Step step{type, Step::kNone, Step::kNone,
            std::make_shared<const StepParts>(
                StepParts{{std::move(first), std::move(second)}, std::move(boundary_p2p)})};
  assert(misshape_of(step).empty());
  return step;
}

std::string misshape_of(const Step& step) {
  const StepShape shape = shape_of(step.type);
  if (shape == StepShape::batch || shape == StepShape::overlap) {
    if (step.stage != Step::kNone || step.micro != Step::kNone) {
      return "a composite has no stage and no micro-batch of its own";
    }
    return shape == StepShape::batch ? misshape_of_batch(step) : misshape_of_overlap(step);
  }
  if (!step.sub_steps().empty() || !step.boundary_p2p().empty()) {
    return std::string(name_of(step.type)) + " has no sub-steps";
  }
  if (step.stage < 0) return std::string(name_of(step.type)) + " needs a stage";
  const bool needs_micro = shape == StepShape::stage_micro;
  if (needs_micro && step.micro < 0)
    return std::string(name_of(step.type)) + " needs a micro-batch";
  if (!needs_micro && step.micro != Step::kNone) {
    return std::string(name_of(step.type)) + " has no micro-batch";
  }
  return "";
}

}  // namespace steptwin
