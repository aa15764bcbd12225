#include "model/check.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "model/check_residency.h"

namespace steptwin {
namespace {

// Where a rank does what with one (stage, micro-batch); -1: nowhere.
struct Work {
  std::int64_t forward = -1;
  std::int64_t backward = -1;  // BWD or BWD_INPUT
  std::int64_t weight = -1;    // BWD or BWD_WEIGHT
  bool split = false;
  std::array<std::int64_t, 2> sent = {-1, -1};  // forward, backward
  std::array<std::int64_t, 2> received = {-1, -1};
  std::int64_t data_loaded = -1;
  std::int64_t data_sent = -1;
  std::int64_t data_received = -1;
};

// One end of a transfer, in the order of its rank's list.
struct End {
  std::int64_t position = 0;
  Step step;
};

// The sends from one rank to another, and the receives there.
struct Ends {
  std::vector<End> sends;
  std::vector<End> receives;
};
using EndsByPair = std::map<std::pair<std::int32_t, std::int32_t>, Ends>;  // (sender, receiver)

bool is_forward_transfer(StepType type) {
  return type == StepType::fwd_send || type == StepType::fwd_recv;
}

bool sends(StepType type) {
  return is_send(type) || type == StepType::data_send;
}

// The stage at the other end of a transfer; raw inputs travel beside the activations.
std::int32_t far_stage(const Step& step) {
  if (step.type == StepType::data_send) return step.stage + 1;
  if (step.type == StepType::data_recv) return step.stage - 1;
  return other_stage(step);
}

// A transfer as both ends name it: the stage that sends the tensor, and the direction.
std::pair<std::int32_t, bool> tensor_of(const Step& step) {
  const bool forward = is_data(step.type) || is_forward_transfer(step.type);
  return {sends(step.type) ? step.stage : far_stage(step), forward};
}

class Checker {
 public:
  explicit Checker(const Schedule& schedule)
      : schedule_(schedule),
        work_(static_cast<std::size_t>(schedule.stages.stages()) *
              static_cast<std::size_t>(schedule.micro_batches)) {}

  std::vector<Finding> run() {
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      rank_ = static_cast<std::int32_t>(rank);
      const StepList& list = schedule_.ranks[rank];
      for (position_ = 0; position_ < static_cast<std::int64_t>(list.size()); ++position_) {
        const Slot& slot = list[static_cast<std::size_t>(position_)];
        if (!slot) continue;
        for_each_leaf(*slot, [this](const Step& step) { take(step); });
        for (const Step& step : slot->boundary_p2p()) take(step);
      }
    }
    for (std::int32_t stage = 0; stage < schedule_.stages.stages(); ++stage) {
      check_stage(stage);
      check_data(stage);
    }
    if (has_transfers_) {
      for (Finding& late : late_inputs_) {
        add(late.rank, late.position, std::move(late.step), std::move(late.text));
      }
    }
    check_matching(ends_);
    check_matching(data_ends_);
    for (Finding& finding : residency_findings(schedule_)) {
      add(finding.rank, finding.position, std::move(finding.step), std::move(finding.text));
    }
    std::stable_sort(
        findings_.begin(), findings_.end(), [](const Finding& left, const Finding& right) {
          return std::pair(left.rank, left.position) < std::pair(right.rank, right.position);
        });
    return std::move(findings_);
  }

 private:
  Work& work_of(std::int32_t stage, std::int32_t micro) {
    return work_[static_cast<std::size_t>(stage) *
                     static_cast<std::size_t>(schedule_.micro_batches) +
                 static_cast<std::size_t>(micro)];
  }

  void add(std::int32_t rank, std::int64_t position, std::string step, std::string text) {
    if (findings_.size() == kMostFindings) return;
    findings_.push_back({rank, position, std::move(step), std::move(text)});
  }
  void add_here(const Step& step, std::string text) {
    add(rank_, position_, step_label(step), std::move(text));
  }

  void take(const Step& step) {
    if (step.stage < 0 || step.stage >= schedule_.stages.stages()) {
      return add_here(step,
                      fmt::format("there are stages 0 to {} only", schedule_.stages.stages() - 1));
    }
    if (schedule_.stages.rank_of(step.stage) != rank_) {
      return add_here(step, fmt::format("stage {} is held by rank {}", step.stage,
                                        schedule_.stages.rank_of(step.stage)));
    }
    if (step.micro == Step::kNone) return;
    if (step.micro >= schedule_.micro_batches) {
      return add_here(
          step, fmt::format("there are micro-batches 0 to {} only", schedule_.micro_batches - 1));
    }
    if (!schedule_.runs(step.stage, step.micro)) {
      return add_here(step, "the micro-batch runs through another copy of the model");
    }
    if (is_compute(step.type)) take_compute(step);
    if (is_p2p(step.type)) take_transfer(step);
    if (step.type == StepType::data_load) take_load(step);
    if (step.type == StepType::data_send || step.type == StepType::data_recv) take_data(step);
  }

