#include "sim/shared_rates.h"

#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/sim/program_writer.h"

namespace steptwin::sim {
namespace {

// Two ranks of one node and host, a communicator of both.
Program two_ranks() {
  Program program = empty_program(2, {"compute"});
  add_communicator(program, {0, 1});
  program.contention.node = {0, 0};
  program.contention.host = {0, 0};
  return program;
}

struct Ended {
  TimeNs at_ns = 0;
  std::int32_t stream = 0;

  friend bool operator==(const Ended&, const Ended&) = default;
};

// Who ends when, as the works' owners were told by their streams.
std::vector<Ended> run(SharedRates& rates) {
  std::vector<Ended> all;
  while (const auto next_ns = rates.next_ns()) {
    for (const WorkOwner& owner : rates.advance()) all.push_back({*next_ns, owner.stream});
  }
  return all;
}
using All = std::vector<Ended>;

TEST_CASE("nothing announced, nothing to come") {
  const Program program = two_ranks();
  CHECK_FALSE(SharedRates(program).next_ns().has_value());
}

TEST_CASE("works may be announced in any order, and begin when their time comes") {
  Program program = two_ranks();
  program.contention.host_cores = 1;
  SharedRates rates(program);
  rates.compute(20, 0, 10, {1});
  rates.compute(0, 1, 15, {2});
  rates.compute(10, 0, 10, {3});
  CHECK(rates.next_ns() == 0);
  // 10 of work 2 by 10; then half a core each: 2 is done at 20. From there 1 and 3, with 5 left of
  // 3, which is done at 30, and 1 does its last 5 alone.
  CHECK(run(rates) == All{{20, 2}, {30, 3}, {35, 1}});
}

TEST_CASE("what is announced meanwhile takes its share from then on") {
  Program program = two_ranks();
  program.contention.share_ports = true;
  SharedRates rates(program);
  rates.transfer(0, 0, 1, 30, {1});
  CHECK(rates.advance().empty());
  CHECK(rates.next_ns() == 30);
  rates.collective(10, 0, 10, {2});
  CHECK(rates.next_ns() == 10);
  CHECK(rates.advance().empty());
  CHECK(run(rates) == All{{30, 2}, {40, 1}});
}

TEST_CASE("a rank is occupied as often as was said, in whatever order at one instant") {
  Program program = two_ranks();
  program.contention.compute_loss = kWholeRate / 2;
  SharedRates rates(program);
  rates.compute(0, 0, 20, {1});
  rates.occupy(0, 0);
  rates.occupy(10, 0);
  rates.vacate(10, 0);
  rates.occupy(4, 1);  // somebody else
  rates.vacate(20, 0);
  CHECK(run(rates) == All{{30, 1}});
}

TEST_CASE("a place among the works is used again, and forgets who had it") {
  Program program = two_ranks();
  program.contention.comm_loss = kWholeRate / 2;
  SharedRates rates(program);
  rates.compute(0, 0, 10, {1});
  rates.transfer(0, 0, 1, 40, {2});
  CHECK(rates.advance().empty());
  CHECK(rates.advance() == std::vector<WorkOwner>{{1}});  // at 10, with 35 of 2 left
  rates.compute(10, 1, 6, {3});
  CHECK(run(rates) == All{{16, 3}, {48, 2}});
}

TEST_CASE("an end beyond all time does not wrap around") {
  Program program = two_ranks();
  program.contention.host_cores = 1;
  program.contention.devices = 1'000'000'000;
  SharedRates rates(program);
  rates.compute(0, 0, kLongestDuration, {1});
  CHECK(rates.advance().empty());
  CHECK(rates.next_ns() == std::numeric_limits<TimeNs>::max());
}

}  // namespace
}  // namespace steptwin::sim
