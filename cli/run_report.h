#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/deadlock_text.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "model/scenario.h"
#include "model/schedule.h"
#include "model/trace.h"
#include "reports/measured_run.h"
#include "reports/metrics.h"

namespace steptwin::cli {

// What every command that runs a scenario writes and prints, whatever it runs it on.

// The phases of write_outputs, for a plan.
std::vector<Phase> output_phases();

// scenario.toml and schedule.steps: what the folder can be made again from.
void write_inputs(RunFolder& folder, Scenario scenario, const Schedule& schedule);

// The rest of the folder; `summary` is summary.json. Completes it.
void write_outputs(RunFolder& folder, const Trace& trace, const std::string& summary,
                   Progress& progress);

// "measured on this machine's CPU with timed kernels: 5 steps, ..."
std::string measured_text(const reports::MeasuredRun& run);

// The summary that people read, below a title; what ran it: "" or "on the host, ...".
std::string run_text(const Options& options, const Scenario& scenario, const Schedule& schedule,
                     const reports::Metrics& metrics, const std::string& where);

// Prints it and completes the folder, if there is one; the exit status is the caller's.
void report_deadlock(const Options& options, const ExplainedDeadlock& deadlock,
                     std::optional<RunFolder>& folder);

}  // namespace steptwin::cli