  void take_once(const Step& step, std::int64_t& place) {
    if (place >= 0) return add_here(step, fmt::format("is done in slot {} already", place));
    place = position_;
  }

  void take_compute(const Step& step) {
    Work& work = work_of(step.stage, step.micro);
    if (step.type == StepType::fwd) {
      take_once(step, work.forward);
      return check_input(step, work, true);
    }
    if (work.forward < 0) {
      add_here(step, fmt::format("runs before FWD(s{},m{})", step.stage, step.micro));
    } else if (work.forward == position_) {
      add_here(step, fmt::format("runs beside FWD(s{},m{})", step.stage, step.micro));
    }
    if (step.type == StepType::bwd_weight) {
      if (work.backward < 0) {
        add_here(step, fmt::format("runs before BWD_INPUT(s{},m{})", step.stage, step.micro));
      }
      return take_once(step, work.weight);
    }
    take_once(step, work.backward);
    work.split = step.type == StepType::bwd_input;
    if (!work.split) work.weight = position_;
    check_input(step, work, false);
  }

  // What a step consumes stands before it: the receive, where there is one, or what the
  // neighbouring stage computes on this rank.
  void check_input(const Step& step, const Work& work, bool forward) {
    const std::int32_t source = forward ? schedule_.stages.stage_before(step.stage)
                                        : schedule_.stages.stage_after(step.stage);
    if (source == StageMap::kNoStage) return;
    if (schedule_.stages.rank_of(source) == rank_) {
      const Work& neighbour = work_of(source, step.micro);
      if ((forward ? neighbour.forward : neighbour.backward) >= 0) return;
      return add_here(step, fmt::format("runs before {}(s{},m{})", forward ? "FWD" : "BWD", source,
                                        step.micro));
    }
    if (work.received[forward ? 0 : 1] >= 0) return;
    if (late_inputs_.size() == kMostFindings) return;
    late_inputs_.push_back(
        {rank_, position_, step_label(step),
         fmt::format("runs before {}(s{},m{}) is posted", forward ? "FWD_RECV" : "BWD_RECV",
                     step.stage, step.micro)});
  }

  // The rank at the other end, or -1 with a finding: a transfer leads to another rank.
  std::int32_t peer_of(const Step& step) {
    const std::int32_t other = far_stage(step);
    if (other < 0 || other >= schedule_.stages.stages()) {
      add_here(step, fmt::format("there is no stage {}", other));
      return -1;
    }
    if (other != schedule_.stages.stage_before(step.stage) &&
        other != schedule_.stages.stage_after(step.stage)) {
      add_here(step, fmt::format("stage {} is of another copy of the model", other));
      return -1;
    }
    const std::int32_t peer = schedule_.stages.rank_of(other);
    if (peer != rank_) return peer;
    add_here(step, fmt::format("stage {} is on the same rank", other));
    return -1;
  }

  void take_end(const Step& step, std::int32_t peer, EndsByPair& ends) {
    if (sends(step.type)) {
      ends[{rank_, peer}].sends.push_back({position_, step});
    } else {
      ends[{peer, rank_}].receives.push_back({position_, step});
    }
  }

  void take_transfer(const Step& step) {
    has_transfers_ = true;
    const std::int32_t peer = peer_of(step);
    if (peer < 0) return;
    Work& work = work_of(step.stage, step.micro);
    const bool forward = is_forward_transfer(step.type);
    if (is_send(step.type)) {
      if ((forward ? work.forward : work.backward) < 0) {
        add_here(step, "sends what is not computed yet");
      }
      take_once(step, work.sent[forward ? 0 : 1]);
    } else {
      take_once(step, work.received[forward ? 0 : 1]);
    }
    take_end(step, peer, ends_);
  }

  void take_load(const Step& step) {
    Work& work = work_of(step.stage, step.micro);
    take_once(step, work.data_loaded);
    stands_before(step, StepType::fwd, work.forward);
  }

  // Raw inputs are there when what goes with them needs them.
  void stands_before(const Step& step, StepType type, std::int64_t place) {
    if (place < 0) return;
    add_here(step, fmt::format("comes behind {} in slot {}",
                               step_label(type, step.stage, step.micro), place));
  }

