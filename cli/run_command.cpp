#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/cuda_run.h"
#include "cli/files.h"
#include "cli/host_run.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "cli/run_report.h"
#include "cli/scenario_input.h"
#include "hw/executor.h"
#include "hw/mpi/processes.h"
#include "model/error.h"
#include "model/lowering/lower.h"
#include "model/scenario_schedule.h"
#include "model/size_limit.h"
#include "model/trace.h"
#include "model/validate.h"
#include "reports/measured_run.h"
#include "reports/metrics.h"
#include "reports/repeated_steps.h"

namespace steptwin::cli {
namespace {

HostRunOptions host_run_options(const RunOptions& options) {
  HostRunOptions run;
  run.timed = options.kernels == "timed";
  run.repeat = options.repeat;
  run.warmup = options.warmup;
  run.deadline_s = options.deadline_s;
  return run;
}

bool is_on_cuda(const RunOptions& options) {
  return options.backend == "cuda";
}

int report_run(const RunOptions& options, const Scenario& scenario, const Schedule& schedule,
               const hw::Run& run, const std::string& machine, std::optional<RunFolder>& folder,
               Progress& progress) {
  progress.begin(phase::kFigures);
  const reports::MeasuredRun measured{reports::repeated_steps(run.step_ns), machine,
                                      options.kernels};
  const Trace& trace = run.traces[measured.steps.median_step];
  const reports::Metrics metrics = reports::compute_metrics(trace);
  const std::string summary = reports::summary_json(metrics, measured);
  if (folder) write_outputs(*folder, trace, summary, progress);
  progress.finish();
  if (options.json) {
    print(summary);
  } else if (!options.quiet) {
    std::string text = run_text(options, scenario, schedule, metrics, measured_text(measured));
    if (!options.out.empty()) text += fmt::format("\nWritten to {}\n", options.out);
    print(text);
  }
  return kDone;
}

std::vector<Phase> plan_of(const RunOptions& options) {
  using namespace phase;
  std::vector<Phase> plan{kSchedule, kLower, kRun, kFigures};
  if (!options.out.empty()) {
    plan.insert(plan.begin() + 3, kWriteSchedule);
    const std::vector<Phase> outputs = output_phases();
    plan.insert(plan.end(), outputs.begin(), outputs.end());
  }
  return plan;
}

ProcessRun run_on_all(const Program& program, const RunOptions& options, hw::Processes& processes) {
  const HostRunOptions how = host_run_options(options);
  return is_on_cuda(options) ? run_on_cuda(program, how, processes)
                             : run_on_processes(program, how, processes);
}

// The traces of all measured steps are kept, since only the last tells which is the median.
void refuse_endless(const Program& program, int repeat) {
  constexpr double kMostBytes = 4.0 * 1024 * 1024 * 1024;
  std::size_t bytes =
      program.kernels.size() * sizeof(TraceKernel) + program.p2p_parts.size() * sizeof(TracePart);
  for (const RankProgram& rank : program.ranks) {
    for (const HostThread& thread : rank.threads) {
      bytes += thread.commands.size() * sizeof(HostRecord);
    }
  }
  const auto most = static_cast<std::int64_t>(kMostBytes / static_cast<double>(bytes + 1));
  if (repeat <= std::max<std::int64_t>(most, 1)) return;
  throw Error(fmt::format("--repeat {}: the traces of so many steps take more than 4 GiB", repeat),
              fmt::format("at most {}", most));
}

// What process 0 does, or the only one.
int run_and_report(const RunOptions& options, hw::Processes* processes) {
  const ScenarioInput input(options);
  const Scenario& scenario = input.scenario();
  const std::string machine = is_on_cuda(options) ? gpu_name() : "this machine's CPU";
  Progress progress(progress_options(options), estimated_kernels(scenario), plan_of(options));
  const Schedule schedule = input.schedule();
  progress.begin(phase::kLower);
  const Program program = lower(schedule, scenario);
  validate(program);
  refuse_endless(program, options.repeat);
  progress.count(program.kernels.size());
  // To see now whether it can be made; it is made when the run is over, since a process that MPI
  // ends has no time to clean up.
  if (!options.out.empty()) const RunFolder possible(options.out, options.force);
  progress.begin(phase::kRun);
  ProcessRun run;
  std::string where = machine;
  if (processes != nullptr) {
    run = run_on_all(program, options, *processes);
    where += fmt::format(" in {} processes (clocks within {})", program.ranks.size(),
                         duration_text(run.clock_bound_ns));
  } else if (is_on_cuda(options)) {
    run.outcome = run_on_cuda(program, host_run_options(options));
  } else {
    run.outcome = run_on_host(program, host_run_options(options));
  }
  std::optional<RunFolder> folder;
  if (!options.out.empty()) {
    progress.begin(phase::kWriteSchedule);
    progress.leave_signals();
    folder.emplace(options.out, options.force, [&progress] { progress.clear(); });
    write_inputs(*folder, scenario, schedule);
  }
  if (auto* deadlock = std::get_if<Deadlock>(&run.outcome)) {
    const ExplainedDeadlock found =
        explained(schedule, scenario, program, std::move(*deadlock), make_schedule);
    progress.finish();
    report_deadlock(options, found, folder);
    return kMachineFailed;
  }
  return report_run(options, scenario, schedule, std::get<hw::Run>(run.outcome), where, folder,
                    progress);
}

// What the others do: their part of the run, and nothing that is seen.
int run_along(const RunOptions& options, hw::Processes& processes) {
  const ScenarioInput input(options);
  const Program program = lower(input.schedule(), input.scenario());
  validate(program);
  const ProcessRun run = run_on_all(program, options, processes);
  return std::holds_alternative<Deadlock>(run.outcome) ? kMachineFailed : kDone;
}

}  // namespace

// An error of one process would leave the others waiting: it ends them all. Input that is wrong for
// all of them is told by process 0 alone, which has a second for it.
int run_command(const RunOptions& options) {
  const std::unique_ptr<hw::Processes> processes = hw::mpi_processes();
  if (!processes) return run_and_report(options, nullptr);
  try {
    return processes->process() == 0 ? run_and_report(options, processes.get())
                                     : run_along(options, *processes);
  } catch (const Error& error) {
    if (processes->process() == 0) processes->abort(error.what(), kBadInput);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    processes->abort(fmt::format("process {}: {}", processes->process(), error.what()), kBadInput);
  } catch (const std::exception& error) {
    processes->abort(std::string("error: ") + error.what(), kMachineFailed);
  }
  return kMachineFailed;
}

}  // namespace steptwin::cli
