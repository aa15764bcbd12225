#include <string>

#include "cli/commands.h"
#include "cli/dump_report.h"
#include "cli/files.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/recorded_run.h"
#include "cli/run_report.h"
#include "cli/scenario_input.h"
#include "model/error.h"
#include "reports/import/pp_summary.h"
#include "reports/metrics.h"
#include "reports/summary_json.h"
#include "reports/terminal.h"

namespace steptwin::cli {
namespace {

int report_dump(const ReportOptions& options) {
  const reports::PpDump dump = reports::read_pp_dump(options.input);
  const reports::PpSummary summary =
      reports::summary_of(dump, options.warmup.value_or(reports::default_warmup(dump)));
  if (options.json) {
    print(dump_json(summary));
  } else if (!options.quiet) {
    print(dump_text(summary, static_cast<std::size_t>(terminal_width()), use_color(options)));
  }
  return kDone;
}

// As the run itself printed it, if the scenario is there to say what was on.
std::string summary_text(const ReportOptions& options, const RecordedRun& run,
                         const reports::Metrics& metrics) {
  if (run.scenario_file.empty()) {
    reports::TerminalOptions terminal;
    terminal.color = use_color(options);
    terminal.width = terminal_width();
    terminal.title = printable(options.input);
    return reports::terminal_summary(metrics, terminal);
  }
  Options scenario_options;
  scenario_options.input = run.scenario_file;
  const ScenarioInput input(scenario_options);
  return run_text(options, input.scenario(), input.schedule(), metrics,
                  run.measured ? measured_text(*run.measured) : "");
}

int report_run(const ReportOptions& options) {
  if (options.warmup) {
    throw Error("--warmup is about a recorded pipeline run", "it with such a folder");
  }
  Progress progress(progress_options(options), estimated_kernels(options.input),
                    {phase::kReadTraces, phase::kFigures});
  const RecordedRun run = read_run(options.input);
  progress.count(run.trace.kernels.size());
  progress.begin(phase::kFigures);
  const reports::Metrics metrics = reports::compute_metrics(run.trace);
  progress.finish();
  if (options.json) {
    print(run.measured ? reports::summary_json(metrics, *run.measured)
                       : reports::summary_json(metrics));
  } else if (!options.quiet) {
    print(summary_text(options, run, metrics));
  }
  return kDone;
}

}  // namespace

int report_command(const ReportOptions& options) {
  return reports::is_pp_dump(options.input) ? report_dump(options) : report_run(options);
}

}  // namespace steptwin::cli
