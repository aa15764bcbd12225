#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/command_line.h"
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

struct ReportOptions : Options {
  std::optional<std::int32_t> warmup;
};

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
  return run_text(options, input.scenario(), input.schedule(), metrics, "");
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
    print(reports::summary_json(metrics));
  } else if (!options.quiet) {
    print(summary_text(options, run, metrics));
  }
  return kDone;
}

int report_command(const ReportOptions& options) {
  return reports::is_pp_dump(options.input) ? report_dump(options) : report_run(options);
}

}  // namespace

void add_report_command(CLI::App& program, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      add_command(program, "report", "Report on a run folder or on a recorded pipeline run",
                  "steptwin report tests/data/pp_dump");
  command
      ->add_option("path", options->input,
                   "A run folder, a trace.csv, or a recorded pipeline run: a folder with "
                   "config.json and pp_rank_N.json")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--warmup", options->warmup,
                   "Iterations of a recorded run to leave out at its beginning; 2 unless given")
      ->check(CLI::Range(0, 1'000'000'000))
      ->type_name("N");
  add_output_options(*command, *options);
  command->callback(
      [options, &action] { action = [options] { return report_command(*options); }; });
}

}  // namespace steptwin::cli
