#include "model/schedules/v_compact.h"

#include <doctest/doctest.h>
#include <string>

#include "tests/cell_words.h"

namespace steptwin {
namespace {

TEST_CASE("live: forwards without their BWD_WEIGHT, which runs where a cell is free") {
  CHECK(most_live({cells_of("FfbBww")}) == 2);
  CHECK(most_live({cells_of("FfbBwFwf")}) == 3 - 1);
  CHECK(most_live({cells_of("FfbB.F.f")}) == 2);
  CHECK(most_live({cells_of("FfbBF.f.")}) == 3);
  CHECK(most_live({cells_of("F"), cells_of("FF")}) == 2);
}

// System: one rank, two micro-batches. The warm-up ends at the first backward of stage 0, in cell
// 8; the last micro-batch has entered by then, so the step has no cool-down. Expectations: two were
// live at most, so the second F waits for the weight of the first f, which moves into cell 3.
TEST_CASE("warm-up: moved into free cells, without more being live than before") {
  const auto moved = with_ends_compacted({cells_of("F.f.bwF.BwfbwBw")});
  CHECK(cell_text(moved[0]) == "FfbwF...BwfbwBw");
}

TEST_CASE("cool-down: a pass goes into a free cell, the weights that ran there run later") {
  // The last micro-batch enters in cell 8; after that everything moves up as inputs allow.
  const std::vector<VCells> before = {cells_of("FfbB....F...f..b..B.")};
  CHECK(cell_text(with_cool_down_compacted(before)[0]) == "FfbB....FfbB");
}

TEST_CASE("cool-down: no pass moves where it would make more live") {
  // Two are live at most: F and f again only when both weights are through, in cells 4 and 5.
  const std::vector<VCells> before = {cells_of("FfbB..F.....f...b...B")};
  CHECK(most_live(before) == 2);
  CHECK(cell_text(with_cool_down_compacted(before)[0]) == "FfbB..FfbB");
}

TEST_CASE("what is steady stays where it is") {
  const std::vector<VCells> steady = {cells_of("FfbBwwF.fb.Bww")};
  CHECK(cell_text(with_ends_compacted(steady)[0]).substr(0, 7) == "FfbBwwF");
}

}  // namespace
}  // namespace steptwin
