#include "model/formats/torch_cell.h"

#include <doctest/doctest.h>

#include "model/error.h"

namespace steptwin {
namespace {

const std::string kOneOf =
    "; expected one of F, I, W, B, UNSHARD, RESHARD, REDUCE_GRAD, SEND_F, RECV_F, SEND_B, RECV_B";

struct Taken {
  Slot slot;
  std::vector<PlacedLeaf> leaves;
  TorchForgiven forgiven;
  std::size_t end = 0;
};

Taken take(const std::string& text, bool lenient = false,
           TorchDialect dialect = TorchDialect::current) {
  TextCursor cursor(text, "f");
  StepListing listing;
  listing.ranks.emplace_back();
  Taken taken;
  taken.slot = take_torch_cell(cursor, listing, {lenient, dialect}, taken.forgiven);
  taken.leaves = listing.ranks.back().leaves;
  taken.end = cursor.at();
  return taken;
}

void check_refused(const std::string& text, const std::string& message, bool lenient = false,
                   TorchDialect dialect = TorchDialect::current) {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(take(text, lenient, dialect), ("f:1:" + message).c_str(), Error);
}

std::string cell_of(const Step& step) {
  std::string text;
  append_torch_cell(text, step);
  return text;
}

struct Pair {
  const char* cell;
  Step step;
};

// The stage of a transfer is the one that acts, at both ends.
const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {"2F0", make_step(StepType::fwd, 2, 0)},
      {"0I13", make_step(StepType::bwd_input, 0, 13)},
      {"10W1", make_step(StepType::bwd_weight, 10, 1)},
      {"7B3", make_step(StepType::bwd, 7, 3)},
      {"0SEND_F3", make_step(StepType::fwd_send, 0, 3)},
      {"1RECV_F3", make_step(StepType::fwd_recv, 1, 3)},
      {"1SEND_B3", make_step(StepType::bwd_send, 1, 3)},
      {"0RECV_B3", make_step(StepType::bwd_recv, 0, 3)},
      {"1UNSHARD", make_stage_step(StepType::fsdp_unshard, 1)},
      {"1RESHARD", make_stage_step(StepType::fsdp_reshard, 1)},
      {"12REDUCE_GRAD", make_stage_step(StepType::fsdp_reduce_grad, 12)},
      {"(0F7;7B3)OVERLAP_F_B", make_overlap(StepType::overlap_f_b, make_step(StepType::fwd, 0, 7),
                                            make_step(StepType::bwd, 7, 3))},
      {"(3F1;0I0)OVERLAP_F_B", make_overlap(StepType::overlap_f_b, make_step(StepType::fwd, 3, 1),
                                            make_step(StepType::bwd_input, 0, 0))},
  };
  return all;
}

TEST_CASE("every action, read and written") {
  for (const Pair& pair : pairs()) {
    CAPTURE(pair.cell);
    CHECK(cell_of(pair.step) == pair.cell);
    for (const bool lenient : {false, true}) {
      const Taken taken = take(pair.cell, lenient);
      REQUIRE(taken.slot);
      CHECK(*taken.slot == pair.step);
      CHECK(taken.end == std::string(pair.cell).size());
    }
  }
}

TEST_CASE("which steps have an action") {
  CHECK(is_torch_action(StepType::fwd));
  CHECK(is_torch_action(StepType::fsdp_unshard));
  for (const StepType type : {StepType::data_load, StepType::swap_wait_load,
                              StepType::batch_send_recv, StepType::overlap_f_b}) {
    CHECK_FALSE(is_torch_action(type));
  }
}

TEST_CASE("nothing is a bubble; blanks and double quotes around a cell make no difference") {
  for (const char* text : {"", ",0F0", "  \t", "\"\"", "\" \"", "\r\n"}) {
    CAPTURE(text);
    CHECK_FALSE(take(text).slot);
  }
  for (const char* text : {" 2F0 ", "\"2F0\"", "\t2F0,1", "\" 2F0 \",", "2F0\r\n", "02F00"}) {
    CAPTURE(text);
    CHECK(*take(text).slot == make_step(StepType::fwd, 2, 0));
  }
  CHECK(*take("( 0F7 ; 7B3 )OVERLAP_F_B ").slot == pairs()[11].step);
}

