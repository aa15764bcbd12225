#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/formats/recognise.h"
#include "model/formats/schedule_text.h"
#include "tests/model/formats/corrupted_text.h"
#include "tests/model/formats/random_schedule.h"
#include "tests/property_count.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20250117;
constexpr TorchReadOptions kLenient{true};

bool is_torch(ScheduleForm form) {
  return form == ScheduleForm::torch || form == ScheduleForm::torch_comms;
}

// What a form can express of a slot, one thing after the other.
void add_expressible(StepList& list, const Slot& slot, ScheduleForm form) {
  const bool comms = form == ScheduleForm::torch_comms;
  if (!slot) {
    if (!comms) list.push_back(slot);
    return;
  }
  if (slot->type == StepType::overlap_b_f) {
    list.emplace_back(
        make_overlap(StepType::overlap_f_b, slot->sub_steps()[1], slot->sub_steps()[0]));
  } else if (is_compute(slot->type) || slot->type == StepType::overlap_f_b) {
    list.push_back(slot);
  }
  if (!comms) return;
  const bool fsdp = shape_of(slot->type) == StepShape::stage_only;
  if (fsdp || is_p2p(slot->type)) list.push_back(slot);
  if (slot->type == StepType::batch_send_recv) {
    for (const Step& step : slot->sub_steps()) list.emplace_back(step);
  }
  for (const Step& step : slot->boundary_p2p()) list.emplace_back(step);
}

Schedule expressible(const Schedule& schedule, ScheduleForm form) {
  if (!is_torch(form)) return schedule;
  Schedule result = schedule;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    result.ranks[rank].clear();
    for (const Slot& slot : schedule.ranks[rank]) {
      add_expressible(result.ranks[rank], slot, form);
    }
  }
  return result;
}

int count_leaves(const Schedule& schedule, StepType type) {
  int count = 0;
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) {
      if (!slot) continue;
      for_each_leaf(*slot, [&](const Step& leaf) { count += leaf.type == type ? 1 : 0; });
    }
  }
  return count;
}

// Weight gradients without an input gradient are PyTorch's old dialect.
bool looks_old(const Schedule& schedule) {
  return count_leaves(schedule, StepType::bwd_weight) > 0 &&
         count_leaves(schedule, StepType::bwd_input) == 0;
}

bool has_rank_without_steps(const Schedule& schedule) {
  return std::any_of(schedule.ranks.begin(), schedule.ranks.end(),
                     [](const StepList& list) { return list.empty(); });
}

// Writes the schedule in the form and reads it again; checks what comes back, that the losses are
// named exactly where there are any, and that leniency is needed exactly where a rank has no steps.
Schedule there_and_back(const Schedule& schedule, ScheduleForm form) {
  const Schedule expected = expressible(schedule, form);
  const ScheduleText written = schedule_text(schedule, form);
  const bool blank = is_torch(form) && has_rank_without_steps(expected);
  if (blank) REQUIRE_THROWS_AS(read_schedule(written.text, "f"), Error);
  Schedule read =
      read_schedule(written.text, "f", Misplaced::refused, blank ? kLenient : TorchReadOptions{});
  REQUIRE(same(read, expected));
  REQUIRE(written.losses.empty() == (same(expected, schedule) && !blank));
  REQUIRE(schedule_text(read, form).text == written.text);
  return read;
}

TEST_CASE("from every form to every other: what both express comes back equal") {
  CAPTURE(kSeed);
  Random random(kSeed);
  int old = 0;
  const int rounds = property_count(10000);
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Schedule schedule = random_schedule(random);
    if (looks_old(expressible(schedule, ScheduleForm::torch))) {
      ++old;
      REQUIRE_FALSE(schedule_text(schedule, ScheduleForm::torch).losses.empty());
      continue;
    }
    for (const Word<ScheduleForm>& from : kScheduleForms) {
      CAPTURE(from.text);
      const Schedule source = there_and_back(schedule, from.value);
      for (const Word<ScheduleForm>& to : kScheduleForms) {
        CAPTURE(to.text);
        const Schedule target = there_and_back(source, to.value);
        const Schedule back = there_and_back(target, from.value);
        if (same(target, source)) REQUIRE(same(back, source));
      }
    }
  }
  CHECK(old < rounds / 4 + 1);
}

TEST_CASE("PyTorch's own two kinds keep what they are made of, through every other form") {
  CAPTURE(kSeed);
  Random random(kSeed + 1);
  for (int round = 0; round < property_count(2000); ++round) {
    CAPTURE(round);
    const Schedule any = random_schedule(random);
    for (const ScheduleForm kind : {ScheduleForm::torch, ScheduleForm::torch_comms}) {
      const Schedule own = expressible(any, kind);
      if (looks_old(own)) continue;
      const std::string csv = schedule_text(own, kind).text;
      for (const ScheduleForm other : {ScheduleForm::steps, ScheduleForm::metastep}) {
        const std::string text =
            schedule_text(read_schedule(csv, "f", Misplaced::refused, kLenient), other).text;
        REQUIRE(schedule_text(read_schedule(text, "g"), kind).text == csv);
      }
    }
  }
}

TEST_CASE("a corrupted CSV is read or refused at a place inside it") {
  CAPTURE(kSeed);
  Random random(kSeed + 2);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const ScheduleForm kind = round % 2 == 0 ? ScheduleForm::torch : ScheduleForm::torch_comms;
    const TorchReadOptions options{round % 4 < 2};
    const std::string text = corrupted(random, schedule_text(random_schedule(random), kind).text);
    CAPTURE(text);
    try {
      const Schedule schedule = read_torch_csv(text, "some.file", Misplaced::refused, options);
      const ScheduleText again = schedule_text(schedule, kind);
      if (again.losses.empty()) REQUIRE(same(read_torch_csv(again.text, "again"), schedule));
    } catch (const Error& error) {
      ++refused;
      CAPTURE(error.what());
      REQUIRE(error.position().file == "some.file");
      REQUIRE(is_inside(error.position(), text));
      REQUIRE(is_printable(error.what()));
      REQUIRE(error.expected() != "");
    }
  }
  CHECK(refused > 1000);
}

}  // namespace
}  // namespace steptwin
