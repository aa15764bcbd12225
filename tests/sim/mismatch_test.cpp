#include "sim/mismatch.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "sim/simulate.h"
#include "tests/sim/program_writer.h"

namespace steptwin::sim {
namespace {

constexpr std::int32_t kComm = 1;

std::string error_of(const Program& program) {
  try {
    simulate(program);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The receive arrives last, so it is the one that finds the difference.
TEST_CASE("a send and a receive that differ: both calls with their sizes and times") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).send(kComm, pair, 1, 2, 20);
  ThreadWriter(program, 1, 0).recv(kComm, pair, 0, 3, 20);
  CHECK(error_of(program) ==
        "error: a send and its receive differ: kernel 1 of rank 1, p2p of FWD_RECV(s1,m1) has 20 "
        "bytes in 3 ns, kernel 0 of rank 0, p2p of FWD_SEND(s0,m0) has 20 bytes in 2 ns; expected "
        "the same bytes and transfer time at both ends");
  program.p2p_parts[1].transfer_ns = 2;
  CHECK(error_of(program) == "");
  program.p2p_parts[1].bytes = 21;
  CHECK(error_of(program).find("has 21 bytes in 2 ns") != std::string::npos);
}

TEST_CASE("collectives that differ in kind, bytes or duration: both calls and the communicator") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).collective(kComm, all, KernelKind::all_to_all, 4, 8);
  ThreadWriter(program, 1, 0).collective(kComm, all, KernelKind::all_reduce, 4, 8);
  CHECK(error_of(program) ==
        "error: two members call different collectives on communicator c0: kernel 1 of rank 1, "
        "all_reduce of FWD(s1,m1) with 8 bytes in 4 ns, kernel 0 of rank 0, all_to_all of "
        "FWD(s0,m0) with 8 bytes in 4 ns; expected the same kind, bytes and duration from every "
        "member");
  program.kernels[1].kind = KernelKind::all_to_all;
  CHECK(error_of(program) == "");
  program.kernels[1].bytes = 9;
  CHECK(error_of(program).find("with 9 bytes in 4 ns") != std::string::npos);
  program.kernels[1].bytes = 8;
  program.kernels[1].duration_ns = 5;
  CHECK(error_of(program).find("with 8 bytes in 5 ns") != std::string::npos);
}

}  // namespace
}  // namespace steptwin::sim
