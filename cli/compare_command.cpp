#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/ladder_text.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/recorded_run.h"
#include "cli/replay_text.h"
#include "cli/scenario_input.h"
#include "compare/ladder.h"
#include "compare/measured_durations.h"
#include "compare/replay.h"
#include "model/error.h"
#include "model/scenario_program.h"
#include "reports/compare.h"
#include "reports/compare_json.h"
#include "reports/compare_text.h"
#include "reports/import/pp_summary.h"

namespace steptwin::cli {
namespace {

Program program_of(const RecordedRun& run) {
  Options options;
  options.input = run.scenario_file;
  const ScenarioInput input(options);
  return scenario_program(input.schedule(), input.scenario());
}

void require_trace_of(const Program& program, const RecordedRun& run,
                      const std::string& scenario_file) {
  const std::string difference = compare::first_difference(program, run.trace);
  if (difference.empty()) return;
  throw Error({run.trace_file, 0, 0}, difference,
              fmt::format("the kernels of {}; two traces of different programs are compared by "
                          "their trace.csv files",
                          scenario_file));
}

// Two run folders: both of the Program that the scenario of the first makes.
std::optional<std::vector<compare::Rung>> ladder_of(const RecordedRun& predicted,
                                                    const RecordedRun& measured) {
  if (predicted.scenario_file.empty() || measured.scenario_file.empty()) return std::nullopt;
  const Program program = program_of(predicted);
  require_trace_of(program, predicted, predicted.scenario_file);
  require_trace_of(program, measured, predicted.scenario_file);
  return compare::ladder(program, measured.trace);
}

std::string comparison_json(const CompareOptions& options, const reports::Comparison& comparison,
                            const std::optional<std::vector<compare::Rung>>& ladder) {
  rapidjson::StringBuffer buffer;
  reports::json::Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  reports::json::text(writer, "prediction", options.input);
  reports::json::text(writer, "measurement", options.other);
  write_comparison(writer, comparison);
  reports::json::key(writer, "ladder");
  if (ladder) {
    write_ladder(writer, *ladder);
  } else {
    writer.Null();
  }
  writer.EndObject();
  return reports::json::text_of(buffer);
}

std::string comparison_text(const CompareOptions& options, const reports::Comparison& comparison,
                            const std::optional<std::vector<compare::Rung>>& ladder) {
  const auto width = static_cast<std::size_t>(terminal_width());
  reports::CompareTextOptions text_options;
  text_options.color = use_color(options);
  text_options.width = width;
  text_options.title = fmt::format(
      "{} against {}: {} {} matched{}", printable(options.input), printable(options.other),
      comparison.matched, comparison.join == reports::Join::kernel ? "kernels" : "steps",
      comparison.join == reports::Join::kernel
          ? ""
          : ", by rank, stage, micro-batch and step, since their kernels differ");
  std::string text = compare_text(comparison, text_options);
  if (ladder) text += "\n" + ladder_text(*ladder, width, text_options.color);
  return text;
}

// A simulated step begins at 0, where a real one begins with the release of its ranks.
void begin_alike(Trace& predicted, Trace& measured) {
  if (!predicted.begin_ns && !measured.begin_ns) return;
  for (Trace* trace : {&predicted, &measured}) trace->begin_ns = trace->begin_ns.value_or(0);
}

int compare_runs(const CompareOptions& options) {
  for (const std::string& path : {options.input, options.other}) {
    if (!reports::is_pp_dump(path)) continue;
    throw Error({path, 0, 0}, "is a recorded pipeline run, which is replayed by itself",
                "two run folders or trace.csv files, or this folder alone");
  }
  Progress progress(progress_options(options), estimated_kernels(options.other),
                    {phase::kReadTraces, phase::kLadder, phase::kCompare});
  RecordedRun predicted = read_run(options.input);
  if (const reports::ProgressCallback told = progress.callback()) told(1, 2);
  RecordedRun measured = read_run(options.other);
  begin_alike(predicted.trace, measured.trace);
  progress.count(measured.trace.kernels.size());
  progress.begin(phase::kLadder);
  const std::optional<std::vector<compare::Rung>> ladder = ladder_of(predicted, measured);
  const bool is_same = ladder || reports::first_difference(predicted.trace, measured.trace).empty();
  const reports::Comparison comparison = reports::compare(
      predicted.trace, measured.trace, is_same ? reports::Join::kernel : reports::Join::step);
  progress.finish();
  if (options.json) {
    print(comparison_json(options, comparison, ladder));
  } else if (!options.quiet) {
    print(comparison_text(options, comparison, ladder));
  }
  return kDone;
}

int replay_dump(const CompareOptions& options) {
  if (!reports::is_pp_dump(options.input)) {
    throw Error({options.input, 0, 0}, "there is nothing to compare it with",
                "a second run folder or trace.csv, or a recorded pipeline run (config.json and "
                "pp_rank_0.json) alone");
  }
  const reports::PpDump dump = reports::read_pp_dump(options.input);
  const double kernels = 6.0 * dump.ranks * dump.micro_batches *
                         static_cast<double>(dump.iterations.size());  // F, B, a hop each, two ends
  Progress progress(progress_options(options), kernels, {phase::kReplay});
  const compare::Replay replay =
      compare::replay(dump, options.warmup.value_or(reports::default_warmup(dump)));
  progress.finish();
  if (options.json) {
    print(replay_json(replay));
  } else if (!options.quiet) {
    print(replay_text(replay, static_cast<std::size_t>(terminal_width()), use_color(options)));
  }
  return kDone;
}

}  // namespace

int compare_command(const CompareOptions& options) {
  if (options.other.empty()) return replay_dump(options);
  if (options.warmup) {
    throw Error("--warmup is about a recorded pipeline run", "it with such a folder alone");
  }
  return compare_runs(options);
}

}  // namespace steptwin::cli
