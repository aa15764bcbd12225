#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/program.h"
#include "reports/import/pp_dump.h"

namespace steptwin::compare {

// The Program of a recorded 1F1B run, for simulating its iterations with other durations: the
// schedule of model/schedules/one_f_one_b.h, a kernel for every forward and backward, and transfers
// that nothing queues (streams.preset = "unqueued") and that no compute waits for but the one that
// consumes what they bring. All durations are 0 until they are set.
struct RecordedProgram {
  Program program;
  std::vector<std::vector<std::int32_t>> forward;  // kernel by rank and micro-batch
  std::vector<std::vector<std::int32_t>> backward;
  std::vector<std::int32_t> gaps;  // kernels that only keep a rank's compute stream busy
};

// Throws Error, at the file of the rank, if the iterations of the dump do not have the order of
// 1F1B.
RecordedProgram recorded_program(const reports::PpDump& dump);

// Each operation takes as long as in the iteration.
void set_durations(RecordedProgram& recorded, const reports::PpIteration& iteration);

// Each transfer takes `hop_ns`, and between two operations of a rank `gap_ns` pass in which it
// computes nothing; what an operation sends is on its way meanwhile.
void set_hop(RecordedProgram& recorded, TimeNs hop_ns);
void set_gap(RecordedProgram& recorded, TimeNs gap_ns);

// First start to last end.
TimeNs simulated_step_ns(const RecordedProgram& recorded);

}  // namespace steptwin::compare
