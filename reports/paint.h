#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steptwin::reports {

// Terminal colours. The value is the SGR sequence's middle, as terminals name it.
namespace tint {
inline constexpr std::string_view kBold = "1";
inline constexpr std::string_view kDim = "2";
inline constexpr std::string_view kCompute = "38;5;33";
inline constexpr std::string_view kOverlapped = "38;5;43";
inline constexpr std::string_view kExposed = "38;5;203";
inline constexpr std::string_view kIdle = "38;5;240";
}  // namespace tint

// The text in a colour if `color`, else as it is.
std::string painted(bool color, std::string_view tint, std::string_view text);

// How many columns a UTF-8 text takes: one a code point, which suits all that we print.
std::size_t columns_of(std::string_view text);

// `text` once per cell.
std::string repeated(std::string_view text, std::size_t times);

// Breaks at spaces so that no line exceeds `width` columns, but not within "key = value"; lines
// after the first begin with `indent` spaces. A word that is too long stands alone.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace steptwin::reports
