#pragma once

#include <string>

namespace steptwin::cli {

// The whole file. Throws Error if it cannot be read. A path of "-" is standard input.
std::string read_file(const std::string& path);

// Writes everything to standard output; a closed pipe is no error, a full disk is.
void print(const std::string& text);

}  // namespace steptwin::cli
