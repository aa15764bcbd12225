#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace steptwin::cli {

// More than any input we read may have.
inline constexpr std::size_t kMostFileBytes = std::size_t{512} << 20U;

// The whole file. Throws Error if it cannot be read or is longer, as an endless one is. A path of
// "-" is standard input.
std::string read_file(const std::string& path, std::size_t most_bytes = kMostFileBytes);

// Writes everything to standard output; a closed pipe is no error, a full disk is.
void print(const std::string& text);

// Writes "FILE: note: ..." to standard error for each: what is said of a file besides the result.
void print_notes(const std::string& file, const std::vector<std::string>& notes);

// Makes a file that appears complete or not at all, also when a signal ends the process. Throws
// Error if it exists and `force` is not given, if something other than a file of that name exists,
// or if it cannot be made.
void write_file(const std::string& path, const std::string& text, bool force);

}  // namespace steptwin::cli
