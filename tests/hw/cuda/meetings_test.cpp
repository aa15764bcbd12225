#include "hw/cuda/meetings.h"

#include <doctest/doctest.h>

#include "tests/sim/program_writer.h"

namespace steptwin::hw::cuda {
namespace {

P2pPart part(bool is_send, std::int32_t peer) {
  return {is_send, is_send ? StepType::fwd_send : StepType::fwd_recv, peer, 0, 0, 8, 0};
}

struct Measured {
  Stamps stamps;
  explicit Measured(const Program& program) {
    stamps.kernels.resize(program.kernels.size());
    stamps.parts.resize(program.p2p_parts.size());
  }
  // `order`: by rank, the kernels as they went to their streams.
  void find_starts_of(const Program& program, std::vector<std::vector<std::int64_t>> order) {
    stamps.communications = std::move(order);
    find_starts(program, stamps);
  }
  void set(std::size_t kernel, TimeNs ready, TimeNs end) {
    stamps.kernels[kernel] = {0, ready, ready, end};
  }
  TimeNs start(std::size_t kernel) const { return stamps.kernels[kernel].start_ns; }
  std::pair<TimeNs, TimeNs> span(std::size_t index) const {
    return {stamps.parts[index].begin_ns, stamps.parts[index].end_ns};
  }
};

using Span = std::pair<TimeNs, TimeNs>;

// System: rank 0 sends twice (k0, k1), rank 1 receives twice (k2, k3), of which the second is
// posted early: it matches by position all the same.
TEST_CASE("transfers of a pair match in order and begin with the later end") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter first(program, 0, 0);
  first.p2p(0, pair, {part(true, 1)});
  first.p2p(0, pair, {part(true, 1)});
  ThreadWriter second(program, 1, 0);
  second.p2p(0, pair, {part(false, 0)});
  second.p2p(0, pair, {part(false, 0)});
  Measured run(program);
  run.set(0, 10, 32);
  run.set(1, 33, 51);
  run.set(2, 20, 30);
  run.set(3, 31, 50);
  run.find_starts_of(program, {{0, 1}, {2, 3}});
  CHECK(run.start(0) == 20);
  CHECK(run.start(2) == 20);
  CHECK(run.start(1) == 33);
  CHECK(run.start(3) == 33);
  CHECK(run.span(0) == Span{20, 32});  // the only part of its kernel ends with it
  CHECK(run.span(2) == Span{20, 30});
}

TEST_CASE("the order is that of the streams, not that of the numbers") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter first(program, 0, 0);
  first.p2p(0, pair, {part(true, 1)});
  first.p2p(0, pair, {part(true, 1)});
  ThreadWriter second(program, 1, 0);
  second.p2p(0, pair, {part(false, 0)});
  second.p2p(0, pair, {part(false, 0)});
  Measured run(program);
  run.set(0, 40, 60);
  run.set(1, 10, 30);
  run.set(2, 20, 30);
  run.set(3, 50, 60);
  run.find_starts_of(program, {{1, 0}, {2, 3}});
  CHECK(run.start(1) == 20);
  CHECK(run.start(0) == 50);
}

TEST_CASE("what would begin after its end, by the clocks of two devices, begins with it") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).p2p(0, pair, {part(true, 1)});
  ThreadWriter(program, 1, 0).p2p(0, pair, {part(false, 0)});
  Measured run(program);
  run.set(0, 10, 14);
  run.set(1, 16, 19);
  run.find_starts_of(program, {{0}, {1}});
  CHECK(run.start(0) == 14);
  CHECK(run.span(0) == Span{14, 14});
  CHECK(run.span(1) == Span{14, 19});
}

// System: rank 1 exchanges with rank 0 and with rank 2 in one kernel (k1).
TEST_CASE("the parts of a kernel end by themselves, and the last with the kernel") {
  Program program = empty_program(3, {"comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter(program, 0, 0).p2p(0, all, {part(true, 1)});
  ThreadWriter(program, 1, 0).p2p(0, all, {part(false, 0), part(true, 2)});
  ThreadWriter(program, 2, 0).p2p(0, all, {part(false, 1)});
  Measured run(program);
  run.set(0, 5, 20);
  run.set(1, 10, 41);
  run.set(2, 30, 40);
  run.find_starts_of(program, {{0}, {1}, {2}});
  CHECK(run.start(1) == 10);
  CHECK(run.span(1) == Span{10, 20});
  CHECK(run.span(2) == Span{30, 41});
  CHECK(run.start(2) == 30);
}

TEST_CASE("a collective begins with its last member, each call for itself") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  for (const std::int32_t rank : {0, 1}) {
    ThreadWriter main(program, rank, 0);
    main.collective(0, pair, KernelKind::all_to_all, 0);
    main.collective(0, pair, KernelKind::all_reduce, 0);
  }
  Measured run(program);
  run.set(0, 10, 30);
  run.set(1, 31, 60);
  run.set(2, 25, 29);
  run.set(3, 30, 61);
  run.find_starts_of(program, {{0, 1}, {2, 3}});
  CHECK(run.start(0) == 25);
  CHECK(run.start(2) == 25);
  CHECK(run.start(1) == 31);
  CHECK(run.start(3) == 31);
}

}  // namespace
}  // namespace steptwin::hw::cuda
