#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/schedule_forms.h"
#include "cli/usage.h"

// The command line of every command, and of the program. The one file that knows of CLI11: its
// headers take longer to compile than any command.
namespace steptwin::cli {
namespace {

constexpr const char* kVersion = "steptwin " STEPTWIN_VERSION;

// A command with --help that ends in an example.
CLI::App& add_command(CLI::App& program, const std::string& name, const std::string& does,
                      const std::string& example) {
  CLI::App& command = *program.add_subcommand(name, does);
  command.set_version_flag("--version", kVersion);
  command.footer("\nExample:\n  " + example);
  return command;
}

// Parsing the command sets `action`; the options outlive the parser in it.
template <typename CommandOptions>
void set_action(CLI::App& command, const std::shared_ptr<CommandOptions>& options,
                int (*run)(const CommandOptions&), Action& action) {
  command.callback([options, run, &action] { action = [options, run] { return run(*options); }; });
}

// A number from `least` to `most`; nan, of which no comparison tells, is none.
CLI::Validator number_between(double least, double most) {
  const std::string range = fmt::format("from {} to {}", least, most);
  return CLI::Validator(
      [least, most, range](const std::string& input) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(input, value);
        const bool is_right = is_number && value >= least && value <= most;
        return is_right ? std::string() : fmt::format("{} is not a number {}", input, range);
      },
      range);
}

// What several commands take.

void add_scenario_options(CLI::App& command, Options& options,
                          const std::string& input_help = "The scenario (TOML)") {
  command.add_option("input", options.input, input_help)->required()->type_name("FILE");
  command
      .add_option("--set", options.sets,
                  "Set a key of the scenario, as in --set pipeline.micro_batches=16; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_folder_options(CLI::App& command, Options& options) {
  CLI::Option* out =
      command.add_option("--out", options.out, "Write the run folder: trace, summary, schedule")
          ->check([](const std::string& path) { return path.empty() ? "a folder has a name" : ""; })
          ->type_name("DIR");
  command.add_flag("--force", options.force, "Replace the run folder if it exists")->needs(out);
}

void add_color_option(CLI::App& command, Options& options, const std::string& help) {
  command.add_option("--color", options.color, help)
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void add_output_options(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "Print the summary as JSON and nothing else");
  command.add_flag("--quiet", options.quiet, "Print nothing but errors");
  add_color_option(command, options, "Colour the output: auto, always, never");
}

// Of what makes a step of a scenario, simulated or real.
void add_step_options(CLI::App& command, Options& options) {
  add_scenario_options(command, options);
  add_folder_options(command, options);
  add_output_options(command, options);
}

void add_kernels_option(CLI::App& command, std::string& kernels) {
  command
      .add_option("--kernels", kernels,
                  "real: products and copies; timed: the modelled times, without using a core")
      ->check(CLI::IsMember({"real", "timed"}))
      ->capture_default_str();
}

void add_steps_option(CLI::App& command, const std::string& name, int& steps, int least,
                      const std::string& help) {
  constexpr int kMost = 100'000;
  command.add_option(name, steps, help)->check(CLI::Range(least, kMost))->capture_default_str();
}

void add_recorded_warmup_option(CLI::App& command, std::optional<std::int32_t>& warmup) {
  constexpr std::int32_t kMost = 1'000'000'000;
  command
      .add_option("--warmup", warmup,
                  "Iterations of a recorded run to leave out at its beginning; 2 unless given")
      ->check(CLI::Range(0, kMost))
      ->type_name("N");
}

// One command each.

void add_simulate(CLI::App& program, Action& action) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App& command =
      add_command(program, "simulate", "Simulate a scenario and print where its time goes",
                  "steptwin simulate scenarios/moe_overlap_hooks.toml --out runs/moe --timeline");
  add_step_options(command, *options);
  command.add_flag("--timeline", options->timeline, "Draw what every rank does over time")
      ->excludes("--json");
  set_action(command, options, simulate_command, action);
}

void add_run(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command =
      add_command(program, "run", "Run a scenario for real and print where its time goes",
                  "steptwin run scenarios/moe_overlap_hooks.toml --kernels timed --out runs/real");
  add_step_options(command, *options);
  command.add_option("--backend", options->backend, "What it runs on: host, or cuda")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  add_kernels_option(command, options->kernels);
  add_steps_option(command, "--repeat", options->repeat, 1, "Steps that are measured");
  add_steps_option(command, "--warmup", options->warmup, 0, "Steps before, that are not");
  constexpr double kShortest = 0.1;
  constexpr double kLongest = 86'400;
  command
      .add_option("--deadline", options->deadline_s, "Seconds without progress to give up after")
      ->check(number_between(kShortest, kLongest))
      ->capture_default_str();
  set_action(command, options, run_command, action);
}

void add_validate(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App& command = add_command(
      program, "validate", "Measure how far the simulator is off on this machine",
      "steptwin validate scenarios/validation/timed.toml --kernels timed --max-error 5");
  add_scenario_options(command, *options);
  add_output_options(command, *options);
  add_kernels_option(command, options->kernels);
  command.add_option("--cases", options->cases, "Settings of the scenario to go through (TOML)")
      ->type_name("FILE");
  command.add_option("--machine", options->machine, "A machine file; else it is measured first")
      ->type_name("FILE");
  add_steps_option(command, "--repeat", options->repeat, 1,
                   "Steps that are measured of every setting");
  constexpr double kMostPercent = 1e6;
  command
      .add_option("--max-error", options->max_error_percent,
                  "Exit with status 1 if a step time is off by more percent")
      ->check(number_between(0, kMostPercent));
  set_action(command, options, validate_command, action);
}

void add_calibrate(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = add_command(program, "calibrate",
                                  "Measure this machine: what hosts, products and transfers take",
                                  "steptwin calibrate --machine machine.toml");
  command.add_option("--machine", options->machine, "The machine file to write")
      ->capture_default_str();
  command.add_flag("--force", options->force, "Replace it");
  constexpr double kLeast = 0.05;
  constexpr double kMost = 100;
  command.add_option("--effort", options->effort, "1: some ten seconds")
      ->check(number_between(kLeast, kMost))
      ->capture_default_str();
  add_output_options(command, *options);
  set_action(command, options, calibrate_command, action);
}

void add_schedule(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ScheduleOptions>();
  CLI::App& command =
      add_command(program, "schedule", "Print the schedule of a scenario",
                  "steptwin schedule scenarios/moe_overlap_hooks.toml --format grid");
  add_scenario_options(command, *options);
  std::vector<std::string> formats = schedule_form_names();
  formats.emplace_back("grid");
  command
      .add_option("--format", options->format,
                  std::string(kScheduleFormsHelp) +
                      " What PyTorch's cannot express is said on standard error. grid: a picture")
      ->check(CLI::IsMember(formats))
      ->type_name("FORMAT");
  const CLI::Option* columns =
      command
          .add_option("--columns", options->columns,
                      "Of the grid: time as simulated, or slots of the step lists")
          ->check(CLI::IsMember({"time", "slots"}))
          ->type_name("WHAT");
  add_color_option(command, *options, "Colour the grid: auto, always, never");
  command.callback([options, columns, &action] {
    if (columns->count() > 0 && options->format != "grid") {
      throw CLI::ValidationError("--columns", "only a grid has columns, --format grid");
    }
    action = [options] { return schedule_command(*options); };
  });
}

void add_lower(CLI::App& program, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = add_command(
      program, "lower", "Print the Program that the scenario's schedule is lowered to, as JSON",
      "steptwin lower scenarios/moe_overlap_hooks.toml --set pipeline.micro_batches=2");
  add_scenario_options(command, *options);
  set_action(command, options, lower_command, action);
}

void add_check(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App& command = add_command(
      program, "check", "Check a schedule: is it complete, do its transfers pair, does it hang",
      "steptwin check scenarios/early_receive.toml");
  add_scenario_options(command, *options,
                       "The scenario (.toml), or a schedule in any format that is read");
  command.add_flag("--json", options->json, "Print the findings as JSON and nothing else");
  command.add_flag("--quiet", options->quiet, "Print findings only");
  command.add_flag("--lenient", options->lenient,
                   "Read PyTorch's CSV as forgivingly as PyTorch does");
  set_action(command, options, check_command, action);
}

void add_convert(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App& command =
      add_command(program, "convert", "Convert a schedule between the formats it can be written in",
                  "steptwin convert scenarios/schedules/dualpipe_v.csv --to steps");
  command
      .add_option("input", options->input,
                  "The schedule: compact text, MetaStep text, or PyTorch's CSV of either kind; "
                  "which it is, is recognised. What the new format cannot express is said on "
                  "standard error")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--to", options->to,
                  std::string(kScheduleFormsHelp) +
                      " Without transfers in the schedule, torch-comms places them, and FSDP "
                      "steps, where PyTorch does")
      ->required()
      ->check(CLI::IsMember(schedule_form_names()))
      ->type_name("FORMAT");
  CLI::Option* out =
      command.add_option("--out", options->out, "Write to a file, not to standard output")
          ->check([](const std::string& path) { return path.empty() ? "a file has a name" : ""; })
          ->type_name("FILE");
  command.add_flag("--force", options->force, "Replace the file if it exists")->needs(out);
  command.add_flag("--lenient", options->lenient,
                   "Read PyTorch's CSV as forgivingly as PyTorch does: pass over what follows an "
                   "action, take blank lines as ranks without steps");
  set_action(command, options, convert_command, action);
}