TEST_CASE("leaves are noted with their places, those of an overlap too") {
  const Taken taken = take(" (0F7; 7B3)OVERLAP_F_B");
  REQUIRE(taken.leaves.size() == 2);
  CHECK(taken.leaves[0].at == 2);
  CHECK(taken.leaves[0].type == StepType::fwd);
  CHECK(taken.leaves[1].at == 7);
  CHECK(taken.leaves[1].stage == 7);
  CHECK(taken.leaves[1].micro == 3);
}

TEST_CASE("a malformed action is refused where it goes wrong") {
  const std::string action = "; expected an action, such as 0F0: stage, name, micro-batch";
  check_refused("F0", "1: error: unexpected \"F0\"" + action);
  check_refused(" -1F0", "2: error: unexpected \"-\"" + action);
  check_refused("2",
                "2: error: unexpected end of file; expected the name of an action behind the "
                "stage, as in 0F0");
  check_refused("2X0", "2: error: there is no action \"X\"" + kOneOf);
  check_refused("2SEND_C0",
                "2: error: there is no action \"SEND_C\"; expected an action, perhaps SEND_F");
  check_refused("2f0", "2: error: there is no action \"f\"" + kOneOf);
  check_refused("2OVERLAP_F_B", "2: error: there is no action \"OVERLAP_F_B\"" + kOneOf);
  check_refused("2F", "3: error: F without a micro-batch; expected a micro-batch number, as in F0");
  check_refused("2RECV_B,",
                "8: error: RECV_B without a micro-batch; expected a micro-batch number, "
                "as in RECV_B0");
  check_refused("1UNSHARD0", "9: error: UNSHARD has no micro-batch; expected nothing behind it");
  check_refused("16777216F0",
                "1: error: the number \"16777216\" is too large; expected a stage "
                "number, 0 to 16777215");
  check_refused("\"0F0", "5: error: unexpected end of file; expected the second \" of the cell");
}

TEST_CASE("a malformed overlap is refused where it goes wrong") {
  const std::string two = "; expected two actions: F, and then B or I";
  check_refused("()OVERLAP_F_B",
                "2: error: unexpected \")\"; expected an action, such as 0F0: stage, name, "
                "micro-batch");
  check_refused("(0F1)OVERLAP_F_B", "1: error: OVERLAP_F_B of 1 action" + two);
  check_refused("(0F1;0B0;0F2)OVERLAP_F_B", "10: error: OVERLAP_F_B of 3 actions" + two);
  check_refused("(1B0;0F1)OVERLAP_F_B", "2: error: B as the first half of OVERLAP_F_B" + two);
  check_refused("(0F1;1W0)OVERLAP_F_B", "6: error: W as the second half of OVERLAP_F_B" + two);
  check_refused("(0F1;1F0)OVERLAP_F_B", "6: error: F as the second half of OVERLAP_F_B" + two);
  check_refused("(0F1,1B0)OVERLAP_F_B",
                "5: error: unexpected \",\"; expected \";\" and an action, or \")\"");
  check_refused("(0F1;1B0)",
                "10: error: unexpected end of file; expected OVERLAP_F_B behind the "
                "parenthesis");
  check_refused("(0F1;1B0)F0",
                "10: error: unexpected \"F0\"; expected OVERLAP_F_B behind the parenthesis");
  check_refused("((0F1;1B0)OVERLAP_F_B)OVERLAP_F_B",
                "2: error: unexpected \"(\"; expected an action, such as 0F0: stage, name, "
                "micro-batch");
}

TEST_CASE("strictly, nothing may follow an action: whoever reads the row finds it") {
  CHECK(take("2F0junk").end == 3);
  CHECK(take("2F0 3F0").end == 4);
}

