#pragma once

#include <string>

namespace steptwin::cli {

// Control characters, which steer a terminal, as question marks.
std::string printable(std::string text);

}  // namespace steptwin::cli