void add_compare(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App& command = add_command(
      program, "compare", "Compare a prediction with a measurement, or replay a recorded pipeline",
      "steptwin compare tests/data/pp_dump");
  command
      .add_option("A", options->input,
                  "The prediction: a run folder or trace.csv; alone: a recorded pipeline run, a "
                  "folder with config.json and pp_rank_N.json")
      ->required()
      ->type_name("PATH");
  command.add_option("B", options->other, "The measurement")->type_name("PATH");
  add_recorded_warmup_option(command, options->warmup);
  add_output_options(command, *options);
  set_action(command, options, compare_command, action);
}

void add_report(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App& command =
      add_command(program, "report", "Report on a run folder or on a recorded pipeline run",
                  "steptwin report tests/data/pp_dump");
  command
      .add_option("path", options->input,
                  "A run folder, a trace.csv, or a recorded pipeline run: a folder with "
                  "config.json and pp_rank_N.json")
      ->required()
      ->type_name("PATH");
  add_recorded_warmup_option(command, options->warmup);
  add_output_options(command, *options);
  set_action(command, options, report_command, action);
}

void add_commands(CLI::App& program, Action& action) {
  for (const auto add : {add_simulate, add_run, add_validate, add_calibrate, add_schedule,
                         add_lower, add_check, add_convert, add_compare, add_report}) {
    add(program, action);
  }
}

UsageError usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  if (!chosen.empty()) {
    return wrong_use(chosen.front()->get_name(), error.what(), program.remaining(true));
  }
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return no_command(program.remaining(), names);
}

Action printing(const std::string& text) {
  return [text] {
    print(text);
    return kDone;
  };
}

}  // namespace

Action action_of(int argc, const char* const* argv) {
  CLI::App program{
      "Simulates one training step of a pipeline-parallel model: its bubbles, its waits, and how "
      "much communication computing hides.",
      "steptwin"};
  program.set_version_flag("--version", kVersion);
  program.require_subcommand(1);
  program.footer("\nExample:\n  steptwin simulate scenarios/moe_overlap_hooks.toml --out runs/moe");
  Action action;
  add_commands(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return printing(program.help());
  } catch (const CLI::CallForVersion& version) {
    return printing(fmt::format("{}\n", version.what()));
  } catch (const CLI::ParseError& error) {
    throw usage_error(program, error);
  }
  return action;
}

}  // namespace steptwin::cli
