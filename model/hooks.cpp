#include "model/hooks.h"

#include <charconv>
#include <fmt/format.h>

namespace steptwin {

std::string hook_label(const HookPlace& place) {
  if (place.hook == Hook::none) return "";
  if (place.layer < 0 || place.hook == Hook::d_last) return std::string(name_of(place.hook));
  return fmt::format("{}{}", name_of(place.hook), layer_number(place.layer));
}

std::optional<HookPlace> hook_labelled(std::string_view label) {
  if (label.empty()) return HookPlace{};
  if (label == name_of(Hook::d_last)) return HookPlace{Hook::d_last, -1};
  const std::size_t hook = std::string_view("-ABCD").find(label.front());
  if (hook == 0 || hook == std::string_view::npos) return std::nullopt;
  HookPlace place{static_cast<Hook>(hook), -1};
  const char* digits = label.data() + 1;
  const char* end = label.data() + label.size();
  if (digits == end) return place;
  std::int32_t number = 0;
  const auto [stop, code] = std::from_chars(digits, end, number);
  if (code != std::errc() || stop != end || number < 1 || *digits == '0') return std::nullopt;
  place.layer = number - 1;
  return place;
}

}  // namespace steptwin
