#include "model/schedules/cell_line.h"

#include <doctest/doctest.h>

namespace steptwin {
namespace {

// System: forwards in cells 0, 1 and 4, a backward of two cells in 2.
//   cell   0 1 2 3 4
//   live   1 2 2 1 2
CellLine line_of_five() {
  CellLine line;
  line.place(0, 1, 1);
  line.place(1, 1, 1);
  line.place(2, 2, -1);
  line.place(4, 1, 1);
  return line;
}

TEST_CASE("free cells: between what is placed, and beyond its end") {
  CellLine line;
  CHECK(line.first_free(0, 1) == 0);
  line.place(1, 1, 1);
  line.place(3, 1, 1);
  CHECK(line.end() == 4);
  CHECK(line.first_free(0, 1) == 0);
  CHECK(line.first_free(1, 1) == 2);
  CHECK(line.first_free(0, 2) == 4);
  CHECK(line.first_free(9, 1) == 9);
  line.place(6, 1, 1);
  CHECK(line.first_free(0, 2) == 4);
  CHECK(line.first_free(5, 2) == 7);
  CHECK(line.first_free(3, 1) == 4);
}

TEST_CASE("a gap at the end continues beyond it") {
  CellLine line;
  line.place(0, 1, 1);
  line.place(3, 1, 1);
  CellLine shorter;
  shorter.place(0, 1, 1);
  CHECK(line.first_free(0, 3) == 4);
  CHECK(shorter.first_free(0, 3) == 1);
}

TEST_CASE("room: the first cell after the last one in which as many as the limit are live") {
  const CellLine line = line_of_five();
  CHECK(line.first_with_room(0, 3) == 0);
  CHECK(line.first_with_room(0, 2) == CellLine::kNever);
  CellLine drained = line;
  drained.place(5, 2, -1);  // live from cell 6 on: 1
  CHECK(drained.first_with_room(0, 2) == 6);
  CHECK(drained.first_with_room(7, 2) == 7);
  CHECK(drained.first_with_room(20, 2) == 20);
  CHECK(drained.first_with_room(0, 1) == CellLine::kNever);
}

TEST_CASE("what is placed before something else counts until it ends") {
  CellLine line;
  line.place(3, 1, 1);
  line.place(4, 1, -1);
  CHECK(line.first_with_room(0, 1) == 4);
  line.place(0, 1, 1);
  CHECK(line.first_with_room(0, 2) == 4);
  CHECK(line.first_with_room(0, 3) == 0);
}

}  // namespace
}  // namespace steptwin
