#include <algorithm>
#include <doctest/doctest.h>

#include "tests/cli/refused.h"
#include "tests/cli/run_program.h"
#include "tests/property_count.h"

namespace steptwin {
namespace {

TEST_CASE("unknown keys and sections, and sections that are still to come") {
  const TemporaryFolder folder;
  const std::string pipeline = "[pipeline]\nranks = 2\nmicro_batches = 4\nschedule = \"1f1b\"\n";
  const std::string right =
      pipeline + "[stage]\nforward_us = 1\nbackward_input_us = 1\nbackward_weight_us = 1\n";
  const std::vector<std::string> sections = {"pipeline", "overlap", "parallel",   "stage",
                                             "layers",   "moe",     "network",    "host",
                                             "comm",     "streams", "contention", "noise"};
  for (const std::string& section : sections) {
    std::string text = section == "layers" ? pipeline : right;
    const bool is_there = text.find("[" + section + "]") != std::string::npos;
    if (!is_there) text += "[" + section + "]\n";
    text.insert(text.find("[" + section + "]\n") + section.size() + 3, "zebra = 1\n");
    const auto line = std::count(text.begin(), text.begin() + text.find("zebra"), '\n') + 1;
    check_refused(folder, text,
                  "s.toml:" + std::to_string(line) + ":1: error: unknown key \"zebra\" in [" +
                      section + "]; expected one of ");
  }
  check_refused(folder, right + "[zebra]\n",
                "s.toml:9:2: error: unknown key \"zebra\"; expected one of name, pipeline, ");
  check_refused(folder, "ranks = 2\n" + right, "s.toml:1:1: error: unknown key \"ranks\"; ");
  for (const std::string section : {"model", "cluster"}) {
    check_refused(folder, right + "[" + section + "]\n",
                  "s.toml:9:1: error: [" + section + "] is not available in this version; ");
  }
  check_refused(folder, right + "[network.intra_node]\nlatency = 1\n",
                "s.toml:10:1: error: unknown key \"latency\" in [network.intra_node]; expected "
                "one of latency_us, bandwidth; did you mean latency_us?");
}

TEST_CASE("what a --set makes wrong is told of it, not of the line that it is in conflict with") {
  struct Rule {
    std::string set;
    std::string wrong;
  };
  const std::string file = scenario_path("pipeline_1f1b.toml");
  const std::string in_set = "--set pipeline.schedule: error: ";
  const std::vector<Rule> rules = {
      {"pipeline.chunks_per_rank=2",
       "--set pipeline.chunks_per_rank: error: chunks_per_rank is 2 with schedule 1f1b"},
      {"pipeline.overlap=b_f",
       "--set pipeline.overlap: error: overlap = \"b_f\" with schedule 1f1b"},
      {"pipeline.overlap=f_b",
       "--set pipeline.overlap: error: overlap = \"f_b\" with schedule 1f1b"},
      {"pipeline.less_memory=true",
       "--set pipeline.less_memory: error: less_memory with schedule 1f1b"},
      {"pipeline.stage_map=[0,1,2,0]",
       "--set pipeline.stage_map: error: stage_map puts stage 3 on rank 0"},
      {"pipeline.schedule=zbv", in_set + "chunks_per_rank is 1 with schedule zbv"},
      {"layers.per_stage=1",
       "--set layers.per_stage: error: stage.forward_us and [layers] are both given"},
      {"pipeline.schedule=zigzag", in_set + "pipeline.schedule is \"zigzag\""},
  };
  for (const Rule& rule : rules) {
    CAPTURE(rule.set);
    const RunResult run = run_program({"simulate", file, "--set", rule.set});
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    CHECK(run.errors.starts_with(rule.wrong));
    CHECK(run.errors.find("; expected ") != std::string::npos);
  }
}

TEST_CASE("the --set that is told is the one without which it would be right") {
  const std::string file = scenario_path("pipeline_1f1b.toml");
  const auto errors = [](const std::string& scenario, const std::vector<std::string>& sets) {
    std::vector<std::string> arguments = {"simulate", scenario};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    return run_program(arguments).errors;
  };
  CHECK(errors(file, {"pipeline.ranks=2", "pipeline.chunks_per_rank=2", "pipeline.micro_batches=4"})
            .starts_with("--set pipeline.chunks_per_rank: error: chunks_per_rank is 2 with "));
  CHECK(
      errors(file, {"pipeline.chunks_per_rank=2", "pipeline.schedule=zbv", "pipeline.overlap=b_f"})
          .starts_with("--set pipeline.overlap: error: overlap = \"b_f\" with schedule zbv"));
  // Of two in conflict, the one that the message is about, in whichever order.
  const std::vector<std::string> batches = {"pipeline.p2p=batch", "streams.preset=unqueued"};
  const std::string apart = "--set pipeline.p2p: error: pipeline.p2p has no effect because ";
  CHECK(errors(file, batches).starts_with(apart));
  CHECK(errors(file, {batches[1], batches[0]}).starts_with(apart));
  CHECK(errors(file, {batches[1]}).empty());
  CHECK(errors(file, {"pipeline.chunks_per_rank=2", "pipeline.schedule=gpipe"})
            .starts_with("--set pipeline.chunks_per_rank: error: chunks_per_rank is 2 with "));
  // One that it is not about is told where it alone is there.
  CHECK(errors(file, {"pipeline.micro_batches=4", "pipeline.schedule=zbv"})
            .starts_with("--set pipeline.schedule: error: chunks_per_rank is 1 with "));
  // A file that is wrong by itself is told so.
  const TemporaryFolder folder;
  const std::string wrong =
      folder.write("s.toml",
                   "[pipeline]\nranks = 2\nmicro_batches = 4\nchunks_per_rank = 2\n"
                   "schedule = \"1f1b\"\n[stage]\nforward_us = 1\nbackward_input_us = 1\n"
                   "backward_weight_us = 1\n");
  CHECK(errors(wrong, {"pipeline.ranks=3"})
            .starts_with(wrong + ":5:12: error: chunks_per_rank is 2 with schedule 1f1b"));
}

TEST_CASE("--set: a number that does not fit is no text") {
  const std::string file = scenario_path("pipeline_1f1b.toml");
  for (const std::string value : {"99999999999999999999999", "1e400", "-1.5e+999", "007"}) {
    CAPTURE(value);
    const RunResult run = run_program({"simulate", file, "--set", "pipeline.ranks=" + value});
    CHECK(run.status == 2);
    CHECK(run.errors.starts_with("--set pipeline.ranks: error: Error while parsing "));
    CHECK(run.errors.ends_with("; expected a number that fits into 64 bits\n"));
  }
}

TEST_CASE("--set: bad keys, bad values, and no value") {
  const std::vector<std::pair<std::string, std::string>> sets = {
      {"pipeline.micro_batches", "--set: error: \"pipeline.micro_batches\" is not an override; "},
      {"", "--set: error: \"\" is not an override; expected key=value, like "},
      {"=16", "--set: error: \"=16\" is not an override; expected key=value, like "},
      {"a b=1", "--set: error: \"a b=1\" is not an override; expected key=value, like "},
      {".=1", "--set: error: \".=1\" is not an override; expected key=value, like "},
      {"ranks=2", "--set ranks: error: unknown key \"ranks\"; expected one of name, pipeline, "},
      {"pipeline.rank=2",
       "--set pipeline.rank: error: unknown key \"rank\" in [pipeline]; expected one of ranks, "},
      {"pipeline=2", "--set pipeline: error: pipeline is 2; expected a table"},
      {"pipeline.ranks=", "--set pipeline.ranks: error: pipeline.ranks is \"\"; expected a whole"},
      {"pipeline.ranks=two", "--set pipeline.ranks: error: pipeline.ranks is \"two\"; expected "},
      {"pipeline.ranks=1e3", "--set pipeline.ranks: error: pipeline.ranks is 1000.0; expected "},
      {"pipeline.ranks.x=1", "--set pipeline.ranks.x: error: pipeline.ranks is a table; expected "},
      {"stage.forward_us=[1,2]",
       "--set stage.forward_us: error: stage.forward_us is a list of 2 values; expected one "},
      {"name=\"\x01\"", "--set name: error: "},
  };
  for (const auto& [set, errors] : sets) {
    CAPTURE(set);
    const RunResult run =
        run_program({"simulate", scenario_path("pipeline_1f1b.toml"), "--set", set});
    if (set.starts_with("name=")) {  // not TOML: then it is the text itself
      CHECK(run.status == 0);
      CHECK(run.output.starts_with("\"?\": 1f1b, "));
      continue;
    }
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    CHECK(run.errors.substr(0, errors.size()) == errors);
  }
}

TEST_CASE("what is no scenario at all") {
  const TemporaryFolder folder;
  const std::string missing =
      "s.toml:1:1: error: pipeline is missing; expected a section with ranks, micro_batches and "
      "schedule";
  check_refused(folder, "", missing);
  check_refused(folder, "\n\n# nothing\n", missing);
  check_refused(folder, "\xef\xbb\xbf", missing);
  check_refused(folder, "[pipeline]", "s.toml:1:1: error: pipeline.ranks is missing; expected ");
  check_refused(folder, "pipeline = 3", "s.toml:1:12: error: pipeline is 3; expected a table");
  check_refused(folder, "[pipeline]\nranks = 1\nmicro_batches = 1\nschedule = \"1f1b\"\n",
                "s.toml:1:1: error: no costs; expected [stage] or [layers]");
  check_refused(folder, "[pipeline\nranks = 2\n", "s.toml:1:10: error: Error while parsing ");
  check_refused(folder, "[pipeline]\nranks = \n", "s.toml:2:9: error: Error while parsing ");
  check_refused(folder, "[pipeline]\nranks = 2\nranks = 3\n", "s.toml:3:");
  check_refused(folder, std::string(1000, '\0'), "s.toml:1:1: error: Error while parsing ");
  check_refused(folder,
                std::string("\x7f"
                            "ELF\x02\x01\xff\xfe\n\0",
                            10),
                "s.toml:1:6: error: ");
  check_refused(folder, "name = \"\xc3\x28\"\n", "s.toml:1:");
  check_refused(folder, "a = " + std::string(100'000, '['), "s.toml:1:");
  check_refused(folder, "a" + std::string(100'000, '.') + "b = 1", "s.toml:1:9: error: a key of ");
}

TEST_CASE("inputs that are no file, or have no end") {
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  for (const std::string command : {"simulate", "schedule", "lower", "check"}) {
    CAPTURE(command);
    const auto errors_of = [&command](const std::string& input) {
      const RunResult run = run_program({command, input});
      CHECK(run.status == 2);
      CHECK(run.output.empty());
      return run.errors;
    };
    CHECK(errors_of(here + "/none.toml") ==
          here +
              "/none.toml: error: cannot be read: No such file or directory; expected a file "
              "that exists and is readable\n");
    CHECK(errors_of(here) == here + ": error: cannot be read: Is a directory; expected a file\n");
    CHECK(errors_of("") ==
          "error: the name of the input is empty; expected a file, or - to read from a pipe\n");
    CHECK(errors_of("/dev/zero").starts_with("/dev/zero: error: is longer than "));
    CHECK(errors_of("-").starts_with("-:1:1: error: "));
  }
}

TEST_CASE("a scenario comes from standard input as well") {
  RunRequest request;
  request.input = text_of_file(scenario_path("pipeline_1f1b.toml"));
  const RunResult piped = run_program({"simulate", "-"}, request);
  CHECK(piped.status == 0);
  CHECK(piped.output == run_program({"simulate", scenario_path("pipeline_1f1b.toml")}).output);
}

TEST_CASE("a line of 100 MB") {
  constexpr std::size_t kMostScenario = std::size_t{16} << 20U;
  const auto length = static_cast<std::size_t>(property_count(100'000'000));
  const TemporaryFolder folder;
  const std::string too_long = "s.toml: error: is longer than 16777216 bytes; expected ";
  if (length > kMostScenario) {
    check_refused(folder, "name = \"" + std::string(length, 'a') + "\"\n", too_long);
  }
  check_refused(folder, "name = \"" + std::string(kMostScenario - 10, 'a') + "\"\n",
                "s.toml:1:8: error: name is \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"...; expected ");
  std::string steps = "rank0:";
  while (steps.size() < length) steps += " FWD(s0,m0)";
  check_steps_refused(steps + " FWD(s0,x)", "s.steps:1:");
  check_steps_refused("rank0: FWD(s0,m" + std::string(length, '1') + ")",
                      "s.steps:1:16: error: the number \"11111111111111111111111111111111\"... is "
                      "too large; expected a micro-batch number, 0 to 16777215");
  check_steps_refused(std::string(length, 'r'), "s.steps:1:1: error: the format is not known: ");
  check_steps_refused("rank0: " + std::string(length, '['), "s.steps:1:9: error: ");
}

TEST_CASE("a step too large for the memory is refused before anything is made") {
  const std::string file = scenario_path("pipeline_1f1b.toml");
  const RunResult run = run_program({"simulate", file, "--set", "pipeline.micro_batches=10000000",
                                     "--set", "pipeline.ranks=100"});
  CHECK(run.status == 2);
  CHECK(run.output.empty());
  const std::string begin =
      "--set pipeline.micro_batches: error: 100 stages with 10000000 micro-batches would take "
      "about ";
  CHECK(run.errors.substr(0, begin.size()) == begin);
  CHECK(run.errors.find(" GB of memory; ") != std::string::npos);
  CHECK(run.errors.ends_with(" GB can be used here; expected fewer micro-batches or stages\n"));
  const RunResult steps = run_program({"simulate", file, "--set", "pipeline.micro_batches=10000000",
                                       "--set", "pipeline.ranks=1000"});
  CHECK(steps.status == 2);
  CHECK(steps.errors ==
        "--set pipeline.micro_batches: error: pipeline.micro_batches is 10000000, which makes "
        "20000000000 steps; expected at most 2147483648 steps: 2 * ranks * chunks_per_rank * "
        "micro_batches\n");
}

}  // namespace
}  // namespace steptwin
