#include "model/formats/stage_costs_csv.h"

#include <doctest/doctest.h>
#include <string>

#include "model/formats/scenario_toml.h"
#include "tests/scratch_folder.h"

namespace steptwin {
namespace {

const std::string kHeader = "stage,forward_us,backward_input_us,backward_weight_us\n";

std::string what_of(const std::string& text, std::int32_t stages = 2) {
  try {
    read_stage_costs(text, "c.csv", stages);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("columns and stages in any order, comments, blanks, sizes as texts") {
  const StageCostColumns costs = read_stage_costs(
      "# measured\n"
      "output_bytes, backward_weight_us ,stage,forward_us,backward_input_us\n"
      "\n"
      "32MiB, 3 ,1,1e3,2.5\n"
      "   # between\n"
      "512,\t6,0,4,5\n",
      "c.csv", 2);
  CHECK(costs.forward_us == std::vector<double>{4, 1000});
  CHECK(costs.backward_input_us == std::vector<double>{5, 2.5});
  CHECK(costs.backward_weight_us == std::vector<double>{6, 3});
  CHECK(costs.output_bytes == std::vector<Bytes>{512, Bytes{32} << 20});
  CHECK(costs.activation_bytes.empty());
  CHECK(costs.parameter_bytes.empty());
}

TEST_CASE("CRLF, a byte order mark, and no end of the last line") {
  const StageCostColumns costs = read_stage_costs(
      "\xEF\xBB\xBFstage,forward_us,backward_input_us,backward_weight_us,"
      "parameter_bytes,activation_bytes\r\n0,1,2,3,4,5\r\n1,6,7,8,9,10",
      "c.csv", 2);
  CHECK(costs.forward_us == std::vector<double>{1, 6});
  CHECK(costs.backward_weight_us == std::vector<double>{3, 8});
  CHECK(costs.parameter_bytes == std::vector<Bytes>{4, 9});
  CHECK(costs.activation_bytes == std::vector<Bytes>{5, 10});
}

TEST_CASE("a wrong header is an error at the column") {
  const std::string columns =
      "; expected stage,forward_us,backward_input_us,backward_weight_us[,activation_bytes,"
      "parameter_bytes,output_bytes]";
  CHECK(what_of("") == "c.csv:1:1: error: no header line" + columns);
  CHECK(what_of("# nothing\n") == "c.csv:1:1: error: no header line" + columns);
  CHECK(what_of("0,1,2,3\n") == "c.csv:1:1: error: unknown column \"0\"" + columns);
  CHECK(what_of("\n\nstage, forward\n") ==
        "c.csv:3:8: error: unknown column \"forward\"" + columns + "; did you mean forward_us?");
  CHECK(what_of("stage,forward_us,backward_input_us\n") ==
        "c.csv:1:1: error: no column backward_weight_us" + columns);
  CHECK(what_of("stage,forward_us,stage\n") ==
        "c.csv:1:18: error: a second column \"stage\"; expected each column once");
  CHECK(what_of("stage,micro,direction,duration_us\n")
            .starts_with("c.csv:1:7: error: unknown column \"micro\""));
  CHECK(what_of("stage,direction,micro,duration_us\n")
            .starts_with("c.csv:1:7: error: costs per operation are not available in this "
                         "version: column \"direction\""));
  CHECK(what_of("part,direction,size,duration_us\n")
            .starts_with("c.csv:1:1: error: costs per operation are not available"));
}

TEST_CASE("a wrong value is an error at its line and column") {
  const std::string duration = "; expected a number from 0 to 1000000000000";
  CHECK(what_of(kHeader + "0,1,2,3\n1,1, x,3\n") ==
        "c.csv:3:6: error: wrong duration \"x\"" + duration);
  CHECK(what_of(kHeader + "0,-1,2,3\n") == "c.csv:2:3: error: wrong duration \"-1\"" + duration);
  CHECK(what_of(kHeader + "0,1,nan,3\n") == "c.csv:2:5: error: wrong duration \"nan\"" + duration);
  CHECK(what_of(kHeader + "0,1,2,inf\n") == "c.csv:2:7: error: wrong duration \"inf\"" + duration);
  CHECK(what_of(kHeader + "0,1,2,1e13\n") ==
        "c.csv:2:7: error: wrong duration \"1e13\"" + duration);
  CHECK(what_of(kHeader + "0,,2,3\n") == "c.csv:2:3: error: wrong duration \"\"" + duration);
  CHECK(what_of(kHeader + "0,1us,2,3\n") == "c.csv:2:3: error: wrong duration \"1us\"" + duration);
  const std::string stage = "; expected a whole number from 0 to 1";
  CHECK(what_of(kHeader + "2,1,2,3\n") == "c.csv:2:1: error: wrong stage \"2\"" + stage);
  CHECK(what_of(kHeader + "-1,1,2,3\n") == "c.csv:2:1: error: wrong stage \"-1\"" + stage);
  CHECK(what_of(kHeader + "0.0,1,2,3\n") == "c.csv:2:1: error: wrong stage \"0.0\"" + stage);
  CHECK(what_of(kHeader + "99999999999,1,2,3\n") ==
        "c.csv:2:1: error: wrong stage \"99999999999\"" + stage);
  CHECK(what_of("output_bytes," + kHeader + "1 crate,0,1,2,3\n") ==
        "c.csv:2:1: error: wrong size \"1 crate\"; expected bytes from 0 to 2^62, or a text like "
        "64MiB");
}

TEST_CASE("lines that are too short, too long, twice or not there") {
  CHECK(what_of(kHeader + "0,1,2\n") ==
        "c.csv:2:5: error: 3 values in a line; expected 4, one per column of the header");
  CHECK(what_of(kHeader + "0,1,2,3,4\n") ==
        "c.csv:2:9: error: 5 values in a line; expected 4, one per column of the header");
  CHECK(what_of(kHeader + "x\n") ==
        "c.csv:2:1: error: 1 value in a line; expected 4, one per column of the header");
  const std::string once = "; expected each stage from 0 to 1 once";
  CHECK(what_of(kHeader + "1,1,2,3\n0,1,2,3\n1,1,2,3\n") ==
        "c.csv:4:1: error: stage 1 again" + once);
  CHECK(what_of(kHeader + "0,1,2,3\n0,1,2,3\n") == "c.csv:3:1: error: stage 0 again" + once);
  CHECK(what_of(kHeader + "1,1,2,3\n") == "c.csv: error: no line for stage 0" + once);
  CHECK(what_of(kHeader) == "c.csv: error: no line for stage 0" + once);
}

TEST_CASE("hostile files are errors, soon") {
  CHECK(what_of(std::string(100'000'000, 'a')) ==
        "c.csv: error: 100000000 bytes are too many; expected at most 4194304 bytes");
  CHECK(what_of(kHeader + "0,1,2,3\n" + std::string(1, '\0')) ==
        "c.csv:3:1: error: a zero byte; expected text");
  CHECK(what_of(std::string(4'000'000, ',')).starts_with("c.csv:1:1: error: unknown column \"\""));
  CHECK(what_of(kHeader + std::string(4'000'000, '9')).starts_with("c.csv:2:1: error: 1 value"));
  CHECK(what_of(kHeader + "0,1,2,3\n", 1 << 30).starts_with("c.csv: error: no line for stage 1"));
}

TEST_CASE("a scenario names its file relative to its own folder") {
  const ScratchFolder folder;
  folder.write("costs.csv", kHeader + "0,1,2,3\n1,4,5,6\n");
  folder.write("sizes.csv", "output_bytes," + kHeader + "7,0,1,2,3\n8,1,4,5,6\n");
  const std::string pipeline =
      "[pipeline]\nranks = 2\nmicro_batches = 4\nschedule = \"gpipe\"\n[stage]\n";
  const std::string file = folder / "s.toml";

  const Scenario plain = read_scenario(pipeline + "file = \"costs.csv\"\noutput_bytes = 9\n", file);
  CHECK(plain.stage.forward_us == std::vector<double>{1, 4});
  CHECK(plain.stage.backward_weight_us == std::vector<double>{3, 6});
  CHECK(plain.stage.output_bytes == std::vector<Bytes>{9});
  const Scenario sized = read_scenario(pipeline + "file = \"sizes.csv\"\n", file);
  CHECK(sized.stage.output_bytes == std::vector<Bytes>{7, 8});
  const Scenario absolute =
      read_scenario(pipeline + "file = \"" + (folder / "costs.csv") + "\"\n", "elsewhere.toml");
  CHECK(absolute.stage.forward_us == std::vector<double>{1, 4});

  const auto what = [&](const std::string& keys) -> std::string {
    try {
      read_scenario(pipeline + keys, file);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(what("file = \"costs.csv\"\nforward_us = 3\n") ==
        file +
            ":7:14: error: stage.forward_us and \"costs.csv\" of stage.file are both given; "
            "expected one of them");
  CHECK(what("file = \"sizes.csv\"\noutput_bytes = 3\n").starts_with(file + ":7:16: error: "));
  CHECK(what("file = \"missing.csv\"\n")
            .starts_with(file + ":6:8: error: cannot read " + (folder / "missing.csv")));
}

}  // namespace
}  // namespace steptwin
