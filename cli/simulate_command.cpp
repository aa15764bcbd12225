#include <fmt/format.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/deadlock_text.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "cli/scenario_input.h"
#include "deadlocks/way_out.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/steps_text.h"
#include "model/lowering/lower.h"
#include "model/scenario_schedule.h"
#include "model/size_limit.h"
#include "model/validate.h"
#include "reports/chrome_trace.h"
#include "reports/memory_csv.h"
#include "reports/metrics.h"
#include "reports/summary_json.h"
#include "reports/terminal.h"
#include "reports/timeline_text.h"
#include "reports/trace_csv.h"
#include "sim/simulate.h"

namespace steptwin::cli {
namespace {

struct SimulateOptions : Options {
  bool timeline = false;
};

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

// A schedule file may be out of reach from here, but the schedule itself is not.
void write_inputs(RunFolder& folder, Scenario scenario, const Schedule& schedule) {
  if (!scenario.pipeline.schedule_file.empty()) scenario = around_written_schedule(scenario);
  folder.write("scenario.toml", scenario_text(scenario));
  folder.write("schedule.steps", steps_text(schedule));
}

using Write = void(const Trace&, std::ostream&, const reports::ProgressCallback&);

void write_stream(RunFolder& folder, const std::string& name, const Trace& trace, Write& write,
                  Progress& progress) {
  std::ofstream file = folder.open(name);
  write(trace, file, progress.callback());
  folder.close(file, name);
}

void write_outputs(RunFolder& folder, const Trace& trace, const reports::Metrics& metrics,
                   Progress& progress) {
  progress.begin(phase::kTraceCsv);
  write_stream(folder, "trace.csv", trace, reports::write_trace_csv, progress);
  progress.begin(phase::kHostCsv);
  write_stream(folder, "host.csv", trace, reports::write_host_csv, progress);
  write_stream(folder, "memory.csv", trace, reports::write_memory_csv, progress);
  progress.begin(phase::kTraceJson);
  write_stream(folder, "trace.json", trace, reports::write_chrome_trace, progress);
  folder.write("summary.json", reports::summary_json(metrics));
  folder.commit();
}

std::vector<Phase> plan_of(const SimulateOptions& options) {
  using namespace phase;
  std::vector<Phase> plan{kSchedule, kLower, kSimulate, kFigures};
  if (!options.out.empty()) {
    plan.insert(plan.begin() + 2, kWriteSchedule);
    plan.insert(plan.end(), {kTraceCsv, kHostCsv, kTraceJson});
  }
  return plan;
}

// Control characters, which steer a terminal, as question marks.
std::string printable(std::string text) {
  constexpr char kDelete = 0x7f;
  for (char& byte : text) {
    if ((byte >= 0 && byte < ' ') || byte == kDelete) byte = '?';
  }
  return text;
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

int report_deadlock(const SimulateOptions& options, const ExplainedDeadlock& deadlock,
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
  return kFinding;
}

std::string terminal_text(const SimulateOptions& options, const Scenario& scenario,
                          const Schedule& schedule, const Trace& trace,
                          const reports::Metrics& metrics) {
  reports::TerminalOptions terminal;
  terminal.color = use_color(options);
  terminal.width = terminal_width();
  terminal.title = title_of(scenario);
  terminal.settings = settings_on(scenario, schedule);
  std::string text = reports::terminal_summary(metrics, terminal);
  if (options.timeline) {
    reports::TimelineOptions timeline;
    timeline.color = terminal.color;
    timeline.width = terminal.width;
    text += "\n" + reports::timeline_text(trace, timeline);
  }
  if (!options.out.empty()) text += fmt::format("\nWritten to {}\n", options.out);
  return text;
}

int simulate_command(const SimulateOptions& options) {
  const ScenarioInput input(options);
  const Scenario& scenario = input.scenario();
  Progress progress(progress_options(options), estimated_kernels(scenario), plan_of(options));
  const Schedule schedule = input.schedule();
  progress.begin(phase::kLower);
  const Program program = lower(schedule, scenario);
  validate(program);
  progress.count(program.kernels.size());
  std::optional<RunFolder> folder;
  if (!options.out.empty()) {
    progress.begin(phase::kWriteSchedule);
    progress.leave_signals();
    folder.emplace(options.out, options.force, [&progress] { progress.clear(); });
    write_inputs(*folder, scenario, schedule);
  }
  progress.begin(phase::kSimulate);
  std::variant<Trace, sim::Deadlock> outcome = sim::simulate(program);
  if (auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
    const ExplainedDeadlock found =
        explained(schedule, scenario, program, std::move(*deadlock), make_schedule);
    progress.finish();
    return report_deadlock(options, found, folder);
  }
  const auto& trace = std::get<Trace>(outcome);
  progress.begin(phase::kFigures);
  const reports::Metrics metrics = reports::compute_metrics(trace);
  if (folder) write_outputs(*folder, trace, metrics, progress);
  std::string text;
  if (options.json) {
    text = reports::summary_json(metrics);
  } else if (!options.quiet) {
    text = terminal_text(options, scenario, schedule, trace, metrics);
  }
  progress.finish();
  print(text);
  return kDone;
}

}  // namespace

void add_simulate_command(CLI::App& program, Action& action) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command =
      add_command(program, "simulate", "Simulate a scenario and print where its time goes",
                  "steptwin simulate scenarios/moe_overlap_hooks.toml --out runs/moe --timeline");
  add_scenario_options(*command, *options, "The scenario (TOML)");
  add_folder_options(*command, *options);
  add_output_options(*command, *options);
  command->add_flag("--timeline", options->timeline, "Draw what every rank does over time")
      ->excludes("--json");
  command->callback(
      [options, &action] { action = [options] { return simulate_command(*options); }; });
}

}  // namespace steptwin::cli