TEST_CASE("leniently, what PyTorch passes over is passed over and counted") {
  Taken taken = take("2F0junk,1F0", true);
  CHECK(*taken.slot == make_step(StepType::fwd, 2, 0));
  CHECK(taken.end == 7);
  CHECK(taken.forgiven.trailing == 1);

  taken = take("1UNSHARDED 4", true);
  CHECK(*taken.slot == make_stage_step(StepType::fsdp_unshard, 1));
  CHECK(taken.forgiven.trailing == 1);

  taken = take("1UNSHARD7", true);
  CHECK(*taken.slot == make_stage_step(StepType::fsdp_unshard, 1));
  CHECK(taken.forgiven.surplus_micro == 1);
  CHECK(taken.forgiven.trailing == 0);

  taken = take("(;0F7x;;7B3 y)OVERLAP_F_B", true);
  CHECK(*taken.slot == pairs()[11].step);
  CHECK(taken.forgiven.empty_action == 2);
  CHECK(taken.forgiven.trailing == 2);

  taken = take("(7B3;0F7)OVERLAP_F_B", true);
  CHECK(*taken.slot == make_overlap(StepType::overlap_b_f, make_step(StepType::bwd, 7, 3),
                                    make_step(StepType::fwd, 0, 7)));
  CHECK(taken.forgiven.backward_first == 1);

  taken = take("\"2F0junk\"", true);
  CHECK(*taken.slot == make_step(StepType::fwd, 2, 0));
  CHECK(taken.end == 9);
}

TEST_CASE("leniently, what cannot be expressed is refused all the same") {
  check_refused("2F", "3: error: F without a micro-batch; expected a micro-batch number, as in F0",
                true);
  check_refused("0FOO",
                "3: error: F without a micro-batch; expected a micro-batch number, as in F0", true);
  check_refused("()OVERLAP_F_B",
                "1: error: OVERLAP_F_B of 0 actions; expected two actions: F, and then B or I",
                true);
  check_refused("(0F1;1B0)OVERLAP_F_B2",
                "10: error: unexpected \"OVERLAP_F_B2\"; expected OVERLAP_F_B behind the "
                "parenthesis",
                true);
  check_refused("2X0", "2: error: there is no action \"X\"" + kOneOf, true);
}

TEST_CASE("the old dialect: B is the input gradient, BW the whole backward") {
  for (const bool lenient : {false, true}) {
    const auto taken = [lenient](const char* text) {
      return *take(text, lenient, TorchDialect::old).slot;
    };
    CHECK(taken("2B0") == make_step(StepType::bwd_input, 2, 0));
    CHECK(taken("2W0") == make_step(StepType::bwd_weight, 2, 0));
    CHECK(taken("2BW0") == make_step(StepType::bwd, 2, 0));
    CHECK(taken("2SEND_B0") == make_step(StepType::bwd_send, 2, 0));
  }
  check_refused("2I0",
                "2: error: I in a file of the old dialect, in which BW is the whole backward; "
                "expected B, the input gradient of that dialect",
                false, TorchDialect::old);
  check_refused("2BW",
                "4: error: BW without a micro-batch; expected a micro-batch number, as in BW0",
                false, TorchDialect::old);
}

TEST_CASE("the dialect of a file") {
  for (const char* text : {"", "0F0,0B0", "0F0,0I0,0W0", "0F0,0SEND_F0,0B0", "0W0\r\n1F0,1I0"}) {
    CAPTURE(text);
    CHECK(torch_dialect(text) == TorchDialect::current);
  }
  for (const char* text :
       {"0F0,0BW0", "0F0,0B0,0W0", "0I0\n1BW0", "0W0", "(0F1;1BW0)OVERLAP_F_B"}) {
    CAPTURE(text);
    CHECK(torch_dialect(text) == TorchDialect::old);
  }
}

}  // namespace
}  // namespace steptwin
