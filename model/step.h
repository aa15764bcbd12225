#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steptwin {

// The 21 kinds of work a rank's step list can name. Which fields each kind has is in shape_of.
enum class StepType : std::uint8_t {
  data_load,
  data_send,
  data_recv,
  fwd,
  bwd,
  bwd_input,
  bwd_weight,
  fwd_recv,
  fwd_send,
  bwd_recv,
  bwd_send,
  batch_send_recv,
  overlap_f_b,
  overlap_b_f,
  fsdp_unshard,
  fsdp_reshard,
  fsdp_reduce_grad,
  swap_launch_offload,
  swap_wait_offload,
  swap_launch_load,
  swap_wait_load,
};
inline constexpr int kStepTypeCount = 21;

// "FWD", "OVERLAP_B_F", ...: the names of the text forms.
std::string_view name_of(StepType type);
std::optional<StepType> step_type_named(std::string_view name);

// Which fields a kind of step carries.
enum class StepShape : std::uint8_t {
  stage_micro,  // FWD(s0,m3)
  stage_only,   // FSDP_UNSHARD(s0)
  batch,        // BATCH_SEND_RECV[...]: one or more of the four P2P steps
  overlap,      // OVERLAP_x[...|...]: one backward and one forward
};
StepShape shape_of(StepType type);

bool is_p2p(StepType type);          // FWD_RECV, FWD_SEND, BWD_RECV, BWD_SEND
bool is_send(StepType type);         // FWD_SEND, BWD_SEND
bool is_recv(StepType type);         // FWD_RECV, BWD_RECV
bool is_compute(StepType type);      // FWD, BWD, BWD_INPUT, BWD_WEIGHT
bool gives_gradient(StepType type);  // BWD, BWD_INPUT: what the stage before waits for
bool is_overlap(StepType type);      // OVERLAP_F_B, OVERLAP_B_F
bool is_data(StepType type);         // DATA_LOAD, DATA_SEND, DATA_RECV
bool is_fsdp(StepType type);         // FSDP_UNSHARD, FSDP_RESHARD, FSDP_REDUCE_GRAD
bool is_swap(StepType type);         // SWAP_LAUNCH_OFFLOAD to SWAP_WAIT_LOAD

struct Step;

// The inside of a composite. Shared and never changed, so a Step stays cheap to copy.
struct StepParts {
  std::vector<Step> sub_steps;
  std::vector<Step> boundary_p2p;  // OVERLAP_B_F only
};

// One entry of a rank's step list: an immutable value.
//
// Equality compares type, stage, micro and sub_steps, not boundary_p2p: attaching boundary
// transfers to an overlap leaves it the same piece of work. hash_of agrees with it.
struct Step {
  static constexpr std::int32_t kNone = -1;

  StepType type = StepType::fwd;
  std::int32_t stage = kNone;
  std::int32_t micro = kNone;
  std::shared_ptr<const StepParts> parts;  // null unless batch or overlap

  const std::vector<Step>& sub_steps() const;     // empty unless batch or overlap
  const std::vector<Step>& boundary_p2p() const;  // empty unless OVERLAP_B_F
};

// "FWD(s0,m3)", "FSDP_UNSHARD(s0)"; of a composite, which has neither number, its name alone.
std::string step_label(StepType type, std::int32_t stage, std::int32_t micro);
std::string step_label(const Step& step);

bool operator==(const Step& left, const Step& right);
std::size_t hash_of(const Step& step);

// The stage at the other end of a P2P step, DATA_SEND or DATA_RECV, whether there is such a stage
// or not.
std::int32_t other_stage(const Step& transfer);

// Makers. They assert that the fields suit the type.
Step make_step(StepType type, std::int32_t stage, std::int32_t micro);
Step make_stage_step(StepType type, std::int32_t stage);
Step make_batch(std::vector<Step> p2p_steps);
Step make_overlap(StepType type, Step first, Step second, std::vector<Step> boundary_p2p = {});

// Why the fields of `step` do not suit its type, or "" if they do: the rule the makers assert and
// the readers report.
std::string misshape_of(const Step& step);

// A slot of a rank's list: a step, or a bubble. A bubble does nothing at run time, but ends a run
// for the passes that rewrite runs of P2P steps.
using Slot = std::optional<Step>;
using StepList = std::vector<Slot>;

}  // namespace steptwin
