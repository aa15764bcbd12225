#pragma once

#include <cstddef>
#include <string>

#include "model/schedule.h"

namespace steptwin::reports {

struct GridOptions {
  bool color = false;     // ANSI colours
  std::size_t width = 0;  // longest line in columns; 0: lines as long as they need
};

// The compute steps of a schedule as a grid for the terminal, one row a rank, one column a slot.
// It shows order, not time: a column is a position in the rank's list, whatever the step costs.
//
//   slot   0   1   2      3      4   5
//   rank0  F0  F1         B0|F2  B1  B2
//   rank1      F0  B0|F1  B1|F2  B2
//
//   F forward, B backward
//
// F and B are FWD and BWD, I and W the input- and weight-gradient halves of a backward (BWD_INPUT
// and BWD_WEIGHT), followed by the micro-batch. If a rank holds several stages, a letter says
// which of them: F3a is the rank's first stage, F3b its second. B0|F2 is an overlap, sub-steps in
// their order. A bubble of the list is an empty cell; steps that do not compute take no cell.
//
// A column is as wide as its widest cell. Slots that do not fit into the width continue in a
// further block; a block has at least one column. In colour F is blue, B green, I cyan, W amber.
std::string grid_text(const Schedule& schedule, const GridOptions& options = {});

}  // namespace steptwin::reports
