#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/step.h"

namespace steptwin {

// Short words for tests that write step lists out by hand.
inline Step fwd(std::int32_t stage, std::int32_t micro) {
  return make_step(StepType::fwd, stage, micro);
}
inline Step bwd(std::int32_t stage, std::int32_t micro) {
  return make_step(StepType::bwd, stage, micro);
}
inline Step overlap_b_f(Step backward, Step forward) {
  return make_overlap(StepType::overlap_b_f, std::move(backward), std::move(forward));
}
inline const Slot kBubble = std::nullopt;

inline std::string words_of(const std::vector<Step>& steps, const char* between);

// "FWD(s0,m0)", "OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]"; boundary steps are not shown.
inline std::string words_of(const Step& step) {
  const std::string_view name = name_of(step.type);
  if (!step.sub_steps().empty())
    return fmt::format("{}[{}]", name, words_of(step.sub_steps(), "|"));
  if (shape_of(step.type) == StepShape::stage_only) return fmt::format("{}(s{})", name, step.stage);
  return fmt::format("{}(s{},m{})", name, step.stage, step.micro);
}
inline std::string words_of(const std::vector<Step>& steps, const char* between) {
  std::string text;
  for (const Step& step : steps) {
    if (!text.empty()) text.append(between);
    text.append(words_of(step));
  }
  return text;
}
// Slots with one blank between, "-" for a bubble.
inline std::string words_of(const StepList& list) {
  std::string text;
  for (const Slot& slot : list) {
    if (!text.empty()) text.append(" ");
    text.append(slot ? words_of(*slot) : "-");
  }
  return text;
}

}  // namespace steptwin
