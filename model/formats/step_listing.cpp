#include "model/formats/step_listing.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <map>
#include <ranges>
#include <string>
#include <utility>

#include "model/formats/quoted_text.h"
#include "model/nearest_word.h"

namespace steptwin {
namespace {

constexpr const char* kP2pNames = "FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND";

void check_p2p(const TextCursor& cursor, const std::vector<PlacedStep>& steps,
               const std::string& place) {
  for (const PlacedStep& placed : steps) {
    if (is_p2p(placed.step.type)) continue;
    cursor.fail_at(placed.at, fmt::format("{} in {}", name_of(placed.step.type), place), kP2pNames);
  }
}

void check_halves(const TextCursor& cursor, StepType type, std::size_t at,
                  const std::vector<PlacedStep>& halves) {
  const std::string order = allowed_in(type, false);
  for (std::size_t index = 0; index < halves.size() && index < 2; ++index) {
    const StepType half = halves[index].step.type;
    const bool forward_due = (index == 0) == (type == StepType::overlap_f_b);
    if (forward_due ? half == StepType::fwd : gives_gradient(half)) continue;
    cursor.fail_at(halves[index].at,
                   fmt::format("{} as the {} half of {}", name_of(half),
                               index == 0 ? "first" : "second", name_of(type)),
                   order);
  }
  if (halves.size() == 2) return;
  cursor.fail_at(halves.size() > 2 ? halves[2].at : at,
                 fmt::format("{} with {} sub-step{}", name_of(type), halves.size(),
                             halves.size() == 1 ? "" : "s"),
                 order);
}

std::vector<Step> without_places(const std::vector<PlacedStep>& placed) {
  std::vector<Step> steps;
  steps.reserve(placed.size());
  for (const PlacedStep& step : placed) steps.push_back(step.step);
  return steps;
}

// Which rank computes a stage, and where it first says so.
struct Holder {
  std::int32_t rank = 0;
  std::size_t at = 0;
};
using Holders = std::map<std::int32_t, Holder>;

Holders holders_of(const TextCursor& cursor, const StepListing& listing) {
  Holders holders;
  for (const RankListing& rank : listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      if (!is_compute(leaf.type)) continue;
      const auto [found, is_new] = holders.try_emplace(leaf.stage, Holder{rank.rank, leaf.at});
      if (is_new || found->second.rank == rank.rank) continue;
      cursor.fail_at(
          leaf.at,
          fmt::format("stage {} is computed on rank {}, but also on rank {} (line {})", leaf.stage,
                      rank.rank, found->second.rank, cursor.position_of(found->second.at).line),
          "each stage on one rank");
    }
  }
  return holders;
}

void check_no_stage_missing(const TextCursor& cursor, const Holders& holders) {
  std::int32_t due = 0;
  for (const auto& [stage, holder] : holders) {
    if (stage != due) {
      cursor.fail_at(
          holder.at, fmt::format("stage {} is computed, but stage {} is not", stage, due),
          fmt::format("stages 0 to {}, each computed by some rank", holders.rbegin()->first));
    }
    ++due;
  }
}

void check_on_own_rank(const TextCursor& cursor, const StepListing& listing,
                       const Holders& holders) {
  for (const RankListing& rank : listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      const auto holder = holders.find(leaf.stage);
      if (holder != holders.end() && holder->second.rank == rank.rank) continue;
      const std::string text = step_label(leaf.type, leaf.stage, leaf.micro);
      if (holder == holders.end()) {
        cursor.fail_at(leaf.at, fmt::format("{} is of a stage that no rank computes", text),
                       fmt::format("a stage 0 to {}", holders.rbegin()->first));
      }
      cursor.fail_at(
          leaf.at, fmt::format("{} is on rank {}", text, rank.rank),
          fmt::format("it on rank {}, which computes stage {}", holder->second.rank, leaf.stage));
    }
  }
}

