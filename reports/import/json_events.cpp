#include "reports/import/json_events.h"

#include <algorithm>
#include <cctype>

namespace steptwin::reports {
namespace {

bool is_of_word(char byte) {
  return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '+' || byte == '-' ||
         byte == '.';
}

}  // namespace

SourcePosition JsonPlace::at(std::size_t offset) const {
  const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
  return {file_, static_cast<int>(line), static_cast<int>(before.size() - line_begin) + 1};
}

SourcePosition JsonPlace::of_token_before(std::size_t offset) const {
  std::size_t begin = std::min(offset, text_.size());
  if (begin == 0) return at(0);
  --begin;
  if (text_[begin] == '"') {
    const auto is_escaped = [this](std::size_t quote) {
      std::size_t backslashes = 0;
      while (quote > backslashes && text_[quote - backslashes - 1] == '\\') ++backslashes;
      return backslashes % 2 == 1;
    };
    while (begin > 0 && (text_[--begin] != '"' || is_escaped(begin))) continue;
  } else {
    while (begin > 0 && is_of_word(text_[begin]) && is_of_word(text_[begin - 1])) --begin;
  }
  return at(begin);
}

}  // namespace steptwin::reports
