#pragma once

#include <cstddef>
#include <string>

namespace steptwin::cli {

// More than any input we read may have.
inline constexpr std::size_t kMostFileBytes = std::size_t{512} << 20U;

// The whole file. Throws Error if it cannot be read or is longer, as an endless one is. A path of
// "-" is standard input.
std::string read_file(const std::string& path, std::size_t most_bytes = kMostFileBytes);

// Writes everything to standard output; a closed pipe is no error, a full disk is.
void print(const std::string& text);

}  // namespace steptwin::cli
