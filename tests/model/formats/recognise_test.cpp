#include "model/formats/recognise.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"

namespace steptwin {
namespace {

const std::string kLookedFor =
    "; expected step lists, as compact text (rank0: FWD(s0,m0) -), as MetaStep text "
    "(rank0: [MetaStep(...), None]) or as PyTorch's CSV (0F0,0F1,,0B0)";

void check_unknown(const std::string& text, const std::string& message) {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(recognise_format(text, "f"), (message + kLookedFor).c_str(), Error);
}

TEST_CASE("compact text") {
  for (const char* text : {"rank0: FWD(s0,m0)", "rank0:", "rank3:\nrank0: -", "rank0 FWD",
                           "\xef\xbb\xbf\r\n# c\r\n\t rank12 : -"}) {
    CAPTURE(text);
    CHECK(recognise_format(text, "f") == ScheduleFormat::steps);
  }
}

TEST_CASE("MetaStep text") {
  for (const char* text : {"rank0: [MetaStep()]", "rank0:[]", "# c\nrank1 :\n\t( None )",
                           "rank0: # c\n # d\n [", "{0: []}", "{\n  # c\n  11: []}"}) {
    CAPTURE(text);
    CHECK(recognise_format(text, "f") == ScheduleFormat::metastep);
  }
}

TEST_CASE("PyTorch's CSV") {
  for (const char* text : {"0F0,0B0", ",1F0", "\"\"\n1F0", "(0F0;1B0)OVERLAP_F_B", "12UNSHARD",
                           "\xef\xbb\xbf"
                           "0X0",
                           "\r\n\r\n 0F0"}) {
    CAPTURE(text);
    CHECK(recognise_format(text, "f") == ScheduleFormat::torch_csv);
  }
}

TEST_CASE("what is none of them is named with what was looked for") {
  check_unknown("12", "f:1:1: error: the format is not known: it begins with \"12\"");
  check_unknown("12,13", "f:1:1: error: the format is not known: it begins with \"12\"");
  check_unknown("d0F0,d0F1", "f:1:1: error: the format is not known: it begins with \"d0F0\"");
  check_unknown("rank,stage", "f:1:1: error: the format is not known: it begins with \"rank\"");
  check_unknown("", "f:1:1: error: there is nothing in the file");
  check_unknown("# c\n\n", "f:3:1: error: there is nothing in the file");
  check_unknown("name = 1", "f:1:1: error: the format is not known: it begins with \"name\"");
  check_unknown("\n {\"format\": 1}",
                "f:2:2: error: the format is not known: it begins with \"{\"");
  check_unknown("ranks: 4", "f:1:1: error: the format is not known: it begins with \"ranks\"");
  check_unknown("\x1f\x8b\x08", "f:1:1: error: the format is not known: it begins with \"\\x1f\"");
  check_unknown(std::string(1, '\0'),
                "f:1:1: error: the format is not known: it begins with \"\\x00\"");
}

TEST_CASE("a schedule is read in any format") {
  const std::string long_text =
      "rank0: [MetaStep(type=MetaStepType.FWD, micro_index=2, stage_index=0)]";
  for (const std::string& text :
       {std::string("rank0: FWD(s0,m2)"), long_text, std::string("0F2\r\n")}) {
    CAPTURE(text);
    const Schedule schedule = read_schedule(text, "f");
    CHECK(schedule.micro_batches == 3);
    CHECK(schedule.ranks == std::vector<StepList>{{make_step(StepType::fwd, 0, 2)}});
    const PlacedSchedule placed = read_placed_schedule(text, "f");
    CHECK(placed.schedule.ranks == schedule.ranks);
    const char* const first = text == long_text ? "MetaStep(" : text[0] == '0' ? "0F2" : "FWD";
    CHECK(placed.slot_at.at(0).at(0) == text.find(first));
  }
}

TEST_CASE("leniency is for PyTorch's CSV alone") {
  const TorchReadOptions lenient{true};
  CHECK_THROWS_AS(read_schedule("0F0junk", "f"), Error);
  CHECK(read_schedule("0F0junk", "f", Misplaced::refused, lenient).micro_batches == 1);
  CHECK(reading_notes("0F0junk", "f", lenient).size() == 1);
  CHECK_THROWS_AS(read_schedule("rank0: FWD(s0,m0)junk", "f", Misplaced::refused, lenient), Error);
  CHECK(reading_notes("rank0: FWD(s0,m0)", "f", lenient).empty());
}

}  // namespace
}  // namespace steptwin
