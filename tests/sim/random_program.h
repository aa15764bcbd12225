#pragma once

#include <random>

#include "model/program.h"

namespace steptwin {

// Random Programs that are valid by construction.
//
// One global order of operations is drawn and projected onto the ranks, so that a rank with one
// thread cannot deadlock: whatever an operation waits for stands before it in the global order, on
// every thread and stream. What can deadlock is what was put out of order afterwards (`perturbed`),
// an overlap whose two threads race for a stream, and one that is wrong on purpose
// (`wrong_overlaps`: roles that do not pair, a notify or a partner that never comes).
//
// Times are small whole numbers and often 0, so that ties abound; about a third of the Programs do
// nearly everything in a few instants of many rounds. Calls that match always agree in
// size, also when they are matched in another order than drawn: a communicator whose sizes vary is
// used by one thread of an overlap only, and perturbing keeps the order on it.
struct RandomProgramOptions {
  int max_ranks = 5;
  int max_streams = 4;          // of a rank
  int max_operations = 60;      // before projecting; a collective is one
  double overlaps = 0.7;        // share of programs with fork/join windows
  double wrong_overlaps = 0.1;  // share of overlaps that are wrong on purpose
  double perturbed = 0.3;       // share of programs with commands moved or dropped
  bool size_mismatch = false;   // change one communication kernel's size
  double eager = 0;             // share of programs with eager sends
  double contention = 0;        // share of programs with contention, each kind alone or several
};

Program random_program(std::mt19937_64& random, const RandomProgramOptions& options = {});

}  // namespace steptwin