  void take_data(const Step& step) {
    const std::int32_t peer = peer_of(step);
    if (peer < 0) return;
    Work& work = work_of(step.stage, step.micro);
    if (step.type == StepType::data_send) {
      take_once(step, work.data_sent);
      stands_before(step, StepType::fwd_send, work.sent[0]);
    } else {
      take_once(step, work.data_received);
      stands_before(step, StepType::fwd_recv, work.received[0]);
    }
    take_end(step, peer, data_ends_);
  }

  void check_stage(std::int32_t stage) {
    const std::int32_t rank = schedule_.stages.rank_of(stage);
    for (std::int32_t micro = 0; micro < schedule_.micro_batches; ++micro) {
      if (!schedule_.runs(stage, micro)) continue;
      const Work& work = work_of(stage, micro);
      const auto missing = [&](const char* type) {
        add(rank, -1, "", fmt::format("{}(s{},m{}) is missing", type, stage, micro));
      };
      if (work.forward < 0) missing("FWD");
      if (work.backward < 0) missing("BWD");
      if (work.split && work.weight < 0) missing("BWD_WEIGHT");
      if (!has_transfers_) continue;
      const bool feeds_up = crosses(stage, schedule_.stages.stage_after(stage));
      const bool feeds_down = crosses(stage, schedule_.stages.stage_before(stage));
      if (feeds_up && work.sent[0] < 0) missing("FWD_SEND");
      if (feeds_down && work.received[0] < 0) missing("FWD_RECV");
      if (feeds_down && work.sent[1] < 0) missing("BWD_SEND");
      if (feeds_up && work.received[1] < 0) missing("BWD_RECV");
    }
  }

  bool crosses(std::int32_t stage, std::int32_t other) const {
    return other != StageMap::kNoStage &&
           schedule_.stages.rank_of(stage) != schedule_.stages.rank_of(other);
  }

  // Raw inputs need not travel, but where one end of a hop does, the other one must.
  void check_data(std::int32_t stage) {
    if (!crosses(stage, schedule_.stages.stage_after(stage))) return;
    for (std::int32_t micro = 0; micro < schedule_.micro_batches; ++micro) {
      const std::int64_t sent = work_of(stage, micro).data_sent;
      const std::int64_t received = work_of(stage + 1, micro).data_received;
      if (sent >= 0 && received < 0) lonely(StepType::data_send, stage, micro, sent);
      if (received >= 0 && sent < 0) lonely(StepType::data_recv, stage + 1, micro, received);
    }
  }

  void lonely(StepType type, std::int32_t stage, std::int32_t micro, std::int64_t position) {
    const bool waits_for_receive = type == StepType::data_send;
    const StepType other = waits_for_receive ? StepType::data_recv : StepType::data_send;
    add(schedule_.stages.rank_of(stage), position, step_label(type, stage, micro),
        fmt::format("there is no {}",
                    step_label(other, stage + (waits_for_receive ? 1 : -1), micro)));
  }

  void check_matching(const EndsByPair& all_ends) {
    for (const auto& [pair, ends] : all_ends) {
      const std::size_t both = std::min(ends.sends.size(), ends.receives.size());
      for (std::size_t k = 0; k < both; ++k) {
        const End& send = ends.sends[k];
        const End& receive = ends.receives[k];
        if (tensor_of(send.step) == tensor_of(receive.step) &&
            send.step.micro == receive.step.micro) {
          continue;
        }
        add(pair.second, receive.position, step_label(receive.step),
            fmt::format("is {}receive {} from rank {}, whose send {} is {} in slot {}",
                        is_data(receive.step.type) ? "data " : "", k, pair.first, k,
                        step_label(send.step), send.position));
        break;  // one shift makes all later ones differ
      }
    }
  }

  const Schedule& schedule_;
  std::int32_t rank_ = 0;
  std::int64_t position_ = 0;
  std::vector<Work> work_;
  bool has_transfers_ = false;
  std::vector<Finding> findings_;
  std::vector<Finding> late_inputs_;
  EndsByPair ends_;
  EndsByPair data_ends_;
};

}  // namespace

std::string finding_text(const Finding& finding) {
  std::string place = fmt::format("rank {}", finding.rank);
  if (finding.position >= 0) place += fmt::format(" slot {} {}", finding.position, finding.step);
  return place + ": " + finding.text;
}

std::vector<Finding> check_schedule(const Schedule& schedule) {
  return Checker(schedule).run();
}

}  // namespace steptwin
