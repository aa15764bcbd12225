#include "tests/sim/work_rules.h"

#include <doctest/doctest.h>

#include "tests/scenarios.h"
#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

// System: rank 0 computes 20 while it sends 30 to rank 1; both at half rate as long as the other
// goes on. 20 of each by 40, the last 10 of the transfer alone: 50.
struct Halves {
  Halves() {
    program.contention.compute_loss = kWholeRate / 2;
    program.contention.comm_loss = kWholeRate / 2;
    program.contention.node = program.contention.host = {0, 0};
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter main(program, 0, 0);
    main.compute(0, 20);
    main.send(1, pair, 1, 30);
    ThreadWriter(program, 1, 0).recv(1, pair, 0, 30);
    trace = trace_of(program);
  }

  Program program = empty_program(2, {"compute", "comm"});
  Trace trace;
};

TEST_CASE("work rules: a right run loses none") {
  const Halves run;
  CHECK(run.trace.kernels[0].times.end_ns == 40);
  CHECK(run.trace.kernels[1].times.end_ns == 50);
  CHECK(lost_work(run.program, run.trace) == "");
}

TEST_CASE("work rules: an end a nanosecond early or late is found") {
  for (const TimeNs wrong_ns : {-1, 1}) {
    Halves run;
    run.trace.kernels[1].times.end_ns += wrong_ns;
    run.trace.kernels[2].times.end_ns += wrong_ns;
    CHECK(lost_work(run.program, run.trace).starts_with("kernel 1 from 0 to "));
    Halves other;
    other.trace.kernels[0].times.end_ns += 2 * wrong_ns;  // at half rate
    CHECK(lost_work(other.program, other.trace).starts_with("kernel 0 from 0 to "));
  }
}

TEST_CASE("work rules: a loss that was not there is found") {
  Halves run;
  run.program.contention.comm_loss = 0;
  CHECK(lost_work(run.program, run.trace).starts_with("kernel 1 from 0 to 50 did 50 of 30 ns"));
}

}  // namespace
}  // namespace steptwin
