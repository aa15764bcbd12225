#include "hw/cuda/needs.h"

#include <doctest/doctest.h>

#include "tests/sim/program_writer.h"

namespace steptwin::hw::cuda {
namespace {

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

TEST_CASE("room is for the largest kernel of each stream, with all its parts") {
  Program program = empty_program(2, {"compute", "comm", "copy"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 7);
  main.compute(0, 7);
  main.compute(0, 5);
  main.send(1, pair, 1, 0, 80);
  main.p2p(
      1, pair,
      {{true, StepType::fwd_send, 1, 0, 0, 64, 0}, {false, StepType::bwd_recv, 1, 0, 0, 0, 0}});
  Kernel copy;
  copy.stream = 2;
  copy.kind = KernelKind::copy;
  copy.bytes = 1001;
  main.launch(copy);
  const JobNeeds needs = needs_of(program);
  const RankNeeds& own = needs.ranks.at(0);
  CHECK(own.kernels == 6);
  CHECK(own.works == std::vector<WorkKind>{{5, 1}, {7, 1}});
  CHECK(own.streams[0].computes);
  CHECK_FALSE(own.streams[0].communicates);
  CHECK(own.streams[0].words == 0);
  CHECK(own.streams[1].communicates);
  CHECK(own.streams[1].words == 10);  // and not 8 and the one that nothing takes
  CHECK(own.streams[2].copied_bytes == 1001);
  CHECK(needs.ranks.at(1).kernels == 0);
  CHECK(needs.number == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  CHECK(needs.communicators.at(0).edges == Edges{{0, 1}, {1, 0}});
  CHECK(needs.communicators.at(0).stream_of == std::vector<std::int32_t>{1, -1});
}

TEST_CASE("collectives have room for what they bring and what they get") {
  const std::vector<std::pair<KernelKind, std::size_t>> words_of_kind = {
      {KernelKind::all_to_all, 8},
      {KernelKind::all_gather, 6},
      {KernelKind::reduce_scatter, 6},
      {KernelKind::all_reduce, 8}};
  for (const auto& [kind, words] : words_of_kind) {
    CAPTURE(name_of(kind));
    Program program = empty_program(2, {"comm"});
    const std::int32_t pair = add_communicator(program, {0, 1});
    for (const std::int32_t rank : {0, 1}) {
      ThreadWriter(program, rank, 0).collective(0, pair, kind, 0, 32);  // blocks of 2 words
    }
    const JobNeeds needs = needs_of(program);
    CHECK(needs.ranks.at(1).streams[0].words == words);
    CHECK(needs.communicators.at(0).collectives == std::vector<KernelKind>{kind});
    CHECK(needs.communicators.at(0).edges.empty());
  }
}

}  // namespace
}  // namespace steptwin::hw::cuda
