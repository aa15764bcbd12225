#pragma once

#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/formats/scenario_toml.h"

namespace steptwin {

// A right scenario as lines; each bad case replaces one line of it, or adds one past its end.
using ScenarioLines = std::vector<std::string>;

inline const ScenarioLines kStageScenario = {
    "[pipeline]",               // 1
    "ranks = 2",                // 2
    "chunks_per_rank = 1",      // 3
    "micro_batches = 8",        // 4
    "schedule = \"1f1b\"",      // 5
    "[stage]",                  // 6
    "forward_us = 10",          // 7
    "backward_input_us = 10",   // 8
    "backward_weight_us = 10",  // 9
};
inline const ScenarioLines kLayersScenario = {
    "[pipeline]",                                                               // 1
    "ranks = 2",                                                                // 2
    "micro_batches = 8",                                                        // 3
    "schedule = \"1f1b\"",                                                      // 4
    "[layers]",                                                                 // 5
    "per_stage = 1",                                                            // 6
    "attention_us = { forward = 1, backward_input = 1, backward_weight = 1 }",  // 7
    "experts_us = { forward = 1, backward_input = 1, backward_weight = 1 }",    // 8
    "dispatch_us = { forward = 1, backward = 1 }",                              // 9
    "combine_us = { forward = 1, backward = 1 }",                               // 10
};

struct BadCase {
  std::size_t line;  // the line of the scenario it replaces, counted from 1
  std::string text;  // may be several lines
  int error_line;
  int error_column;
  std::string wrong;     // Error::wrong(), whole
  std::string expected;  // part of Error::expected()
};

inline std::string text_of(const ScenarioLines& lines, std::size_t replaced = 0,
                           const std::string& replacement = "") {
  std::string text;
  for (std::size_t line = 1; line <= lines.size(); ++line) {
    text += (line == replaced ? replacement : lines[line - 1]) + "\n";
  }
  return replaced > lines.size() ? text + replacement + "\n" : text;
}

inline std::optional<Error> error_of(const std::string& text,
                                     const std::vector<std::string>& overrides = {}) {
  try {
    read_scenario(text, "s.toml", overrides);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

inline void check_errors(const ScenarioLines& lines, const std::vector<BadCase>& cases) {
  REQUIRE_FALSE(error_of(text_of(lines)).has_value());
  for (const BadCase& bad : cases) {
    INFO("line " << bad.line << ": " << bad.text);
    const auto error = error_of(text_of(lines, bad.line, bad.text));
    CHECK_MESSAGE(error.has_value(), "no error");
    if (!error) continue;
    CHECK(error->wrong() == bad.wrong);
    INFO("expected: " << error->expected());
    CHECK(error->expected().find(bad.expected) != std::string::npos);
    CHECK(error->position().file == "s.toml");
    CHECK(error->position().line == bad.error_line);
    CHECK(error->position().column == bad.error_column);
  }
}

}  // namespace steptwin
