#include "tests/sim/trace_rules.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// System: launch 1. Rank 0: k0 compute, then k1, a send that waits for it; rank 1: k2, its receive.
//   rank 0 compute .|--k0--|
//   rank 0 comm    ........|=k1=|
//   rank 1 comm    .|......|=k2=|
//                  0 1     5    8
struct Pair {
  Pair() {
    program.host.launch_ns = 1;
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter main(program, 0, 0);
    main.compute(kCompute, 4);
    main.wait(kComm, main.record(kCompute));
    main.send(kComm, pair, 1, 3);
    ThreadWriter(program, 1, 0).recv(kComm, pair, 0, 3);
  }

  std::string first_broken() const {
    const std::vector<std::string> broken = broken_rules(program, times);
    return broken.empty() ? "" : broken.front();
  }

  Program program = empty_program(2, {"compute", "comm"});
  std::vector<KernelTimes> times = {{1, 1, 1, 5}, {2, 5, 5, 8}, {1, 1, 5, 8}};
};

TEST_CASE("trace rules: a right run breaks none") {
  CHECK(Pair().first_broken() == "");
}

TEST_CASE("trace rules: the four times are in order and durations are the program's") {
  Pair run;
  run.times[0] = {3, 1, 1, 5};
  CHECK(run.first_broken() == "kernel 0: enqueue 3 <= ready 1 <= start 1 <= end 5");
  run.times[0] = {-1, 1, 1, 5};
  CHECK(run.first_broken() == "kernel 0 was never enqueued");
  run.times[0] = {1, 1, 1, 6};
  CHECK(run.first_broken() == "kernel 0 takes 4 ns, not 5");
  run.times[0] = {1, 1, 2, 6};
  CHECK(run.first_broken() == "kernel 0 starts when it is ready");
}

TEST_CASE("trace rules: a wait holds its kernel back") {
  Pair run;
  run.times[1] = {2, 4, 4, 7};
  run.times[2] = {1, 1, 4, 7};
  CHECK(run.first_broken() == "kernel 1 is ready at 4, before its waits hold at 5");
}

TEST_CASE("trace rules: both ends of a transfer begin with the later one") {
  Pair run;
  run.times[2] = {1, 1, 4, 7};
  CHECK(run.first_broken() == "kernel 2 runs from 4 to 7, but its partners let it run from 5 to 8");
}

TEST_CASE("trace rules: launches are not enqueued before the host comes to them") {
  Pair run;
  run.times[1].enqueue_ns = 1;
  CHECK(run.first_broken() == "kernel 1 is enqueued at 1, but not before 2 can it be");
}

TEST_CASE("trace rules: a stream keeps its order and runs one kernel at a time") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 2);
  main.compute(kCompute, 2);
  CHECK(broken_rules(program, {{0, 0, 0, 2}, {0, 2, 2, 4}}).empty());
  CHECK(broken_rules(program, {{0, 0, 0, 2}, {0, 1, 1, 3}}) ==
        std::vector<std::string>{"kernel 1 is ready at 1, before kernel 0 ahead of it ends at 2"});
  CHECK(broken_rules(program, {{0, 2, 2, 4}, {0, 0, 0, 2}}) ==
        std::vector<std::string>{"kernel 0 is overtaken by a launch of its own thread"});
}

// System: main and the forked thread append k0 and k1 at the same instant.
TEST_CASE("trace rules: two threads at one instant may have appended in either order") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  ThreadWriter forked = main.fork();
  main.compute(kCompute, 2);
  forked.compute(kCompute, 2);
  main.join(forked);
  CHECK(broken_rules(program, {{0, 0, 0, 2}, {0, 2, 2, 4}}).empty());
  CHECK(broken_rules(program, {{0, 2, 2, 4}, {0, 0, 0, 2}}).empty());
  CHECK(broken_rules(program, {{0, 2, 2, 4}, {1, 1, 1, 3}}) ==
        std::vector<std::string>{"kernel 1 is ready at 1, before kernel 0 ahead of it ends at 4"});
}

TEST_CASE("trace rules: a collective starts with its last member and ends alike") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t all = add_communicator(program, {0, 1});
  for (const std::int32_t rank : {0, 1}) {
    ThreadWriter(program, rank, 0).collective(0, all, KernelKind::all_gather, 3);
  }
  CHECK(broken_rules(program, {{0, 0, 2, 5}, {0, 2, 2, 5}}).empty());
  CHECK(broken_rules(program, {{0, 0, 1, 4}, {0, 2, 2, 5}}) ==
        std::vector<std::string>{
            "kernel 0 runs from 1 to 4, but its partners let it run from 2 to 5"});
}

}  // namespace
}  // namespace steptwin
