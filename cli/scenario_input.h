#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cli/options.h"
#include "model/error.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin::cli {

// The scenario of a command and its --set keys. What one of them makes wrong is told of that key,
// "--set pipeline.chunks_per_rank: error: ...", not of the line of the file it comes into conflict
// with: the file alone would have been right. Of several in conflict with each other, the one that
// the message is about is told.
class ScenarioInput {
 public:
  // Reads the scenario. Throws Error; also for one that would not fit into memory.
  explicit ScenarioInput(const Options& options);

  const Scenario& scenario() const { return scenario_; }

  // As make_schedule of model/scenario_schedule.h.
  Schedule schedule() const;

 private:
  using Work = std::function<void(const Scenario&)>;

  Scenario read(std::size_t sets) const;  // with the first so many of them
  [[noreturn]] void rethrow_at_set(const Error& error, const Work& work) const;

  const Options& options_;
  std::string text_;
  Scenario scenario_;
};

}  // namespace steptwin::cli
