#include "model/formats/text_cursor.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "model/formats/quoted_text.h"

namespace steptwin {
namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool is_word_byte(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '_';
}

}  // namespace

TextCursor::TextCursor(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text_.remove_prefix(kByteOrderMark.size());
  }
  // Columns are int.
  if (text_.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(SourcePosition{file_, 0, 0}, "the file is too large", "less than 2 GiB");
  }
}

bool TextCursor::at_line_end() const {
  if (at_end() || text_[at_] == '\n') return true;
  return text_.substr(at_, 2) == "\r\n" || text_.substr(at_) == "\r";
}

bool TextCursor::take(char byte) {
  if (!next_is(byte)) return false;
  ++at_;
  return true;
}

bool TextCursor::take_text(std::string_view text) {
  if (text_.substr(at_, text.size()) != text) return false;
  at_ += text.size();
  return true;
}

bool TextCursor::take_blanks() {
  const std::size_t begin = at_;
  while (next_is(' ') || next_is('\t')) ++at_;
  return at_ > begin;
}

bool TextCursor::take_line_end() {
  if (at_end() || !at_line_end()) return false;
  take('\r');
  take('\n');
  return true;
}

void TextCursor::take_rest_of_line() {
  at_ = std::min(text_.find('\n', at_), text_.size());
  if (at_ > 0 && text_[at_ - 1] == '\r') --at_;
}

bool TextCursor::take_until(std::string_view stops) {
  const std::size_t begin = at_;
  while (!at_line_end() && stops.find(text_[at_]) == std::string_view::npos) ++at_;
  return at_ > begin;
}

std::string_view TextCursor::take_word() {
  const std::string_view word = peek_word();
  at_ += word.size();
  return word;
}

std::string_view TextCursor::peek_word() const {
  const std::string_view rest = text_.substr(at_);
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_word_byte);
  return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
}

std::int32_t TextCursor::take_number(std::string_view meaning) {
  const std::size_t begin = at_;
  std::int32_t number = 0;
  while (!at_end() && is_digit(text_[at_])) {
    // Beyond the limit the value no longer matters, only that it is too large.
    if (number <= kMostIndex) number = number * 10 + (text_[at_] - '0');
    ++at_;
  }
  if (at_ == begin) fail_unexpected(fmt::format("{}, 0 to {}", meaning, kMostIndex));
  if (number > kMostIndex) {
    const std::string digits = quoted_text(text_.substr(begin, at_ - begin));
    fail_at(begin, fmt::format("the number {} is too large", digits),
            fmt::format("{}, 0 to {}", meaning, kMostIndex));
  }
  return number;
}

std::string TextCursor::found() const {
  if (at_end()) return "end of file";
  if (at_line_end()) return "end of line";
  const std::string_view word = peek_word();
  if (!word.empty()) return quoted_text(word);
  return quoted_text(
      text_.substr(at_, std::max<std::size_t>(1, utf8_length(text_.substr(at_, 4)))));
}

void TextCursor::fail(std::string wrong, std::string expected) const {
  fail_at(at_, std::move(wrong), std::move(expected));
}

void TextCursor::fail_at(std::size_t at, std::string wrong, std::string expected) const {
  throw Error(position_of(at), std::move(wrong), std::move(expected));
}

void TextCursor::fail_unexpected(std::string expected) const {
  fail("unexpected " + found(), std::move(expected));
}

SourcePosition TextCursor::position_of(std::size_t at) const {
  const std::string_view before = text_.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {file_, static_cast<int>(lines) + 1, static_cast<int>(at - line_begin) + 1};
}

}  // namespace steptwin
