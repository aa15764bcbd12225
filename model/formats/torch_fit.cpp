#include "model/formats/torch_fit.h"

#include <fmt/format.h>
#include <utility>

#include "model/formats/counted_notes.h"
#include "model/formats/torch_cell.h"

namespace steptwin {
namespace {

// What a schedule lost, and what it keeps although strict readers refuse it.
struct Counts {
  std::int64_t bubbles = 0;
  std::int64_t transfers = 0;
  std::int64_t fsdp = 0;
  std::int64_t data = 0;
  std::int64_t swap = 0;
  std::int64_t batches = 0;
  std::int64_t boundaries = 0;
  std::int64_t backward_first = 0;
  std::int64_t empty_ranks = 0;
  std::int64_t unknown_micros = 0;
  std::int64_t inputs = 0;   // of split backwards: kept
  std::int64_t weights = 0;  // kept
};

class Fitter {
 public:
  Fitter(const Schedule& schedule, TorchLevel level)
      : with_comms_(level == TorchLevel::compute_comms), micro_batches_(schedule.micro_batches) {}

  StepList fit(const StepList& list) {
    StepList fitted;
    fitted.reserve(list.size());
    for (const Slot& slot : list) add(fitted, slot);
    if (fitted.empty()) ++counts_.empty_ranks;
    return fitted;
  }

  const Counts& counts() const { return counts_; }

 private:
  void add(StepList& fitted, const Slot& slot) {
    if (!slot) {
      if (with_comms_) {
        ++counts_.bubbles;
      } else {
        fitted.emplace_back();
      }
    } else if (is_overlap(slot->type)) {
      add_overlap(fitted, *slot);
    } else if (slot->type == StepType::batch_send_recv) {
      if (with_comms_) ++counts_.batches;
      for (const Step& transfer : slot->sub_steps()) add_leaf(fitted, transfer);
    } else {
      add_leaf(fitted, *slot);
    }
  }

  void add_overlap(StepList& fitted, const Step& overlap) {
    const bool backward_first = overlap.type == StepType::overlap_b_f;
    const std::vector<Step>& halves = overlap.sub_steps();
    if (backward_first) ++counts_.backward_first;
    for (const Step& half : halves) count_kept(half);
    fitted.emplace_back(make_overlap(StepType::overlap_f_b, halves[backward_first ? 1 : 0],
                                     halves[backward_first ? 0 : 1]));
    if (with_comms_ && !overlap.boundary_p2p().empty()) ++counts_.boundaries;
    for (const Step& transfer : overlap.boundary_p2p()) add_leaf(fitted, transfer);
  }

  void add_leaf(StepList& fitted, const Step& leaf) {
    if (is_data(leaf.type)) {
      ++counts_.data;
    } else if (!is_torch_action(leaf.type)) {
      ++counts_.swap;
    } else if (with_comms_ || is_compute(leaf.type)) {
      count_kept(leaf);
      fitted.emplace_back(leaf);
    } else {
      ++(is_p2p(leaf.type) ? counts_.transfers : counts_.fsdp);
    }
  }

  void count_kept(const Step& leaf) {
    if (leaf.micro >= micro_batches_) ++counts_.unknown_micros;
    if (leaf.type == StepType::bwd_input) ++counts_.inputs;
    if (leaf.type == StepType::bwd_weight) ++counts_.weights;
  }

  bool with_comms_;
  std::int32_t micro_batches_;
  Counts counts_;
};

std::vector<std::string> sentences(const Counts& counts) {
  std::vector<std::string> losses;
  const auto lost = [&losses](std::int64_t count, const char* one, const char* many,
                              const char* how) { add_counted_note(losses, count, one, many, how); };
  lost(counts.bubbles, "bubble", "bubbles", "left out");
  lost(counts.transfers, "transfer step", "transfer steps", "left out");
  lost(counts.fsdp, "FSDP step", "FSDP steps", "left out");
  lost(counts.data, "DATA step", "DATA steps", "left out");
  lost(counts.swap, "SWAP step", "SWAP steps", "left out");
  lost(counts.batches, "batch", "batches", "taken apart");
  lost(counts.boundaries, "boundary_p2p", "boundary_p2p", "put behind the overlap");
  lost(counts.backward_first, "OVERLAP_B_F", "OVERLAP_B_F", "written as OVERLAP_F_B");
  lost(counts.empty_ranks, "rank", "ranks", "without steps, a blank line that is read leniently");
  lost(counts.unknown_micros, "step", "steps",
       "of a micro-batch that no forward runs, which is read leniently");
  lost(counts.inputs == 0 ? counts.weights : 0, "BWD_WEIGHT", "BWD_WEIGHT",
       "and no BWD_INPUT, which is read as the old dialect");
  return losses;
}

}  // namespace

TorchFit fit_to_torch(const Schedule& schedule, TorchLevel level) {
  Fitter fitter(schedule, level);
  TorchFit fit{{schedule.name, schedule.stages, schedule.micro_batches, {}}, {}};
  fit.schedule.ranks.reserve(schedule.ranks.size());
  for (const StepList& list : schedule.ranks) fit.schedule.ranks.push_back(fitter.fit(list));
  fit.losses = sentences(fitter.counts());
  if (schedule.stages.copies > 1) {
    fit.losses.push_back(fmt::format(
        "{} copies of the model written as one, whose stages PyTorch takes to follow each other",
        schedule.stages.copies));
  }
  return fit;
}

}  // namespace steptwin
