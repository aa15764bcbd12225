#include "hw/payload.h"

#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "hw/collective.h"
#include "tests/sim/program_writer.h"

namespace steptwin::hw {
namespace {

// Rank 0 sends stage 0's activation of micro-batch `micro` to rank 1, which receives into stage 1.
Program transfer_of(std::int32_t micro, StepType send, std::int32_t from_stage) {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).p2p(1, pair, {{true, send, 1, from_stage, micro, 64, 0}});
  const bool forward = send == StepType::fwd_send;
  const StepType receive = forward ? StepType::fwd_recv : StepType::bwd_recv;
  const std::int32_t into = forward ? from_stage + 1 : from_stage - 1;
  ThreadWriter(program, 1, 0).p2p(1, pair, {{false, receive, 0, into, micro, 64, 0}});
  return program;
}

TEST_CASE("both ends of a transfer know the same payload, and every tensor has its own") {
  std::set<std::uint64_t> bases;
  for (const StepType send : {StepType::fwd_send, StepType::bwd_send}) {
    for (std::int32_t stage = 1; stage < 4; ++stage) {
      for (std::int32_t micro = 0; micro < 4; ++micro) {
        const Program program = transfer_of(micro, send, stage);
        const Pattern sent = part_pattern(program, program.kernels[0], 0);
        const Pattern received = part_pattern(program, program.kernels[1], 0);
        CHECK(sent.base == received.base);
        CHECK(sent.stride == received.stride);
        bases.insert(sent.base);
      }
    }
  }
  CHECK(bases.size() == 2 * 3 * 4);
}

TEST_CASE("several tensors of one step differ") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  const P2pPart part{true, StepType::fwd_send, 1, 0, 0, 64, 0};
  ThreadWriter(program, 0, 0).p2p(1, pair, {part, part});
  CHECK(part_pattern(program, program.kernels[0], 0).base !=
        part_pattern(program, program.kernels[0], 1).base);
}

TEST_CASE("words: whole ones that fit, one if there are any bytes") {
  CHECK(words_of(0) == 0);
  CHECK(words_of(1) == 1);
  CHECK(words_of(8) == 1);
  CHECK(words_of(15) == 1);
  CHECK(words_of(4096) == 512);
}

TEST_CASE("a wrong word is found where it is, if it is one of those looked at") {
  std::vector<std::uint64_t> words(1000, 0);
  const Pattern pattern{77, kWordStride};
  write_pattern(words, pattern, 1);
  CHECK(find_mismatch(words, pattern, 1) == 1000);
  CHECK(find_mismatch(words, {78, kWordStride}, 1) == 0);
  words[999] ^= 1;
  CHECK(find_mismatch(words, pattern, 512) == 999);
  words[999] ^= 1;
  words[512] ^= 1;
  CHECK(find_mismatch(words, pattern, 512) == 512);
  CHECK(find_mismatch(words, pattern, 1) == 512);
  words[512] ^= 1;
  words[513] ^= 1;
  CHECK(find_mismatch(words, pattern, 512) == 1000);
  CHECK(find_mismatch(words, pattern, 1) == 513);
  std::vector<std::uint64_t> shifted(words.begin() + 1, words.begin() + 100);
  CHECK(find_mismatch(shifted, pattern, 1) == 0);
  CHECK(find_mismatch({}, pattern, 1) == 0);
}

// What a member brings for a place is what is expected at that place, for every kind.
TEST_CASE("collectives: what is brought is what is expected; sums are of the same form") {
  Kernel kernel;
  kernel.kind = KernelKind::all_to_all;
  const std::vector<std::int32_t> members = {2, 5, 7};
  const auto call_of = [&](KernelKind kind, std::int32_t place, Kernel& own) {
    own = kernel;
    own.rank = members[static_cast<std::size_t>(place)];
    return Collective{kind, 0, members, place, 64, 0, &own};
  };
  Kernel first;
  Kernel second;
  const Collective to = call_of(KernelKind::all_to_all, 1, first);
  const Collective from = call_of(KernelKind::all_to_all, 2, second);
  CHECK(brought_blocks(from) == 3);
  CHECK(result_blocks(to) == 3);
  CHECK(brought_pattern(from, 1).base == result_pattern(to, 2).base);
  CHECK(brought_pattern(from, 0).base != result_pattern(to, 2).base);
  const Collective gathering = call_of(KernelKind::all_gather, 2, second);
  CHECK(brought_blocks(gathering) == 1);
  CHECK(brought_pattern(gathering, 0).base ==
        result_pattern(call_of(KernelKind::all_gather, 0, first), 2).base);
  std::uint64_t sum = 0;
  for (const std::int32_t place : {0, 1, 2}) {
    sum += brought_pattern(call_of(KernelKind::reduce_scatter, place, first), 1).base;
  }
  const Collective scattering = call_of(KernelKind::reduce_scatter, 1, second);
  CHECK(result_blocks(scattering) == 1);
  CHECK(result_pattern(scattering, 0).base == sum);
  CHECK(result_pattern(scattering, 0).stride == 3 * kWordStride);
  CHECK(result_pattern(call_of(KernelKind::all_reduce, 0, first), 1).base == sum);
}

}  // namespace
}  // namespace steptwin::hw
