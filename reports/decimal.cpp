#include "reports/decimal.h"

#include <cmath>
#include <cstdint>
#include <fmt/core.h>

#include "reports/output_text.h"

namespace steptwin::reports {
namespace {

std::string without_trailing_zeros(std::string text) {
  const std::size_t last = text.find_last_not_of('0');
  text.erase(text[last] == '.' ? last : last + 1);
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string microseconds_text(TimeNs duration) {
  return without_trailing_zeros(microseconds_fixed(duration));
}

std::string microseconds_fixed(TimeNs duration) {
  const std::uint64_t magnitude = duration < 0 ? 0 - static_cast<std::uint64_t>(duration)
                                               : static_cast<std::uint64_t>(duration);
  std::string text = duration < 0 ? "-" : "";
  append_field(text, magnitude / 1000);
  text += '.';
  // Three digits, and a one before them that only makes the zeros stay.
  append_field(text, 1000 + magnitude % 1000);
  text.erase(text.size() - 4, 1);
  return text;
}

std::string ratio_text(double ratio) {
  return without_trailing_zeros(fmt::format("{:.6f}", ratio));
}

}  // namespace steptwin::reports