// How often a rank names a stage, and where it first does.
struct Claim {
  std::int32_t rank = 0;
  std::size_t computes = 0;
  std::size_t names = 0;
  std::size_t at = 0;
};

// By stage, in the order of the text.
std::map<std::int32_t, std::vector<Claim>> claims_of(const StepListing& listing) {
  std::map<std::int32_t, std::vector<Claim>> claims;
  for (const RankListing& rank : listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      std::vector<Claim>& of_stage = claims[leaf.stage];
      if (of_stage.empty() || of_stage.back().rank != rank.rank) {
        of_stage.push_back({rank.rank, 0, 0, leaf.at});
      }
      ++of_stage.back().names;
      if (is_compute(leaf.type)) ++of_stage.back().computes;
    }
  }
  return claims;
}

// The holders where steps may be on the wrong rank; up to the last stage that any rank computes.
Holders most_likely_holders(const StepListing& listing) {
  Holders holders;
  bool is_computed = false;  // this stage or one above it
  const auto claims = claims_of(listing);
  for (const auto& [stage, of_stage] : std::views::reverse(claims)) {
    const auto best = std::max_element(
        of_stage.begin(), of_stage.end(), [](const Claim& left, const Claim& right) {
          return std::pair(left.computes, left.names) < std::pair(right.computes, right.names);
        });
    is_computed = is_computed || best->computes > 0;
    if (is_computed) holders[stage] = {best->rank, best->at};
  }
  return holders;
}

std::int32_t micro_batches_of(const TextCursor& cursor, const StepListing& listing,
                              Misplaced misplaced) {
  std::int32_t count = 0;
  std::int32_t others = 0;
  for (const RankListing& rank : listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      if (leaf.type == StepType::fwd) count = std::max(count, leaf.micro + 1);
      if (is_compute(leaf.type)) others = std::max(others, leaf.micro + 1);
    }
  }
  if (count == 0 && misplaced == Misplaced::kept) count = others;
  if (count == 0) {
    cursor.fail_at(listing.ranks.front().at, "no rank has a FWD step",
                   "at least one, since the FWD steps say how many micro-batches there are");
  }
  return count;
}

std::int32_t copies_of(const StepListing& listing, std::int32_t stages,
                       std::int32_t micro_batches) {
  const std::size_t ranks = listing.ranks.size();
  if (static_cast<std::size_t>(stages) != 2 * ranks || micro_batches % 2 != 0) return 1;
  for (const RankListing& rank : listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      if (leaf.type != StepType::fwd) continue;
      if ((leaf.stage < stages / 2) != (leaf.micro < micro_batches / 2)) return 1;
    }
  }
  return 2;
}

void check_ranks(const TextCursor& cursor, const StepListing& listing) {
  if (listing.ranks.empty()) {
    cursor.fail("there are no step lists", "one for each rank, such as rank0: FWD(s0,m0)");
  }
  std::map<std::int32_t, std::size_t> places;
  for (const RankListing& rank : listing.ranks) {
    const auto [found, is_new] = places.try_emplace(rank.rank, rank.at);
    if (is_new) continue;
    cursor.fail_at(rank.at,
                   fmt::format("rank {} is listed twice, first on line {}", rank.rank,
                               cursor.position_of(found->second).line),
                   "each rank once");
  }
  std::int32_t due = 0;
  for (const auto& [rank, at] : places) {
    if (rank != due) {
      cursor.fail_at(at, fmt::format("rank {} is listed, but rank {} is missing", rank, due),
                     fmt::format("ranks 0 to {}, each once", places.rbegin()->first));
    }
    ++due;
  }
}

}  // namespace

void add_slot(const TextCursor& cursor, StepListing& listing, Slot slot, std::size_t at) {
  assert(!listing.ranks.empty());
  if (++listing.slots > kMostSlots) {
    cursor.fail_at(at, "the file has too many steps and bubbles",
                   fmt::format("at most {}", kMostSlots));
  }
  listing.ranks.back().slots.push_back(std::move(slot));
  listing.ranks.back().slot_at.push_back(at);
}

