#pragma once

#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace steptwin {

// What a path means in the folder of data that may not be part of this repository, which
// STEPTWIN_DATA names, by default ../shared/data beside the source tree.
inline std::string external_path(const std::string& path) {
  const char* source = std::getenv("STEPTWIN_SOURCE");
  const char* data = std::getenv("STEPTWIN_DATA");
  const std::string folder =
      data != nullptr ? data : std::string(source == nullptr ? "." : source) + "/../shared/data";
  return folder + "/" + path;
}

// One of its files. Says so and gives nothing where it is missing: the test then has nothing to
// compare with.
inline std::optional<std::string> external_data(const std::string& path) {
  std::ifstream file(external_path(path), std::ios::binary);
  if (!file) {
    MESSAGE("skipped, since there is no " << external_path(path));
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace steptwin
