#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/error.h"

namespace steptwin {

// Files that a scenario names: relative to the folder of the scenario.
std::string path_beside(const std::string& scenario_file, const std::string& name);

// The whole file. Throws Error at `named_at`, where the file is named, if it is not a regular file
// that can be read (`expected` says what it would be), and at the file if it is longer than
// `most_bytes`.
std::string read_named_file(const std::string& path, const SourcePosition& named_at,
                            std::size_t most_bytes, std::string_view expected);

}  // namespace steptwin
