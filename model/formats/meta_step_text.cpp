#include "model/formats/meta_step_text.h"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "model/append_format.h"
#include "model/formats/quoted_text.h"
#include "model/formats/text_cursor.h"
#include "model/nearest_word.h"

namespace steptwin {
namespace {

enum Field : std::size_t { kType, kMicroIndex, kStageIndex, kSubSteps, kBoundaryP2p };
constexpr std::array<std::string_view, 5> kFieldNames = {"type", "micro_index", "stage_index",
                                                         "sub_steps", "boundary_p2p"};

std::string index_text(std::int32_t index) {
  return index == Step::kNone ? "None" : fmt::to_string(index);
}

void append_step(std::string& text, const Step& step) {
  append_format(text, "MetaStep(type=MetaStepType.{}, micro_index={}, stage_index={}",
                name_of(step.type), index_text(step.micro), index_text(step.stage));
  const auto append_parts = [&text](std::string_view name, const std::vector<Step>& parts) {
    if (parts.empty()) return;
    append_format(text, ", {}=[", name);
    for (std::size_t index = 0; index < parts.size(); ++index) {
      if (index > 0) text += ", ";
      append_step(text, parts[index]);
    }
    text += ']';
  };
  append_parts(kFieldNames[kSubSteps], step.sub_steps());
  append_parts(kFieldNames[kBoundaryP2p], step.boundary_p2p());
  text += ')';
}

void append_list(std::string& text, const StepList& list) {
  text += '[';
  for (std::size_t index = 0; index < list.size(); ++index) {
    if (index > 0) text += ", ";
    if (list[index]) {
      append_step(text, *list[index]);
    } else {
      text += "None";
    }
  }
  text += ']';
}

void take_space(TextCursor& cursor) {
  for (;;) {
    if (cursor.next_is('#')) cursor.take_rest_of_line();
    if (!cursor.take_blanks() && !cursor.take_line_end()) return;
  }
}

bool take_mark(TextCursor& cursor, char mark) {
  take_space(cursor);
  return cursor.take(mark);
}

void expect_mark(TextCursor& cursor, char mark, const char* expected) {
  if (!take_mark(cursor, mark)) cursor.fail_unexpected(expected);
}

// Takes `word` if it is the whole next word.
bool take_whole(TextCursor& cursor, std::string_view word) {
  take_space(cursor);
  return cursor.peek_word() == word && cursor.take_text(word);
}

// The items between two brackets; `read_item` takes one.
template <typename ReadItem>
void read_bracketed(TextCursor& cursor, const char* expected, ReadItem&& read_item) {
  const bool tuple = take_mark(cursor, '(');
  if (!tuple && !cursor.take('[')) cursor.fail_unexpected(expected);
  const char close = tuple ? ')' : ']';
  while (!take_mark(cursor, close)) {
    read_item();
    if (take_mark(cursor, ',')) continue;
    expect_mark(cursor, close, tuple ? "\",\" or \")\"" : "\",\" or \"]\"");
    return;
  }
}

// The fields of one MetaStep(...) and where they are.
struct MetaStep {
  std::size_t at = 0;
  std::array<bool, kFieldNames.size()> seen = {};
  std::array<std::size_t, kFieldNames.size()> places = {};  // of the field's name
  StepType type = StepType::fwd;
  std::int32_t micro = Step::kNone;
  std::int32_t stage = Step::kNone;
  std::vector<PlacedStep> sub_steps;
  std::vector<PlacedStep> boundary_p2p;
};

StepType read_type(TextCursor& cursor) {
  constexpr const char* kExpected = "a type, such as MetaStepType.FWD";
  if (!take_whole(cursor, "MetaStepType")) cursor.fail_unexpected(kExpected);
  expect_mark(cursor, '.', kExpected);
  take_space(cursor);
  if (cursor.peek_word().empty()) cursor.fail_unexpected(kExpected);
  return take_step_type(cursor);
}

std::int32_t read_index(TextCursor& cursor, std::string_view meaning) {
  if (take_whole(cursor, "None")) return Step::kNone;
  return cursor.take_number(meaning);
}

Field read_field_name(TextCursor& cursor) {
  take_space(cursor);
  const std::size_t at = cursor.at();
  const std::string_view word = cursor.peek_word();
  if (word.empty()) cursor.fail_unexpected("a field, such as type=MetaStepType.FWD");
  for (std::size_t field = 0; field < kFieldNames.size(); ++field) {
    if (word == kFieldNames[field]) {
      cursor.take_word();
      return static_cast<Field>(field);
    }
  }
  const std::string_view nearest = nearest_word(word, {kFieldNames.begin(), kFieldNames.end()});
  cursor.fail_at(at, fmt::format("a step has no field {}", quoted_text(word)),
                 nearest.empty() ? "type, micro_index, stage_index, sub_steps or boundary_p2p"
                                 : fmt::format("a field, perhaps {}", nearest));
}

enum class Nesting { outer, inner };
PlacedStep read_step(TextCursor& cursor, StepListing& listing, Nesting nesting);

// An inner step's own list may be empty only, so steps nest to a depth of two.
std::vector<PlacedStep> read_parts(TextCursor& cursor, StepListing& listing, Nesting nesting) {
  std::vector<PlacedStep> parts;
  if (take_whole(cursor, "None")) return parts;
  read_bracketed(cursor, "a list of steps, or None", [&] {
    if (nesting == Nesting::inner) {
      cursor.fail("a composite inside a composite", "a step without sub-steps");
    }
    parts.push_back(read_step(cursor, listing, Nesting::inner));
  });
  return parts;
}

void read_field(TextCursor& cursor, StepListing& listing, Nesting nesting, MetaStep& step) {
  take_space(cursor);
  const std::size_t at = cursor.at();
  const Field field = read_field_name(cursor);
  if (step.seen[field]) {
    cursor.fail_at(at, fmt::format("the field {} is given twice", kFieldNames[field]),
                   "each field once");
  }
  step.seen[field] = true;
  step.places[field] = at;
  expect_mark(cursor, '=', "\"=\" and a value");
  switch (field) {
    case kType:
      step.type = read_type(cursor);
      break;
    case kMicroIndex:
      step.micro = read_index(cursor, "None or a micro-batch number");
      break;
    case kStageIndex:
      step.stage = read_index(cursor, "None or a stage number");
      break;
    case kSubSteps:
      step.sub_steps = read_parts(cursor, listing, nesting);
      break;
    case kBoundaryP2p:
      step.boundary_p2p = read_parts(cursor, listing, nesting);
      break;
  }
}

// The step of these fields, if they suit its type.
Step step_of(const TextCursor& cursor, StepListing& listing, Nesting nesting,
             const MetaStep& fields) {
  const std::string name(name_of(fields.type));
  const bool composite = is_composite(fields.type);
  const auto refuse = [&](Field field, bool given, const std::string& expected) {
    if (!given) return;
    cursor.fail_at(fields.places[field], fmt::format("{} has no {}", name, kFieldNames[field]),
                   expected);
  };
  const auto require = [&](Field field, bool given) {
    if (given) return;
    cursor.fail_at(fields.at, fmt::format("{} without {}", name, kFieldNames[field]),
                   fmt::format("{} and a number", kFieldNames[field]));
  };
  if (composite && nesting == Nesting::inner) {
    cursor.fail_at(fields.at, name + " inside a composite", "a step without sub-steps");
  }
  if (composite) {
    refuse(kStageIndex, fields.stage != Step::kNone, "None; its sub-steps have theirs");
    refuse(kMicroIndex, fields.micro != Step::kNone, "None; its sub-steps have theirs");
    return composite_step(cursor, fields.type, fields.at, fields.sub_steps, fields.boundary_p2p);
  }
  refuse(kSubSteps, !fields.sub_steps.empty(), "None");
  refuse(kBoundaryP2p, !fields.boundary_p2p.empty(), "None");
  require(kStageIndex, fields.stage != Step::kNone);
  if (shape_of(fields.type) == StepShape::stage_only) {
    refuse(kMicroIndex, fields.micro != Step::kNone, "None");
  } else {
    require(kMicroIndex, fields.micro != Step::kNone);
  }
  listing.ranks.back().leaves.push_back({fields.type, fields.stage, fields.micro, fields.at});
  return Step{fields.type, fields.stage, fields.micro, nullptr};
}

PlacedStep read_step(TextCursor& cursor, StepListing& listing, Nesting nesting) {
  take_space(cursor);
  MetaStep fields;
  fields.at = cursor.at();
  if (!take_whole(cursor, "MetaStep")) {
    cursor.fail_unexpected(nesting == Nesting::outer ? "MetaStep(...), or None for a bubble"
                                                     : "MetaStep(...)");
  }
  take_space(cursor);
  if (!cursor.next_is('(')) cursor.fail_unexpected("\"(\" and the fields of the step");
  read_bracketed(cursor, "", [&] { read_field(cursor, listing, nesting, fields); });
  if (!fields.seen[kType]) {
    cursor.fail_at(fields.at, "a step without a type", "type=MetaStepType.FWD or another");
  }
  return {step_of(cursor, listing, nesting, fields), fields.at};
}

// From ":" to the closing bracket.
void read_rank(TextCursor& cursor, StepListing& listing, std::size_t at) {
  listing.ranks.push_back({cursor.take_number("a rank number"), at, {}, {}, {}});
  expect_mark(cursor, ':', "\":\" and the list of the rank");
  read_bracketed(cursor, "a list of steps, such as [MetaStep(...), None]", [&] {
    take_space(cursor);
    const std::size_t slot_at = cursor.at();
    Slot slot;
    if (!take_whole(cursor, "None")) slot = read_step(cursor, listing, Nesting::outer).step;
    add_slot(cursor, listing, std::move(slot), slot_at);
  });
}

void read_dictionary(TextCursor& cursor, StepListing& listing) {
  while (!take_mark(cursor, '}')) {
    read_rank(cursor, listing, cursor.at());
    if (take_mark(cursor, ',')) continue;
    expect_mark(cursor, '}', "\",\" and the next rank, or \"}\"");
    break;
  }
  take_space(cursor);
  if (!cursor.at_end()) cursor.fail_unexpected("nothing after the dictionary");
}

StepListing read_listing(TextCursor& cursor) {
  StepListing listing;
  if (take_mark(cursor, '{')) {
    read_dictionary(cursor, listing);
    return listing;
  }
  while (take_space(cursor), !cursor.at_end()) {
    const std::size_t at = cursor.at();
    if (!cursor.take_text("rank")) {
      cursor.fail_unexpected("a rank's list, such as rank0: [MetaStep(...), None]");
    }
    read_rank(cursor, listing, at);
  }
  return listing;
}

}  // namespace

std::string meta_step_text(const Step& step) {
  std::string text;
  append_step(text, step);
  return text;
}

std::string meta_step_text(const StepList& list) {
  std::string text;
  append_list(text, list);
  return text;
}

std::string meta_step_text(const Schedule& schedule) {
  std::string text;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    append_format(text, "rank{}: ", rank);
    append_list(text, schedule.ranks[rank]);
    text += '\n';
  }
  return text;
}

std::vector<StepList> read_meta_step_lists(std::string_view text, const std::string& file) {
  TextCursor cursor(text, file);
  StepListing listing = read_listing(cursor);
  return lists_by_rank(cursor, std::move(listing));
}

Schedule read_meta_steps(std::string_view text, const std::string& file, Misplaced misplaced) {
  return read_placed_meta_steps(text, file, misplaced).schedule;
}

PlacedSchedule read_placed_meta_steps(std::string_view text, const std::string& file,
                                      Misplaced misplaced) {
  TextCursor cursor(text, file);
  StepListing listing = read_listing(cursor);
  return inferred_schedule(cursor, std::move(listing), misplaced);
}

}  // namespace steptwin
