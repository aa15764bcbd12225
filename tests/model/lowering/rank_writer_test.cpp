#include "model/lowering/rank_writer.h"

#include <doctest/doctest.h>

namespace steptwin {
namespace {

TEST_CASE("a rank begins with main; backward threads are numbered in the order they are made") {
  Program program;
  program.ranks.resize(2);
  RankWriter writer(program, 1);
  CHECK(writer.rank() == 1);
  CHECK(writer.new_backward_thread() == 1);
  CHECK(writer.new_backward_thread() == 2);
  REQUIRE(program.ranks[1].threads.size() == 3);
  CHECK(program.ranks[1].threads[0].name == "main");
  CHECK(program.ranks[1].threads[1].name == "backward.1");
  CHECK(program.ranks[1].threads[2].name == "backward.2");
  CHECK(program.ranks[0].threads.empty());
}

TEST_CASE("kernels are numbered through all ranks, events within a rank") {
  Program program;
  program.ranks.resize(2);
  RankWriter first(program, 0);
  RankWriter second(program, 1);
  CHECK(first.launch(Kernel{}) == 0);
  CHECK(second.launch(Kernel{}) == 1);
  CHECK(first.record(0) == 0);
  CHECK(first.record(0) == 1);
  CHECK(second.record(0) == 0);
  CHECK(program.kernels[0].rank == 0);
  CHECK(program.kernels[1].rank == 1);
  CHECK(program.ranks[0].events == 2);
  CHECK(program.ranks[1].events == 1);
}

TEST_CASE("a p2p kernel gets its part") {
  Program program;
  program.ranks.resize(1);
  RankWriter writer(program, 0);
  writer.launch_p2p(Kernel{}, {P2pPart{.is_send = true, .peer = 3, .bytes = 10, .transfer_ns = 5}});
  const std::int32_t second =
      writer.launch_p2p(Kernel{}, {P2pPart{.peer = 2, .bytes = 20, .transfer_ns = 7}});
  const Kernel& kernel = program.kernels[static_cast<std::size_t>(second)];
  CHECK(kernel.kind == KernelKind::p2p);
  CHECK(kernel.part_count == 1);
  CHECK(kernel.first_part == 1);
  CHECK(program.p2p_parts[1].peer == 2);
  CHECK(program.p2p_parts[1].bytes == 20);
  CHECK_FALSE(program.p2p_parts[1].is_send);
}

TEST_CASE("every command carries what its kind needs, and goes to the current thread") {
  Program program;
  program.ranks.resize(1);
  RankWriter writer(program, 0);
  const std::int32_t kernel = writer.launch({.stream = 3, .launches = 7});
  const std::int32_t event = writer.record(0, kernel);
  writer.wait(1, event);
  writer.host_wait(event);
  const std::int32_t thread = writer.new_backward_thread();
  writer.fork(thread);
  writer.on_thread(thread);
  writer.notify(Role::compute, Hook::c, 2);
  writer.rendezvous(Role::comm, Hook::a, 1);
  writer.depart();
  writer.on_thread(0);
  writer.join(thread);

  using enum CommandType;
  const std::vector<Command> main = {
      {.type = launch, .stream = 3, .index = 7, .kernel = 0},
      {.type = record, .stream = 0, .index = 0, .kernel = 0},
      {.type = wait, .stream = 1, .index = 0},
      {.type = host_wait, .index = 0},
      {.type = fork, .index = 1},
      {.type = join, .index = 1},
  };
  const std::vector<Command> backward = {
      {.type = notify, .role = Role::compute, .hook = Hook::c, .index = 2},
      {.type = rendezvous, .role = Role::comm, .hook = Hook::a, .index = 1},
      {.type = depart},
  };
  CHECK((program.ranks[0].threads[0].commands == main));
  CHECK((program.ranks[0].threads[1].commands == backward));
}

}  // namespace
}  // namespace steptwin
