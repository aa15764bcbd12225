#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/sim/program_writer.h"
#include "tests/sim/random_draw.h"

namespace steptwin {

// One rank of a random Program while it is being drawn: its threads, and the overlap under way.
//
// A rendezvous makes one side COMM. Until that side has notified, everything drawn for the rank
// goes to it: the COMPUTE side comes later in the global order, so the order stays free of cycles.
struct RandomRank {
  RandomRank(Program& program, std::int32_t rank, std::size_t communicators)
      : main(program, rank, 0), owner(communicators, -1) {}

  ThreadWriter main;
  std::optional<ThreadWriter> forked;
  std::vector<std::int32_t> owner;   // side that uses a communicator in this overlap; -1 none yet
  std::int32_t comm_side = -1;       // the side that owes a notify
  bool wrong = false;                // this overlap is wrong on purpose
  std::vector<std::int32_t> events;  // recorded so far

  ThreadWriter& side(std::int32_t index) { return index == 0 ? main : *forked; }
};

void open_overlap(RandomRank& rank, Draw& draw, double wrong_overlaps);
void draw_rendezvous(RandomRank& rank, Draw& draw);
void pay_notify(RandomRank& rank, Draw& draw);
void close_overlap(RandomRank& rank, Draw& draw);

// The side that the next command of the rank is written to.
std::int32_t draw_side(RandomRank& rank, Draw& draw);
// The same for a launch on `communicator`; `keep_order` if its launches must come from one thread.
std::int32_t draw_side_for(RandomRank& rank, std::int32_t communicator, bool keep_order,
                           Draw& draw);

}  // namespace steptwin
