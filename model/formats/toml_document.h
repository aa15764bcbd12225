#pragma once

#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

#include "model/error.h"

namespace steptwin {

// A TOML text as a tree, with the overrides of the command line put in. What comes from outside is
// bounded before the parser sees it, since its trees are freed by recursion:
//
//   text          16 MiB
//   key           8 parts, a.b.c.d.e.f.g.h
//   arrays, inline tables   256 deep (the parser's own limit)
inline constexpr std::size_t kMostTomlBytes = std::size_t{16} << 20U;
inline constexpr int kMostKeyParts = 8;

// An override is "key=value", "pipeline.micro_batches=16". The value is read as TOML, and where it
// is not, as a string: pipeline.schedule=gpipe; but not a number that TOML cannot hold. It replaces
// what the text says, and creates the sections it needs. A later override wins over an earlier one.
//
// Throws Error at file:line:column for the text, at "--set key" for an override.
toml::table toml_document(std::string_view text, const std::string& file,
                          const std::vector<std::string>& overrides);

// Where a key or a value was written. Values of overrides are in the file "--set key", line 0.
SourcePosition position_of(const toml::source_region& region, const std::string& file);

// The place of an override, for messages: "--set key".
SourcePosition position_of_override(std::string_view override_text);

// `text` as a TOML string: in double quotes, with control characters, quotes and backslashes
// escaped.
std::string toml_string(std::string_view text);

}  // namespace steptwin
