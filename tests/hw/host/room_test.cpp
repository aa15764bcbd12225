#include "hw/host/room.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/sim/program_writer.h"

namespace steptwin::hw {
namespace {

Kernel copy_of(std::int32_t stream, Bytes bytes) {
  Kernel copy;
  copy.stream = stream;
  copy.kind = KernelKind::copy;
  copy.bytes = bytes;
  return copy;
}

TEST_CASE("each stream has room for the largest of its transfers, part by part") {
  Program program = empty_program(2, {"compute", "comm", "copy"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 7);
  CHECK(payload_bytes(program) == std::vector<double>{0, 0});
  main.send(1, pair, 1, 0, 80);
  main.send(1, pair, 1, 0, 40);  // takes the room of the other
  CHECK(payload_bytes(program) == std::vector<double>{80, 0});
  main.p2p(
      1, pair,
      {{true, StepType::fwd_send, 1, 0, 0, 64, 0}, {false, StepType::bwd_recv, 1, 0, 0, 24, 0}});
  CHECK(payload_bytes(program) == std::vector<double>{80 + 24, 0});
  main.launch(copy_of(2, 1000));
  CHECK(payload_bytes(program) == std::vector<double>{80 + 24 + 2 * 1000, 0});
  ThreadWriter(program, 1, 0).launch(copy_of(2, 16));
  CHECK(payload_bytes(program) == std::vector<double>{80 + 24 + 2 * 1000, 2 * 16});
}

TEST_CASE("collectives have room for what they bring and what they get") {
  const std::vector<std::pair<KernelKind, double>> bytes_of_kind = {
      {KernelKind::all_to_all, 64},
      {KernelKind::all_gather, 48},
      {KernelKind::reduce_scatter, 48},
      {KernelKind::all_reduce, 64}};
  for (const auto& [kind, bytes] : bytes_of_kind) {
    CAPTURE(name_of(kind));
    Program program = empty_program(2, {"comm"});
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter(program, 1, 0).collective(0, pair, kind, 0, 32);  // blocks of 16 bytes
    CHECK(payload_bytes(program) == std::vector<double>{0, bytes});
  }
}

TEST_CASE("payloads that the memory does not hold are refused") {
  Program program = empty_program(2, {"copy"});
  constexpr Bytes kTebibyte = Bytes{1} << 40;
  ThreadWriter(program, 0, 0).launch(copy_of(0, 1024));
  CHECK_NOTHROW(refuse_if_too_large(program));
  ThreadWriter(program, 1, 0).launch(copy_of(0, 1024 * kTebibyte));
  CHECK_THROWS_AS(refuse_if_too_large(program), Error);
  CHECK_NOTHROW(refuse_if_too_large(program, 0, 2));
  CHECK_THROWS_AS(refuse_if_too_large(program, 1, 2), Error);
}

TEST_CASE("the ranks of all processes of a machine share its memory") {
  Program program = empty_program(1, {"copy"});
  ThreadWriter(program, 0, 0).launch(copy_of(0, 1 << 20));
  CHECK_NOTHROW(refuse_if_too_large(program, 0, 8));
  CHECK_THROWS_AS(refuse_if_too_large(program, 0, 1 << 30), Error);
}

}  // namespace
}  // namespace steptwin::hw
