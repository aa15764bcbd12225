#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

namespace steptwin::reports {

// Text on its way to a file: what is written is appended to `text`, which goes to the file whenever
// it has become long. The owner flushes the last of it.
class OutputText {
 public:
  explicit OutputText(std::ostream& out) : out_(out) {}

  std::string text;

  bool is_long() const { return text.size() > kLong; }
  void flush() {
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  }

 private:
  static constexpr std::size_t kLong = 1 << 16;

  std::ostream& out_;
};

inline void append_field(std::string& text, std::string_view field) {
  text += field;
}

void append_field(std::string& text, std::integral auto number) {
  char digits[std::numeric_limits<decltype(number)>::digits10 + 3];
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
}

// Fields of a CSV file, with a comma behind each.
template <typename... Fields>
void append_fields(std::string& text, const Fields&... fields) {
  ((append_field(text, fields), text += ','), ...);
}

// The same, but for the end of the line behind the last.
template <typename... Fields>
void append_last_fields(std::string& text, const Fields&... fields) {
  append_fields(text, fields...);
  text.back() = '\n';
}

}  // namespace steptwin::reports
