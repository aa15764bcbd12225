#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/error.h"

namespace steptwin {

// Ranks, stages and micro-batches in a file are 0..kMostIndex.
inline constexpr std::int32_t kMostIndex = 16'777'215;

// A place in a text that is being read from left to right, and the errors about it. Places are
// byte offsets; line and column are counted only when an error is thrown, so reading is linear
// whatever the lines look like.
//
// A byte order mark is passed over and not counted. CR LF ends a line as LF does. The text must
// outlive the cursor.
class TextCursor {
 public:
  TextCursor(std::string_view text, std::string file);

  bool at_end() const { return at_ == text_.size(); }
  bool at_line_end() const;
  bool next_is(char byte) const { return !at_end() && text_[at_] == byte; }
  std::size_t at() const { return at_; }
  const std::string& file() const { return file_; }

  // Each returns whether something was there to take.
  bool take(char byte);
  bool take_text(std::string_view text);
  bool take_blanks();    // spaces and tabs
  bool take_line_end();  // LF, or CR LF

  void take_rest_of_line();  // up to the line end, not including it
  // Up to the first of the `stops` or the line end, whichever comes first, not including it.
  bool take_until(std::string_view stops);
  std::string_view take_word();  // letters, digits and _; empty if there is none
  std::string_view peek_word() const;

  // A number 0..kMostIndex. Throws Error; `meaning` ("a stage number") says what was expected.
  std::int32_t take_number(std::string_view meaning);

  // What stands here, for a message: "FWDD", "(", "end of line".
  std::string found() const;

  // Throws Error at this place, or at an earlier one.
  [[noreturn]] void fail(std::string wrong, std::string expected) const;
  [[noreturn]] void fail_at(std::size_t at, std::string wrong, std::string expected) const;
  // "unexpected " + found()
  [[noreturn]] void fail_unexpected(std::string expected) const;

  SourcePosition position_of(std::size_t at) const;

 private:
  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
};

}  // namespace steptwin
