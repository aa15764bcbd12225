#pragma once

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/cli/run_program.h"

namespace steptwin {

// Checks that the scenario `text` is refused with status 2 and one line that begins with `errors`,
// where its file is s.toml, and that nothing is made or printed.
inline void check_refused(const TemporaryFolder& folder, const std::string& text,
                          const std::string& errors) {
  folder.write("s.toml", text);
  RunRequest request;
  request.folder = folder.path();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"simulate", "s.toml", "--out", "run"}, {"check", "s.toml"}}) {
    const RunResult run = run_program(arguments, request);
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    CHECK(run.errors.substr(0, errors.size()) == errors);
    CHECK(std::count(run.errors.begin(), run.errors.end(), '\n') == 1);
  }
  CHECK(folder.names() == std::vector<std::string>{"s.toml"});
}

// The same of a step list, in the file s.steps.
inline void check_steps_refused(const std::string& text, const std::string& errors) {
  const TemporaryFolder folder;
  folder.write("s.steps", text);
  RunRequest request;
  request.folder = folder.path();
  const RunResult run = run_program({"check", "s.steps"}, request);
  CHECK_FALSE(run.hung);
  CHECK(run.status == 2);
  CHECK(run.output.empty());
  CHECK(run.errors.substr(0, errors.size()) == errors);
  CHECK(run.errors.find("; expected ") != std::string::npos);
  CHECK(std::count(run.errors.begin(), run.errors.end(), '\n') == 1);
}

}  // namespace steptwin
