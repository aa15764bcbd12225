#pragma once

#include <cstddef>
#include <string>

#include "model/trace.h"

namespace steptwin::reports {

struct TimelineOptions {
  bool color = false;
  bool ascii = false;          // only ASCII where colours are off; else box-drawing lines
  int width = 100;             // of a line, rank names included
  bool communication = false;  // a second row per rank
  std::size_t most_ranks = 32;
  bool bubbles = false;  // time without compute is dotted, to the end of the step
};

// The step as a picture, a row per rank:
//
//   rank 0 │F0──F1──F2──F3──            B0══════B1══════
//   rank 1 │    F0──B0══════F1──B1══════
//           0                                   12.00 ms
//
// Each cell shows the forward (F), backward or its input part (B) or weight part (W) of the
// micro-batch that computes longest in its time; a cell in which less than half is compute is
// blank. A run of cells of one micro-batch and stage begins with letter and number as far as they
// fit. In colour the background says which it is. Blank cells are dotted where bubbles are shown.
//
// A legend says what the letters that occur mean, on as many lines as the width asks for.
//
// The communication row shows p for p2p, d dispatch, c combine, x others, and a dot where a kernel
// waits for its peer.
std::string timeline_text(const Trace& trace, const TimelineOptions& options);

}  // namespace steptwin::reports
