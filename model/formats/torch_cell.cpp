#include "model/formats/torch_cell.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "model/append_format.h"
#include "model/formats/quoted_text.h"
#include "model/formats/words.h"
#include "model/nearest_word.h"

namespace steptwin {
namespace {

using ActionWords = Words<StepType, 11>;

constexpr ActionWords kCurrentWords = {{{"F", StepType::fwd},
                                        {"I", StepType::bwd_input},
                                        {"W", StepType::bwd_weight},
                                        {"B", StepType::bwd},
                                        {"UNSHARD", StepType::fsdp_unshard},
                                        {"RESHARD", StepType::fsdp_reshard},
                                        {"REDUCE_GRAD", StepType::fsdp_reduce_grad},
                                        {"SEND_F", StepType::fwd_send},
                                        {"RECV_F", StepType::fwd_recv},
                                        {"SEND_B", StepType::bwd_send},
                                        {"RECV_B", StepType::bwd_recv}}};

constexpr std::string_view kOverlap = "OVERLAP_F_B";
constexpr const char* kAnAction = "an action, such as 0F0: stage, name, micro-batch";

// BW before B: a lenient reader takes the first word that fits.
constexpr ActionWords kOldWords = [] {
  ActionWords words = kCurrentWords;
  words[1] = {"BW", StepType::bwd};
  words[3] = {"B", StepType::bwd_input};
  return words;
}();

const ActionWords& words_of(TorchDialect dialect) {
  return dialect == TorchDialect::current ? kCurrentWords : kOldWords;
}

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool at_digit(const TextCursor& cursor) {
  const std::string_view word = cursor.peek_word();
  return !word.empty() && is_digit(word.front());
}

// The letters that follow, up to the micro-batch.
std::string_view peek_name(const TextCursor& cursor) {
  const std::string_view word = cursor.peek_word();
  const auto end = std::find_if(word.begin(), word.end(), is_digit);
  return word.substr(0, static_cast<std::size_t>(end - word.begin()));
}

[[noreturn]] void refuse_name(const TextCursor& cursor, std::string_view name,
                              const ActionWords& words, TorchDialect dialect) {
  if (name.empty()) cursor.fail_unexpected("the name of an action behind the stage, as in 0F0");
  if (dialect == TorchDialect::old && name == "I") {
    cursor.fail("I in a file of the old dialect, in which BW is the whole backward",
                "B, the input gradient of that dialect");
  }
  const std::vector<std::string_view> known = texts_of(words);
  std::string expected = "one of";
  for (const std::string_view word : known) {
    expected += (word == known.front() ? " " : ", ") + std::string(word);
  }
  const bool letter = name.size() == 1;  // is near to every other letter
  const std::string_view nearest = letter ? std::string_view() : nearest_word(name, known);
  if (!nearest.empty()) expected = fmt::format("an action, perhaps {}", nearest);
  cursor.fail(fmt::format("there is no action {}", quoted_text(name)), expected);
}

StepType take_name(TextCursor& cursor, const TorchRules& rules) {
  const ActionWords& words = words_of(rules.dialect);
  const std::string_view name = peek_name(cursor);
  for (const Word<StepType>& word : words) {
    const bool fits = rules.lenient ? name.starts_with(word.text) : name == word.text;
    if (!fits) continue;
    cursor.take_text(word.text);
    return word.value;
  }
  refuse_name(cursor, name, words, rules.dialect);
}

std::int32_t take_micro(TextCursor& cursor, StepType type, std::string_view name,
                        const TorchRules& rules, TorchForgiven& forgiven) {
  if (shape_of(type) == StepShape::stage_micro) {
    if (at_digit(cursor)) return cursor.take_number("a micro-batch number");
    cursor.fail(fmt::format("{} without a micro-batch", name),
                fmt::format("a micro-batch number, as in {}0", name));
  }
  if (!at_digit(cursor)) return Step::kNone;
  if (!rules.lenient) {
    cursor.fail(fmt::format("{} has no micro-batch", name), "nothing behind it");
  }
  cursor.take_number("a micro-batch number");
  ++forgiven.surplus_micro;
  return Step::kNone;
}

PlacedStep take_action(TextCursor& cursor, StepListing& listing, const TorchRules& rules,
                       TorchForgiven& forgiven) {
  PlacedLeaf leaf;
  leaf.at = cursor.at();
  if (!at_digit(cursor)) cursor.fail_unexpected(kAnAction);
  leaf.stage = cursor.take_number("a stage number");
  leaf.type = take_name(cursor, rules);
  const std::string_view name = text_for(words_of(rules.dialect), leaf.type);
  leaf.micro = take_micro(cursor, leaf.type, name, rules, forgiven);
  listing.ranks.back().leaves.push_back(leaf);
  return {Step{leaf.type, leaf.stage, leaf.micro, nullptr}, leaf.at};
}

// What stands behind an action up to one of the `stops`.
void take_trailing(TextCursor& cursor, std::string_view stops, const TorchRules& rules,
                   TorchForgiven& forgiven) {
  cursor.take_blanks();
  if (rules.lenient && cursor.take_until(stops)) ++forgiven.trailing;
}

std::vector<PlacedStep> take_halves(TextCursor& cursor, StepListing& listing,
                                    const TorchRules& rules, TorchForgiven& forgiven) {
  std::vector<PlacedStep> halves;
  do {
    cursor.take_blanks();
    if (rules.lenient && (cursor.next_is(';') || cursor.next_is(')'))) {
      ++forgiven.empty_action;
      continue;
    }
    halves.push_back(take_action(cursor, listing, rules, forgiven));
    take_trailing(cursor, ";),", rules, forgiven);
  } while (cursor.take(';'));
  if (!cursor.take(')')) cursor.fail_unexpected("\";\" and an action, or \")\"");
  return halves;
}

// The step whose sub-steps run in the order of the cell.
Step overlap_of(const TextCursor& cursor, std::size_t at, const std::vector<PlacedStep>& halves,
                const TorchRules& rules, TorchForgiven& forgiven) {
  const char* expected = "two actions: F, and then B or I";
  if (halves.size() != 2) {
    cursor.fail_at(
        halves.size() > 2 ? halves[2].at : at,
        fmt::format("{} of {} action{}", kOverlap, halves.size(), halves.size() == 1 ? "" : "s"),
        expected);
  }
  const Step& first = halves[0].step;
  const Step& second = halves[1].step;
  if (rules.lenient && gives_gradient(first.type) && second.type == StepType::fwd) {
    ++forgiven.backward_first;
    return make_overlap(StepType::overlap_b_f, first, second);
  }
  const bool first_fits = first.type == StepType::fwd;
  if (first_fits && gives_gradient(second.type)) {
    return make_overlap(StepType::overlap_f_b, first, second);
  }
  const std::size_t wrong = first_fits ? 1 : 0;
  cursor.fail_at(halves[wrong].at,
                 fmt::format("{} as the {} half of {}",
                             text_for(words_of(rules.dialect), halves[wrong].step.type),
                             wrong == 0 ? "first" : "second", kOverlap),
                 expected);
}

Step take_overlap(TextCursor& cursor, StepListing& listing, const TorchRules& rules,
                  TorchForgiven& forgiven) {
  const std::size_t at = cursor.at();
  cursor.take('(');
  const std::vector<PlacedStep> halves = take_halves(cursor, listing, rules, forgiven);
  if (cursor.peek_word() != kOverlap) {
    cursor.fail_unexpected(fmt::format("{} behind the parenthesis", kOverlap));
  }
  cursor.take_word();
  return overlap_of(cursor, at, halves, rules, forgiven);
}

void append_action(std::string& text, const Step& step) {
  append_format(text, "{}{}", step.stage, text_for(kCurrentWords, step.type));
  if (step.micro != Step::kNone) append_format(text, "{}", step.micro);
}

}  // namespace

TorchDialect torch_dialect(std::string_view text) {
  bool has_input = false;
  bool has_weight = false;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at++])) continue;
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= 'A' && text[at] <= 'Z') ++at;
    const std::string_view name = text.substr(begin, at - begin);
    if (name == "BW") return TorchDialect::old;
    has_input = has_input || name == "I";
    has_weight = has_weight || name == "W";
  }
  return has_weight && !has_input ? TorchDialect::old : TorchDialect::current;
}

