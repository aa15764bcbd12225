#include "reports/decimal.h"

#include <cmath>
#include <cstdint>
#include <fmt/compile.h>
#include <fmt/format.h>

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
  return fmt::format(FMT_COMPILE("{}{}.{:03}"), duration < 0 ? "-" : "", magnitude / 1000,
                     magnitude % 1000);
}

std::string ratio_text(double ratio) {
  return without_trailing_zeros(fmt::format("{:.6f}", ratio));
}

}  // namespace steptwin::reports
