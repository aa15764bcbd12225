#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "hw/device.h"
#include "hw/rank_run.h"
#include "hw/stop.h"
#include "model/program.h"
#include "model/trace.h"
#include "standstill/standstill.h"

namespace steptwin::hw {

// The machine failed: a device is lost, a peer is missing, data came out wrong.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RunOptions {
  int warmup = 1;  // iterations that are not measured; in the first all payloads are checked whole
  int repeat = 5;
  std::chrono::nanoseconds deadline = std::chrono::seconds(10);  // without progress
  bool traced = true;  // else only step times are measured
  Emulation emulation;
};

// What was measured. Times begin where all ranks were released together.
struct Run {
  std::vector<TimeNs> step_ns;  // of every measured iteration, until its last kernel ended; of one
                                // that is not traced as drained_ns
  std::vector<TimeNs> drained_ns;  // until the host had seen that all streams were empty
  std::vector<Trace> traces;       // of the same; empty if not traced
};

// For how long a run may make no progress: the deadline, beyond the longest single duration in the
// Program, on a device or a host thread.
std::chrono::nanoseconds patience_with(const Program& program, const RunOptions& options);

// Runs the Program on the job's devices: warm-up, then the measured iterations. A run that makes no
// progress for longer than patience_with() is given up, and
// explained as the simulator explains a deadlock. Throws MachineError if it ends otherwise before
// its end. `stop` is the one the job's devices know.
std::variant<Run, Deadlock> execute(const Program& program, Job& job, Stop& stop,
                                    const RunOptions& options);

}  // namespace steptwin::hw
