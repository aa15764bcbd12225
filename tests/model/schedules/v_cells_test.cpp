#include "model/schedules/v_cells.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

#include "model/error.h"
#include "tests/cell_words.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

TEST_CASE("micro-batches repeat the block six cells later") {
  const std::vector<VCells> ranks = repeated({{0, 1, 2, 3}, {8, 9, 10, 11}}, 3);
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].of(VPass::forward_up) == std::vector<Cell>{1, 7, 13});
  CHECK(ranks[1].of(VPass::backward_down) == std::vector<Cell>{11, 17, 23});
  CHECK(cell_text(ranks[0]) == "FfbB..FfbB..FfbB");
}

TEST_CASE("a BWD_WEIGHT has the first free cell after its backward, the last ones the end") {
  const auto filled = [](const std::string& line) {
    VCells cells = cells_of(line);
    fill_weights(cells);
    return cell_text(cells);
  };
  CHECK(filled(".Ff.b.B") == ".Ff.bwBw");
  CHECK(filled("FfbB..") == "FfbBww");
  CHECK(filled("Ffb..B") == "Ffbw.Bw");
}

TEST_CASE("the sweep goes cell by cell, ranks ascending, and counts each kind") {
  std::string text;
  sweep({cells_of("F.f.F"), cells_of(".F.w")},
        [&text](Cell cell, std::int32_t rank, CellWork work, std::int32_t number) {
          text += fmt::format("{}:{}{}{} ", cell, rank,
                              kCellLetters[static_cast<std::size_t>(work)], number);
        });
  CHECK(text == "0:0F0 1:1F0 2:0f0 3:1w0 4:0F1 ");
}

TEST_CASE("the first cell of a pass: after its input, and after the one before it") {
  const std::vector<VCells> placed = {cells_of("F.F.."), cells_of("..F..")};
  CHECK(earliest_cell(placed, {0, VPass::forward_down}, 1) == 3);
  CHECK(earliest_cell(placed, {1, VPass::forward_down}, 1) == 3);
  CHECK(earliest_cell(placed, {1, VPass::forward_up}, 1) == 3);
  const std::vector<VCells> back = {cells_of("F...fb"), cells_of(".F.f..")};
  CHECK(earliest_cell(back, {1, VPass::backward_up}, 1) == 6);
  CHECK(earliest_cell(back, {1, VPass::backward_up}, 2) == 7);
}

TEST_CASE("squeezed: the same order, as early as inputs allow") {
  const std::vector<VCells> ranks =
      squeezed({cells_of("F.......f..b..........B.w.w"), cells_of("...F..f.......b...B.w...w")});
  CHECK(cell_text(ranks[0]) == "F..fb..Bww");
  CHECK(cell_text(ranks[1]) == ".Ff..bBww");
}

TEST_CASE("steps by cell: BWD_WEIGHTs fill the free cells, those of the way up first") {
  CHECK(order_text(steps_by_cell(cells_of("FfbB..."), 1, 2)) == "1F0 2F0 2I0 1I0 2W0 1W0");
  CHECK(order_text(steps_by_cell(cells_of("Ff.b.BFfbB"), 0, 1)) ==
        "0F0 1F0 1I0 1W0 0I0 0F1 1F1 1I1 0I1 1W1 0W0 0W1");
  // Those of the input do not matter.
  CHECK(order_text(steps_by_cell(cells_of("FfbBww"), 0, 1)) == "0F0 1F0 1I0 0I0 1W0 0W0");
}

TEST_CASE("what would take a cell for each of too many ranks and moments is refused") {
  check_cell_ranks("v_half", kMostCellRanks);
  CHECK_THROWS_WITH_AS(check_cell_ranks("v_half", kMostCellRanks + 1),
                       "error: v_half with 1025 ranks; expected at most 1024: its order is found "
                       "cell by cell",
                       Error);
}

}  // namespace
}  // namespace steptwin
