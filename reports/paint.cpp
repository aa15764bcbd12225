#include "reports/paint.h"

#include <algorithm>
#include <fmt/format.h>

namespace steptwin::reports {

std::string painted(bool color, std::string_view tint, std::string_view text) {
  if (!color || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", tint, text);
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t cell = 0; cell < times; ++cell) result += text;
  return result;
}

namespace {

// Where the next word ends that may stand on a line of its own; "key = value" is one.
std::size_t word_end(std::string_view text) {
  std::size_t space = text.find(' ', 1);
  while (space != std::string_view::npos &&
         (text[space - 1] == '=' || text.substr(space + 1).starts_with("= "))) {
    space = text.find(' ', space + 1);
  }
  return std::min(space, text.size());
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = word_end(text);
    const std::string_view word = text.substr(0, end);  // with the space before it
    const std::size_t length = columns_of(word);
    if (column > indent && column + length > width && word.front() == ' ') {
      result += '\n';
      result.append(indent, ' ');
      result += word.substr(1);
      column = indent + length - 1;
    } else {
      result += word;
      column += length;
    }
    text.remove_prefix(end);
  }
  return result;
}

}  // namespace steptwin::reports
