#include "model/formats/quoted_text.h"

#include <fmt/format.h>

namespace steptwin {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// C0 and C1 control characters steer a terminal; C1 are two bytes in UTF-8.
bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && byte_at(character, 1) < 0xa0;
}

void append_escaped(std::string& result, std::string_view bytes) {
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    result += fmt::format("\\x{:02x}", byte_at(bytes, index));
  }
}

}  // namespace

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text.substr(at, 4));
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    if (at + character.size() > kMostQuoted) return result + "\"...";
    if (length == 0 || is_control(character)) {
      append_escaped(result, character);
    } else {
      if (character == "\"" || character == "\\") result += '\\';
      result += character;
    }
    at += character.size();
  }
  return result + "\"";
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte_at(text, index) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(text, 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace steptwin
