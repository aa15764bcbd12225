#include "model/trace_of.h"

#include <doctest/doctest.h>
#include <vector>

#include "model/validate.h"
#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

// System: rank 0 computes and sends two tensors, one of them to rank 1 twice; its backward thread
// computes as well. Rank 1 receives.
struct Made {
  Made() {
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter main(program, 0, 0);
    ThreadWriter forked = main.fork();
    program.ranks[0].threads[1].name = "backward.1";
    main.compute(0, 10);
    forked.rendezvous(Role::comm);
    forked.commands().back().hook = Hook::b;
    forked.commands().back().index = 2;
    forked.compute(0, 20);
    main.join(forked);
    main.p2p(
        1, pair,
        {{true, StepType::fwd_send, 1, 0, 3, 64, 0}, {true, StepType::bwd_send, 1, 2, 4, 100, 0}});
    ThreadWriter other(program, 1, 0);
    other.p2p(1, pair, {{false, StepType::fwd_recv, 0, 1, 3, 64, 0}});
    other.p2p(1, pair, {{false, StepType::bwd_recv, 0, 1, 4, 100, 0}});
    MemoryChange change;
    change.rank = 0;
    change.memory = MemoryClass::activations;
    change.moment = MemoryMoment::start;
    change.kernels = {1, -1, -1};
    change.bytes = 500;
    program.memory.push_back(change);
    validate(program);
  }

  Program program = empty_program(2, {"compute", "comm"});
  std::vector<KernelTimes> kernels = {
      {0, 1, 2, 12}, {3, 12, 13, 33}, {34, 35, 36, 50}, {0, 30, 36, 40}, {1, 40, 41, 50}};
  std::vector<TimeSpan> parts = {{36, 40}, {41, 50}, {36, 40}, {41, 50}};
};

TEST_CASE("trace_of: kernels are what the Program says, at the times of the run") {
  const Made made;
  const Trace trace = trace_of(made.program, {made.kernels, made.parts, {}});
  REQUIRE(trace.ranks.size() == 2);
  CHECK(trace.ranks[0].streams == std::vector<std::string>{"compute", "comm"});
  CHECK(trace.ranks[0].threads == std::vector<std::string>{"main", "backward.1"});
  REQUIRE(trace.kernels.size() == 5);
  for (std::size_t index = 0; index < 5; ++index) {
    CHECK(trace.kernels[index].kernel == static_cast<std::int64_t>(index));
    CHECK(trace.kernels[index].times == made.kernels[index]);
  }
  CHECK(trace.kernels[0].thread == 0);
  CHECK(trace.kernels[1].thread == 1);
  CHECK(trace.kernels[2].stream == 1);
  CHECK(trace.kernels[2].kind == KernelKind::p2p);
  CHECK(trace.kernels[3].rank == 1);
  CHECK(trace.host.empty());
}

TEST_CASE("trace_of: the parts of a kernel with several have their own times, a single one none") {
  const Made made;
  const Trace trace = trace_of(made.program, {made.kernels, made.parts, {}});
  CHECK(trace.kernels[2].peers == std::vector<std::int32_t>{1, 1});
  CHECK(trace.kernels[2].bytes == 164);
  CHECK(trace.kernels[3].peers == std::vector<std::int32_t>{0});
  CHECK(trace.kernels[3].bytes == 64);
  CHECK(trace.kernels[3].first_part == -1);
  CHECK(parts_of(trace, trace.kernels[3]).empty());
  CHECK(trace.parts == std::vector<TracePart>{{StepType::fwd_send, 0, 3, 36, 40},
                                              {StepType::bwd_send, 2, 4, 41, 50}});
  CHECK(parts_of(trace, trace.kernels[2]).size() == 2);
}

TEST_CASE("trace_of: host records follow rank, thread and position") {
  const Made made;
  std::vector<TimeSpan> commands;
  for (TimeNs at = 0; at < 8; ++at) commands.push_back({10 * at, 10 * at + 5});
  const Trace trace = trace_of(made.program, {made.kernels, made.parts, commands});
  struct Expected {
    std::int32_t rank;
    std::int32_t thread;
    CommandType command;
    std::int64_t kernel;
  };
  const std::vector<Expected> all = {
      {0, 0, CommandType::fork, -1},       {0, 0, CommandType::launch, 0},
      {0, 0, CommandType::join, -1},       {0, 0, CommandType::launch, 2},
      {0, 1, CommandType::rendezvous, -1}, {0, 1, CommandType::launch, 1},
      {1, 0, CommandType::launch, 3},      {1, 0, CommandType::launch, 4}};
  REQUIRE(trace.host.size() == all.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    CAPTURE(index);
    const HostRecord& record = trace.host[index];
    CHECK(record.rank == all[index].rank);
    CHECK(record.thread == all[index].thread);
    CHECK(record.command == all[index].command);
    CHECK(record.kernel == all[index].kernel);
    CHECK(record.begin_ns == static_cast<TimeNs>(10 * index));
    CHECK(record.end_ns == static_cast<TimeNs>(10 * index + 5));
  }
  CHECK(trace.host[4].role == Role::comm);
  CHECK(trace.host[4].hook == Hook::b);
  CHECK(trace.host[4].layer == 2);
  CHECK(trace.host[5].layer == -1);  // index counts launches there
}

TEST_CASE("trace_of: memory changes when the run says") {
  const Made made;
  const Trace trace = trace_of(made.program, {made.kernels, made.parts, {}});
  CHECK(trace.memory == std::vector<MemoryRecord>{{0, 13, MemoryClass::activations, 500}});
}

}  // namespace
}  // namespace steptwin
