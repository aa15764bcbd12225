#include "model/formats/named_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>

namespace steptwin {

std::string path_beside(const std::string& scenario_file, const std::string& name) {
  if (name.starts_with('/')) return name;
  return scenario_file.substr(0, scenario_file.rfind('/') + 1) + name;
}

std::string read_named_file(const std::string& path, const SourcePosition& named_at,
                            std::size_t most_bytes, std::string_view expected) {
  std::error_code code;
  const bool is_file = std::filesystem::is_regular_file(path, code);
  std::ifstream stream(path, std::ios::binary);
  if (!is_file || !stream) {
    throw Error(named_at, fmt::format("cannot read {}", path), std::string(expected));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (size > most_bytes) {
    throw Error({path, 0, 0}, fmt::format("{} bytes are too many", size),
                fmt::format("at most {} bytes", most_bytes));
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace steptwin
