#include "model/formats/torch_csv.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "model/formats/counted_notes.h"
#include "model/formats/step_listing.h"
#include "model/formats/text_cursor.h"
#include "model/formats/torch_cell.h"

namespace steptwin {
namespace {

constexpr const char* kLineEnd = "\r\n";

struct Reading {
  StepListing listing;
  TorchForgiven forgiven;
  std::optional<std::size_t> empty_cell;  // the first
};

// A line, without its end.
void read_row(TextCursor& cursor, Reading& reading, const TorchRules& rules) {
  if (cursor.at_line_end()) {
    if (!rules.lenient) {
      cursor.fail("a blank line", "the cells of a rank on every line");
    }
    ++reading.forgiven.blank_lines;
    return;
  }
  do {
    const std::size_t at = cursor.at();
    Slot slot = take_torch_cell(cursor, reading.listing, rules, reading.forgiven);
    if (!slot && !reading.empty_cell) reading.empty_cell = at;
    add_slot(cursor, reading.listing, std::move(slot), at);
  } while (cursor.take(','));
  if (!cursor.at_line_end())
    cursor.fail_unexpected("\",\" and the next cell, or the end of the row");
}

// PyTorch's runtime takes no empty cell beside transfers.
void check_no_empty_cell(const TextCursor& cursor, const Reading& reading) {
  if (!reading.empty_cell) return;
  for (const RankListing& rank : reading.listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      if (is_compute(leaf.type)) continue;
      const SourcePosition position = cursor.position_of(leaf.at);
      cursor.fail_at(*reading.empty_cell,
                     fmt::format("an empty cell in a schedule with {}, as in line {}, column {}",
                                 is_p2p(leaf.type) ? "transfers" : "FSDP steps", position.line,
                                 position.column),
                     "every cell filled, or computing alone");
    }
  }
}

// Forwards say how many micro-batches there are.
void check_micro_batches(const TextCursor& cursor, Reading& reading, bool any_micro) {
  std::int32_t count = 0;
  for (const RankListing& rank : reading.listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      if (leaf.type == StepType::fwd) count = std::max(count, leaf.micro + 1);
    }
  }
  if (count == 0) return;  // no forward at all has an error of its own
  for (const RankListing& rank : reading.listing.ranks) {
    for (const PlacedLeaf& leaf : rank.leaves) {
      if (leaf.micro < count) continue;
      if (!any_micro) {
        cursor.fail_at(leaf.at, fmt::format("micro-batch {}, which no forward runs", leaf.micro),
                       fmt::format("a micro-batch 0 to {}", count - 1));
      }
      ++reading.forgiven.unknown_micro;
    }
  }
}

Reading read_cells(TextCursor& cursor, const TorchRules& rules, bool any_micro) {
  Reading reading;
  std::vector<RankListing>& ranks = reading.listing.ranks;
  while (!cursor.at_end()) {
    if (ranks.size() == kMostSlots) {
      cursor.fail("the file has too many lines", fmt::format("at most {}", kMostSlots));
    }
    RankListing& rank = ranks.emplace_back();
    rank.rank = static_cast<std::int32_t>(ranks.size()) - 1;
    rank.at = cursor.at();
    read_row(cursor, reading, rules);
    cursor.take_line_end();
  }
  check_no_empty_cell(cursor, reading);
  check_micro_batches(cursor, reading, any_micro);
  return reading;
}

TorchRules rules_for(std::string_view text, const TorchReadOptions& options) {
  return {options.lenient, torch_dialect(text)};
}

}  // namespace

Schedule read_torch_csv(std::string_view text, const std::string& file, Misplaced misplaced,
                        const TorchReadOptions& options) {
  return read_placed_torch_csv(text, file, misplaced, options).schedule;
}

PlacedSchedule read_placed_torch_csv(std::string_view text, const std::string& file,
                                     Misplaced misplaced, const TorchReadOptions& options) {
  TextCursor cursor(text, file);
  const bool any_micro = options.lenient || misplaced == Misplaced::kept;
  Reading reading = read_cells(cursor, rules_for(text, options), any_micro);
  return inferred_schedule(cursor, std::move(reading.listing), misplaced);
}

std::vector<std::string> torch_csv_notes(std::string_view text, const std::string& file,
                                         const TorchReadOptions& options) {
  TextCursor cursor(text, file);
  const TorchRules rules = rules_for(text, options);
  const TorchForgiven forgiven = read_cells(cursor, rules, options.lenient).forgiven;
  std::vector<std::string> notes;
  if (rules.dialect == TorchDialect::old) {
    notes.emplace_back("read in the old dialect: B is the input gradient, BW the whole backward");
  }
  const auto note = [&notes](std::int64_t count, const char* one, const char* many,
                             const char* what_of_it) {
    add_counted_note(notes, count, one, many, what_of_it);
  };
  note(forgiven.trailing, "action", "actions", "with something else behind it, passed over");
  note(forgiven.empty_action, "empty action", "empty actions", "of an overlap passed over");
  note(forgiven.surplus_micro, "micro-batch number", "micro-batch numbers",
       "of FSDP steps passed over");
  note(forgiven.backward_first, "OVERLAP_F_B", "OVERLAP_F_B",
       "with the backward first, read as OVERLAP_B_F");
  note(forgiven.blank_lines, "blank line", "blank lines", "read as ranks without steps");
  note(forgiven.unknown_micro, "action", "actions", "of a micro-batch that no forward runs, kept");
  return notes;
}

std::string torch_csv(const Schedule& schedule) {
  std::string text;
  for (const StepList& list : schedule.ranks) {
    bool first = true;
    for (const Slot& slot : list) {
      if (!first) text += ',';
      first = false;
      if (slot) append_torch_cell(text, *slot);
    }
    if (list.size() == 1 && !list.front()) text += "\"\"";
    text += kLineEnd;
  }
  return text;
}

}  // namespace steptwin
