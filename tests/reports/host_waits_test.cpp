#include "reports/host_waits.h"

#include <doctest/doctest.h>

#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

//            0    5    10   15   20   25
//   main     A A A A A A launch B B B B
//   backward launch A A A . . . host_wait launch
TEST_CASE("a rendezvous holds a thread while the other one does no host work") {
  TraceMaker maker(2);
  maker.rendezvous(0, 0, Hook::a, Role::comm, 0, 12)
      .host(0, 0, CommandType::launch, 12, 15)
      .rendezvous(0, 0, Hook::b, Role::compute, 15, 26)
      .host(0, 1, CommandType::launch, 0, 5)
      .host(0, 1, CommandType::record, 5, 6)
      .rendezvous(0, 1, Hook::a, Role::compute, 6, 14)
      .host(0, 1, CommandType::host_wait, 14, 20)
      .host(0, 1, CommandType::launch, 20, 24);
  const std::vector<HeldInRendezvous> held = held_in_rendezvous(maker.trace());
  REQUIRE(held.size() == 2);
  CHECK(held[0].main == IntervalSet({{6, 12}, {15, 20}, {24, 26}}));
  CHECK(held[0].forked == IntervalSet({{6, 12}}));  // [12,14): main launches
  CHECK(held[1].main.empty());
  CHECK(held[1].forked.empty());
}

TEST_CASE("a thread begins with its first command") {
  TraceMaker maker(2);
  maker.host(0, 0, CommandType::launch, 3, 4)
      .host(0, 0, CommandType::launch, 4, 9)
      .host(0, 1, CommandType::launch, 7, 8)
      .host(1, 0, CommandType::launch, 1, 2);
  CHECK(thread_begins(maker.trace()) == std::vector<std::vector<TimeNs>>{{3, 7}, {1, 0}});
}

TEST_CASE("rendezvous times add up by hook and role, and over threads") {
  TraceMaker maker(1);
  maker.rendezvous(0, 0, Hook::a, Role::comm, 0, 12)
      .rendezvous(0, 1, Hook::a, Role::compute, 6, 14)
      .rendezvous(0, 1, Hook::a, Role::compute, 20, 21);
  const RendezvousTimes times = rendezvous_times(maker.trace())[0];
  CHECK(times.total_ns == 21);
  CHECK(times.of(Hook::a, Role::comm) == 12);
  CHECK(times.of(Hook::a, Role::compute) == 9);
  CHECK(times.of(Hook::b, Role::comm) == 0);
}

}  // namespace
}  // namespace steptwin::reports
