#include "cli/run_report.h"

#include <fmt/format.h>
#include <ostream>
#include <utility>

#include "cli/files.h"
#include "cli/printable.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/steps_text.h"
#include "reports/chrome_trace.h"
#include "reports/memory_csv.h"
#include "reports/terminal.h"
#include "reports/trace_csv.h"

namespace steptwin::cli {
namespace {

// The folder's own schedule.steps has been through the passes already.
Scenario around_written_schedule(Scenario scenario) {
  scenario.pipeline.schedule_file = "schedule.steps";
  if (scenario.pipeline.p2p == P2pMode::boundary) scenario.pipeline.p2p = P2pMode::plain;
  const ParallelKeys defaults;
  scenario.parallel.fsdp = scenario.parallel.offload = false;
  scenario.parallel.fsdp_window = defaults.fsdp_window;
  scenario.parallel.offload_min_gap = defaults.offload_min_gap;
  return scenario;
}

using Write = void(const Trace&, std::ostream&, const reports::ProgressCallback&);

void write_stream(RunFolder& folder, const std::string& name, const Trace& trace, Write& write,
                  Progress& progress) {
  std::ofstream file = folder.open(name);
  write(trace, file, progress.callback());
  folder.close(file, name);
}

std::string counted(std::int32_t count, std::string_view what, std::string_view plural = "s") {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : plural);
}

std::string title_of(const Scenario& scenario) {
  const PipelineKeys& pipeline = scenario.pipeline;
  const std::string name = scenario.name.empty() ? scenario.file : scenario.name;
  const std::string schedule =
      pipeline.schedule_file.empty() ? pipeline.schedule : printable(pipeline.schedule_file);
  return fmt::format("{}: {}, {} x {}, {}", printable(name), schedule,
                     counted(pipeline.ranks, "rank"), counted(pipeline.chunks_per_rank, "chunk"),
                     counted(pipeline.micro_batches, "micro-batch", "es"));
}

reports::SettingsOn settings_on(const Scenario& scenario, const Schedule& schedule) {
  reports::SettingsOn on;
  on.interleaved = schedule.stages.stages() > schedule.stages.ranks;
  on.sequential_overlap = scenario.overlap.execution == OverlapExecution::sequential;
  on.hooks = scenario.overlap.hooks;
  on.overlap_p2p = scenario.pipeline.overlap_p2p;
  on.late_receives = scenario.pipeline.recv_placement == RecvPlacement::late;
  on.order_by_data = scenario.comm.order == CommOrder::data;
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) {
      if (!slot) continue;
      on.overlap = on.overlap || is_overlap(slot->type);
      for_each_leaf(*slot, [&on](const Step& step) {
        on.zero_bubble = on.zero_bubble || step.type == StepType::bwd_weight;
      });
    }
  }
  return on;
}

}  // namespace

std::vector<Phase> output_phases() {
  return {phase::kTraceCsv, phase::kHostCsv, phase::kTraceJson};
}

// A schedule file may be out of reach from here, but the schedule itself is not.
void write_inputs(RunFolder& folder, Scenario scenario, const Schedule& schedule) {
  if (!scenario.pipeline.schedule_file.empty()) scenario = around_written_schedule(scenario);
  folder.write("scenario.toml", scenario_text(scenario));
  if (scenario.machine.given) folder.write(std::string(kMachineFile), scenario.machine.text);
  folder.write("schedule.steps", steps_text(schedule));
}

void write_outputs(RunFolder& folder, const Trace& trace, const std::string& summary,
                   Progress& progress) {
  progress.begin(phase::kTraceCsv);
  write_stream(folder, "trace.csv", trace, reports::write_trace_csv, progress);
  progress.begin(phase::kHostCsv);
  write_stream(folder, "host.csv", trace, reports::write_host_csv, progress);
  write_stream(folder, "memory.csv", trace, reports::write_memory_csv, progress);
  progress.begin(phase::kTraceJson);
  write_stream(folder, "trace.json", trace, reports::write_chrome_trace, progress);
  folder.write("summary.json", summary);
  folder.commit();
}

std::string measured_text(const reports::MeasuredRun& run) {
  const reports::RepeatedSteps& steps = run.steps;
  return fmt::format("measured on {} with {} kernels: {} step{}, median {}, p5 {}, p95 {}",
                     printable(run.machine), printable(run.kernels), steps.steps,
                     steps.steps == 1 ? "" : "s", duration_text(steps.median_ns),
                     duration_text(steps.p5_ns), duration_text(steps.p95_ns));
}

std::string run_text(const Options& options, const Scenario& scenario, const Schedule& schedule,
                     const reports::Metrics& metrics, const std::string& where) {
  reports::TerminalOptions terminal;
  terminal.color = use_color(options);
  terminal.width = terminal_width();
  terminal.title = title_of(scenario) + (where.empty() ? "" : "\n" + where);
  terminal.settings = settings_on(scenario, schedule);
  return reports::terminal_summary(metrics, terminal);
}

void report_deadlock(const Options& options, const ExplainedDeadlock& deadlock,
                     std::optional<RunFolder>& folder) {
  const std::string json = deadlock_json(deadlock);
  if (folder) {
    folder->write("summary.json", json);
    folder->commit();
  }
  if (options.json) {
    print(json);
  } else if (!options.quiet) {
    print(deadlock_text(deadlock, static_cast<std::size_t>(terminal_width())));
  }
}

}  // namespace steptwin::cli
