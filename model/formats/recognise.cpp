#include "model/formats/recognise.h"

#include <algorithm>
#include <cstddef>

#include "model/formats/meta_step_text.h"
#include "model/formats/steps_text.h"
#include "model/formats/text_cursor.h"

namespace steptwin {
namespace {

constexpr const char* kLookedFor =
    "step lists, as compact text (rank0: FWD(s0,m0) -), as MetaStep text "
    "(rank0: [MetaStep(...), None]) or as PyTorch's CSV (0F0,0F1,,0B0)";

void take_space_and_comments(TextCursor& cursor) {
  while (cursor.take_blanks() || cursor.take_line_end() || cursor.next_is('#')) {
    if (cursor.next_is('#')) cursor.take_rest_of_line();
  }
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether a row of PyTorch's CSV may begin so: with an action, an overlap, or an empty cell.
bool begins_torch_csv(const TextCursor& cursor) {
  if (cursor.next_is(',') || cursor.next_is('(') || cursor.next_is('"')) return true;
  const std::string_view word = cursor.peek_word();
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  return digits > 0 && digits < word.size();
}

}  // namespace

ScheduleFormat recognise_format(std::string_view text, const std::string& file) {
  TextCursor cursor(text, file);
  take_space_and_comments(cursor);
  if (cursor.at_end()) cursor.fail("there is nothing in the file", kLookedFor);
  const std::size_t at = cursor.at();
  const std::string wrong = "the format is not known: it begins with " + cursor.found();

  if (cursor.take('{')) {
    take_space_and_comments(cursor);
    if (!is_number(cursor.peek_word())) cursor.fail_at(at, wrong, kLookedFor);
    return ScheduleFormat::metastep;
  }
  if (begins_torch_csv(cursor)) return ScheduleFormat::torch_csv;
  if (!cursor.take_text("rank") || !is_number(cursor.take_word())) {
    cursor.fail_at(at, wrong, kLookedFor);
  }
  take_space_and_comments(cursor);
  if (!cursor.take(':')) return ScheduleFormat::steps;  // its reader says what is missing
  take_space_and_comments(cursor);
  const bool bracket = cursor.next_is('[') || cursor.next_is('(');
  return bracket ? ScheduleFormat::metastep : ScheduleFormat::steps;
}

PlacedSchedule read_placed_schedule(std::string_view text, const std::string& file,
                                    Misplaced misplaced, const TorchReadOptions& options) {
  switch (recognise_format(text, file)) {
    case ScheduleFormat::steps:
      return read_placed_steps(text, file, misplaced);
    case ScheduleFormat::metastep:
      return read_placed_meta_steps(text, file, misplaced);
    case ScheduleFormat::torch_csv:
      return read_placed_torch_csv(text, file, misplaced, options);
  }
  return {};
}

Schedule read_schedule(std::string_view text, const std::string& file, Misplaced misplaced,
                       const TorchReadOptions& options) {
  return read_placed_schedule(text, file, misplaced, options).schedule;
}

std::vector<std::string> reading_notes(std::string_view text, const std::string& file,
                                       const TorchReadOptions& options) {
  if (recognise_format(text, file) != ScheduleFormat::torch_csv) return {};
  return torch_csv_notes(text, file, options);
}

}  // namespace steptwin