Slot take_torch_cell(TextCursor& cursor, StepListing& listing, const TorchRules& rules,
                     TorchForgiven& forgiven) {
  const bool quoted = cursor.take('"');
  cursor.take_blanks();
  Slot slot;
  if (cursor.next_is('(')) {
    slot = take_overlap(cursor, listing, rules, forgiven);
    cursor.take_blanks();
  } else if (!cursor.at_line_end() && !cursor.next_is(',') && !(quoted && cursor.next_is('"'))) {
    slot = take_action(cursor, listing, rules, forgiven).step;
    take_trailing(cursor, quoted ? ",\"" : ",", rules, forgiven);
  }
  if (quoted && !cursor.take('"')) cursor.fail_unexpected("the second \" of the cell");
  return slot;
}

bool is_torch_action(StepType type) {
  return std::any_of(kCurrentWords.begin(), kCurrentWords.end(),
                     [type](const Word<StepType>& word) { return word.value == type; });
}

void append_torch_cell(std::string& text, const Step& step) {
  if (step.type != StepType::overlap_f_b) {
    assert(is_torch_action(step.type));
    return append_action(text, step);
  }
  text += '(';
  append_action(text, step.sub_steps()[0]);
  text += ';';
  append_action(text, step.sub_steps()[1]);
  text += ')';
  text += kOverlap;
}

}  // namespace steptwin
