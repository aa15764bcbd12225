#include "reports/compare_matches.h"

#include <doctest/doctest.h>

#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

Trace three_kernels() {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .compute(0, StepType::bwd, 0, 0, 0, 30, 50)
      .compute(1, StepType::fwd, 1, 0, 0, 12, 20, Part::attention);
  maker.trace().kernels.back().layer = 1;
  return maker.trace();
}

TEST_CASE("by kernel: the same id with the same meaning; what differs is in both lists") {
  const Trace left = three_kernels();
  Trace right = left;
  right.kernels[0].times.end_ns = 11;
  right.kernels[1].micro = 3;
  right.kernels[2].kernel = 7;
  CHECK(first_difference(left, left) == "");
  CHECK(first_difference(left, right) ==
        "here is kernel 1, compute of rank 0 BWD(s0,m0), there kernel 1, compute of rank 0 "
        "BWD(s0,m3)");
  const Matches matches = matches_of(left, right, Join::kernel);
  REQUIRE(matches.pairs.size() == 1);
  CHECK(matches.pairs[0].predicted == Interval{0, 10});
  CHECK(matches.pairs[0].measured == Interval{0, 11});
  CHECK(matches.only_predicted ==
        std::vector<std::string>{"kernel 1, compute of rank 0 BWD(s0,m0)",
                                 "kernel 2, compute of rank 1 FWD(s1,m0) attention of layer 2"});
  CHECK(matches.only_measured ==
        std::vector<std::string>{"kernel 1, compute of rank 0 BWD(s0,m3)",
                                 "kernel 7, compute of rank 1 FWD(s1,m0) attention of layer 2"});
  right = left;
  right.kernels.pop_back();
  CHECK(first_difference(left, right) == "here are 3 kernels, there 2");
}

// A forward of two kernels and a collective is one thing, from the first start to the last end.
TEST_CASE("by step: rank, stage, micro-batch and step, whatever the kernels") {
  TraceMaker maker(2);
  maker.compute(1, StepType::fwd, 1, 0, 0, 100, 103, Part::attention)
      .collective(1, Part::dispatch, StepType::fwd, 1, 0, {0, 103, 104, 106})
      .compute(1, StepType::fwd, 1, 0, 0, 106, 109, Part::experts)
      .compute(0, StepType::bwd_input, 0, 0, 0, 0, 1)
      .p2p(0, StepType::bwd_recv, 0, 0, {1}, {0, 0, 0, 9});
  const Matches matches = matches_of(three_kernels(), maker.trace(), Join::step);
  REQUIRE(matches.pairs.size() == 1);
  CHECK(matches.pairs[0].rank == 1);
  CHECK(matches.pairs[0].direction == Direction::forward);
  CHECK(matches.pairs[0].predicted == Interval{12, 20});
  CHECK(matches.pairs[0].measured == Interval{100, 109});
  CHECK(matches.only_predicted ==
        std::vector<std::string>{"rank 0 FWD(s0,m0)", "rank 0 BWD(s0,m0)"});
  CHECK(matches.only_measured == std::vector<std::string>{"rank 0 BWD_INPUT(s0,m0)"});
}

}  // namespace
}  // namespace steptwin::reports