std::string allowed_in(StepType composite, bool in_boundary) {
  if (in_boundary || shape_of(composite) == StepShape::batch) return kP2pNames;
  return composite == StepType::overlap_b_f ? "BWD or BWD_INPUT, then FWD"
                                            : "FWD, then BWD or BWD_INPUT";
}

StepType take_step_type(TextCursor& cursor, const std::string& expected) {
  const std::size_t begin = cursor.at();
  const std::string_view word = cursor.take_word();
  if (const auto type = step_type_named(word)) return *type;
  std::vector<std::string_view> names;
  names.reserve(kStepTypeCount);
  for (int index = 0; index < kStepTypeCount; ++index) {
    names.push_back(name_of(static_cast<StepType>(index)));
  }
  const std::string_view nearest = nearest_word(word, names);
  cursor.fail_at(begin, fmt::format("there is no step type {}", quoted_text(word)),
                 nearest.empty() ? expected : fmt::format("a step type, perhaps {}", nearest));
}

bool is_composite(StepType type) {
  return shape_of(type) == StepShape::batch || shape_of(type) == StepShape::overlap;
}

Step composite_step(const TextCursor& cursor, StepType type, std::size_t at,
                    const std::vector<PlacedStep>& sub_steps,
                    const std::vector<PlacedStep>& boundary_p2p) {
  const std::string name(name_of(type));
  if (!boundary_p2p.empty() && type != StepType::overlap_b_f) {
    cursor.fail_at(boundary_p2p.front().at, "boundary steps in " + name,
                   "them in OVERLAP_B_F only");
  }
  if (shape_of(type) == StepShape::batch) {
    if (sub_steps.empty()) cursor.fail_at(at, name + " without sub-steps", kP2pNames);
    check_p2p(cursor, sub_steps, name);
    return make_batch(without_places(sub_steps));
  }
  check_halves(cursor, type, at, sub_steps);
  check_p2p(cursor, boundary_p2p, "the boundary steps of " + name);
  return make_overlap(type, sub_steps[0].step, sub_steps[1].step, without_places(boundary_p2p));
}

std::vector<StepList> lists_by_rank(const TextCursor& cursor, StepListing listing) {
  check_ranks(cursor, listing);
  std::vector<StepList> lists(listing.ranks.size());
  for (RankListing& rank : listing.ranks) {
    lists[static_cast<std::size_t>(rank.rank)] = std::move(rank.slots);
  }
  return lists;
}

PlacedSchedule inferred_schedule(const TextCursor& cursor, StepListing listing,
                                 Misplaced misplaced) {
  check_ranks(cursor, listing);
  const bool strict = misplaced == Misplaced::refused;
  const Holders holders = strict ? holders_of(cursor, listing) : most_likely_holders(listing);
  const std::int32_t micro_batches = micro_batches_of(cursor, listing, misplaced);
  check_no_stage_missing(cursor, holders);
  if (strict) check_on_own_rank(cursor, listing, holders);

  StageMap stages{static_cast<std::int32_t>(listing.ranks.size()), {}};
  for (const auto& [stage, holder] : holders) stages.rank_of_stage.push_back(holder.rank);
  stages.copies = copies_of(listing, stages.stages(), micro_batches);
  PlacedSchedule placed;
  placed.rank_at.resize(listing.ranks.size());
  placed.slot_at.resize(listing.ranks.size());
  for (RankListing& rank : listing.ranks) {
    placed.rank_at[static_cast<std::size_t>(rank.rank)] = rank.at;
    placed.slot_at[static_cast<std::size_t>(rank.rank)] = std::move(rank.slot_at);
  }
  placed.schedule = {cursor.file(), std::move(stages), micro_batches,
                     lists_by_rank(cursor, std::move(listing))};
  return placed;
}

}  // namespace steptwin
