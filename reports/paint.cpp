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

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' ', 1), text.size());
    const std::string_view word = text.substr(0, space);  // with the space before it
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
    text.remove_prefix(space);
  }
  return result;
}

}  // namespace steptwin::reports
