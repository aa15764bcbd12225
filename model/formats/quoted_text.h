#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steptwin {

// How many bytes of an input a message quotes at most.
inline constexpr std::size_t kMostQuoted = 32;

// `text` in double quotes, safe to print whatever it holds: control characters and bytes that are
// not UTF-8 appear as \x00, quotes and backslashes with a backslash. Cut after kMostQuoted bytes,
// with "..." behind it.
std::string quoted_text(std::string_view text);

// Length in bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t utf8_length(std::string_view text);

}  // namespace steptwin
