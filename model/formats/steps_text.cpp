#include "model/formats/steps_text.h"

#include <fmt/format.h>
#include <utility>

#include "model/append_format.h"
#include "model/formats/text_cursor.h"

namespace steptwin {
namespace {

void append_step(std::string& text, const Step& step);

void append_parts(std::string& text, char open, const std::vector<Step>& parts, char close) {
  char before = open;
  for (const Step& part : parts) {
    text += before;
    append_step(text, part);
    before = '|';
  }
  text += close;
}

void append_step(std::string& text, const Step& step) {
  text += step_label(step);
  if (!step.sub_steps().empty()) append_parts(text, '[', step.sub_steps(), ']');
  if (!step.boundary_p2p().empty()) append_parts(text, '{', step.boundary_p2p(), '}');
}

void append_list(std::string& text, const StepList& list) {
  bool first = true;
  for (const Slot& slot : list) {
    if (!first) text += ' ';
    first = false;
    if (slot) {
      append_step(text, *slot);
    } else {
      text += '-';
    }
  }
}

void expect(TextCursor& cursor, char byte, const char* expected) {
  cursor.take_blanks();
  if (!cursor.take(byte)) cursor.fail_unexpected(expected);
}

std::int32_t read_index(TextCursor& cursor, char letter, const char* expected) {
  expect(cursor, letter, expected);
  return cursor.take_number(letter == 's' ? "a stage number" : "a micro-batch number");
}

// From "(" to ")".
PlacedStep read_leaf(TextCursor& cursor, StepListing& listing, StepType type, std::size_t at) {
  PlacedLeaf leaf{type, 0, Step::kNone, at};
  expect(cursor, '(', "\"(\" and a stage, such as (s0,m0)");
  leaf.stage = read_index(cursor, 's', "a stage, such as s0");
  cursor.take_blanks();
  if (shape_of(type) == StepShape::stage_micro) {
    expect(cursor, ',', "\",\" and a micro-batch, such as ,m0");
    leaf.micro = read_index(cursor, 'm', "a micro-batch, such as m0");
  } else if (cursor.next_is(',')) {
    cursor.fail(fmt::format("{} has no micro-batch", name_of(type)), "\")\" after the stage");
  }
  expect(cursor, ')', "\")\"");
  listing.ranks.back().leaves.push_back(leaf);
  return {Step{type, leaf.stage, leaf.micro, nullptr}, at};
}

// A step within brackets.
PlacedStep read_part(TextCursor& cursor, StepListing& listing, StepType whole,
                     const std::string& allowed) {
  cursor.take_blanks();
  const std::size_t at = cursor.at();
  if (cursor.peek_word().empty()) cursor.fail_unexpected(allowed);
  const StepType type = take_step_type(cursor, allowed);
  if (is_composite(type)) {
    cursor.fail_at(at, fmt::format("{} inside {}", name_of(type), name_of(whole)), allowed);
  }
  return read_leaf(cursor, listing, type, at);
}

// Steps with "|" between and `close` at the end.
std::vector<PlacedStep> read_parts(TextCursor& cursor, StepListing& listing, StepType whole,
                                   char close) {
  std::vector<PlacedStep> parts;
  const std::string allowed = allowed_in(whole, close == '}');
  do {
    parts.push_back(read_part(cursor, listing, whole, allowed));
    cursor.take_blanks();
  } while (cursor.take('|'));
  if (!cursor.take(close)) {
    cursor.fail_unexpected(fmt::format("\"|\" and a step, or \"{}\"", close));
  }
  return parts;
}

Step read_step(TextCursor& cursor, StepListing& listing) {
  const std::size_t at = cursor.at();
  if (cursor.next_is('#')) cursor.fail_unexpected("a step or -; a comment has a line of its own");
  if (cursor.peek_word().empty()) {
    cursor.fail_unexpected("a step, such as FWD(s0,m0), or - for a bubble");
  }
  const StepType type = take_step_type(cursor);
  if (!is_composite(type)) return read_leaf(cursor, listing, type, at).step;
  expect(cursor, '[', "\"[\" and the sub-steps");
  const std::vector<PlacedStep> sub_steps = read_parts(cursor, listing, type, ']');
  std::vector<PlacedStep> boundary_p2p;
  if (cursor.take('{')) boundary_p2p = read_parts(cursor, listing, type, '}');
  return composite_step(cursor, type, at, sub_steps, boundary_p2p);
}

void read_slots(TextCursor& cursor, StepListing& listing) {
  cursor.take_blanks();
  bool apart = true;
  while (!cursor.at_line_end()) {
    if (!apart) cursor.fail_unexpected("a blank before the next step");
    const std::size_t at = cursor.at();
    Slot slot;
    if (!cursor.take('-')) slot = read_step(cursor, listing);
    add_slot(cursor, listing, std::move(slot), at);
    apart = cursor.take_blanks();
  }
}

void read_rank_line(TextCursor& cursor, StepListing& listing) {
  const std::size_t at = cursor.at();
  if (!cursor.take_text("rank")) {
    cursor.fail_unexpected("a line such as rank0: FWD(s0,m0), or # and a comment");
  }
  listing.ranks.push_back({cursor.take_number("a rank number"), at, {}, {}, {}});
  expect(cursor, ':', "\":\" and the steps of the rank");
  read_slots(cursor, listing);
}

StepListing read_listing(TextCursor& cursor) {
  StepListing listing;
  do {
    cursor.take_blanks();
    if (cursor.next_is('#')) {
      cursor.take_rest_of_line();
    } else if (!cursor.at_line_end()) {
      read_rank_line(cursor, listing);
    }
  } while (cursor.take_line_end());
  return listing;
}

}  // namespace

std::string step_text(const Step& step) {
  std::string text;
  append_step(text, step);
  return text;
}

std::string steps_text(const StepList& list) {
  std::string text;
  append_list(text, list);
  return text;
}

std::string steps_text(const Schedule& schedule) {
  std::string text;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    append_format(text, "rank{}:", rank);
    if (!schedule.ranks[rank].empty()) text += ' ';
    append_list(text, schedule.ranks[rank]);
    text += '\n';
  }
  return text;
}

std::vector<StepList> read_step_lists(std::string_view text, const std::string& file) {
  TextCursor cursor(text, file);
  StepListing listing = read_listing(cursor);
  return lists_by_rank(cursor, std::move(listing));
}

Schedule read_steps(std::string_view text, const std::string& file, Misplaced misplaced) {
  return read_placed_steps(text, file, misplaced).schedule;
}

PlacedSchedule read_placed_steps(std::string_view text, const std::string& file,
                                 Misplaced misplaced) {
  TextCursor cursor(text, file);
  StepListing listing = read_listing(cursor);
  return inferred_schedule(cursor, std::move(listing), misplaced);
}

}  // namespace steptwin
