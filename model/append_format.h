#pragma once

#include <fmt/core.h>
#include <string>

namespace steptwin {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args values);

// fmt::format at the end of a text. As fmt::format_to, but compiled once: each file that calls that
// one compiles all of fmt's formatting.
template <typename... Values>
void append_format(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  append_formatted(text, format, fmt::make_format_args(values...));
}

}  // namespace steptwin
