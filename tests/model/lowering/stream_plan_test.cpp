#include "model/lowering/stream_plan.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

namespace steptwin {
namespace {

Program four_ranks() {
  Program program;
  program.ranks.resize(4);
  return program;
}

// Four ranks in a ring of eight stages, asked for the transfers that touch rank 1.
struct Plan {
  explicit Plan(const StreamKeys& wanted) : keys(wanted) {}

  // "comm:p2p{0,1,2,3}": the stream and the communicator of one end of a transfer.
  std::string route(std::int32_t rank, std::int32_t sender, std::int32_t receiver, bool forward,
                    std::int32_t stage = 0, std::int32_t micro = 0) {
    return words(rank, plan.p2p_route(rank, sender, receiver, forward, stage, micro));
  }
  std::string experts(std::int32_t rank) { return words(rank, plan.expert_route(rank)); }

  std::string words(std::int32_t rank, const Route& route) const {
    const Communicator& communicator =
        program.communicators[static_cast<std::size_t>(route.communicator)];
    std::string members;
    for (const std::int32_t member : communicator.ranks) {
      members += (members.empty() ? "" : ",") + std::to_string(member);
    }
    return fmt::format("{}:{}{{{}}}",
                       program.ranks[static_cast<std::size_t>(rank)]
                           .streams[static_cast<std::size_t>(route.stream)],
                       communicator.name, members);
  }

  StreamKeys keys;
  Program program = four_ranks();
  StreamPlan plan{keys, 4, 1, program};
};

StreamKeys preset(StreamPreset wanted) {
  StreamKeys keys;
  keys.preset = wanted;
  return keys;
}

TEST_CASE("every rank has compute and comm, in that order, whether they are used or not") {
  const Plan plan(preset(StreamPreset::per_edge));
  for (const RankProgram& rank : plan.program.ranks) {
    CHECK(rank.streams == std::vector<std::string>{"compute", "comm"});
  }
  CHECK(plan.program.communicators.empty());
}

//          expert traffic   activations 0 -> 1   gradients 1 -> 0
// two      comm             comm                 comm
TEST_CASE("preset two puts everything on comm, one communicator for each group") {
  Plan plan(preset(StreamPreset::two));
  CHECK(plan.experts(1) == "comm:ep.1{1}");
  CHECK(plan.route(1, 0, 1, true) == "comm:p2p{0,1,2,3}");
  CHECK(plan.route(1, 1, 0, false) == "comm:p2p{0,1,2,3}");
  CHECK(plan.route(0, 0, 1, true) == "comm:p2p{0,1,2,3}");
  CHECK(plan.program.ranks[1].streams.size() == 2);
}

TEST_CASE("preset per_group keeps the experts' traffic and the transfers apart") {
  Plan plan(preset(StreamPreset::per_group));
  CHECK(plan.experts(1) == "ep:ep.1{1}");
  CHECK(plan.route(1, 0, 1, true) == "p2p:p2p{0,1,2,3}");
  CHECK(plan.route(1, 1, 0, false) == "p2p:p2p{0,1,2,3}");
  CHECK(plan.program.ranks[1].streams == std::vector<std::string>{"compute", "comm", "ep", "p2p"});
}

TEST_CASE("preset per_direction keeps activations and gradients apart, the rest on comm") {
  Plan plan(preset(StreamPreset::per_direction));
  CHECK(plan.experts(1) == "comm:ep.1{1}");
  CHECK(plan.route(1, 0, 1, true) == "p2p_forward:p2p@p2p_forward{0,1,2,3}");
  CHECK(plan.route(1, 1, 2, true) == "p2p_forward:p2p@p2p_forward{0,1,2,3}");
  CHECK(plan.route(1, 1, 0, false) == "p2p_backward:p2p@p2p_backward{0,1,2,3}");
}

// Rank 1's neighbours are 0 and 2. In a ring of two ranks and four stages, activations and
// gradients between the two go both ways: still one stream.
TEST_CASE("preset multi_stream has one stream for each neighbour, whichever way it goes") {
  Plan plan(preset(StreamPreset::multi_stream));
  CHECK(plan.route(1, 0, 1, true) == "p2p.0-1:p2p.0-1{0,1}");
  CHECK(plan.route(1, 1, 0, false) == "p2p.0-1:p2p.0-1{0,1}");
  CHECK(plan.route(1, 1, 0, true) == "p2p.0-1:p2p.0-1{0,1}");
  CHECK(plan.route(1, 1, 2, true) == "p2p.1-2:p2p.1-2{1,2}");
  CHECK(plan.route(3, 3, 0, true) == "p2p.0-3:p2p.0-3{0,3}");
  CHECK(plan.program.ranks[1].streams.size() == 4);
}

TEST_CASE("preset per_edge has one stream for each neighbour and direction of the transfer") {
  Plan plan(preset(StreamPreset::per_edge));
  CHECK(plan.route(1, 0, 1, true) == "p2p.0-1:p2p.0-1{0,1}");
  CHECK(plan.route(1, 1, 0, false) == "p2p.1-0:p2p.1-0{0,1}");
  // A gradient that goes 0 -> 1 shares the way of the activations.
  CHECK(plan.route(1, 0, 1, false) == "p2p.0-1:p2p.0-1{0,1}");
}

TEST_CASE("preset unqueued gives every transfer a stream and a communicator of its own") {
  Plan plan(preset(StreamPreset::unqueued));
  CHECK(plan.route(1, 1, 2, true, 1, 0) == "p2p.forward.s1.m0:p2p.forward.s1.m0{1,2}");
  CHECK(plan.route(2, 1, 2, true, 1, 0) == "p2p.forward.s1.m0:p2p.forward.s1.m0{1,2}");
  CHECK(plan.route(1, 1, 2, true, 1, 1) == "p2p.forward.s1.m1:p2p.forward.s1.m1{1,2}");
  CHECK(plan.route(1, 2, 1, false, 1, 0) == "p2p.backward.s1.m0:p2p.backward.s1.m0{1,2}");
  CHECK(plan.program.communicators.size() == 3);
}

TEST_CASE("a class named in [streams] leaves the preset, the closest name wins") {
  StreamKeys keys = preset(StreamPreset::unqueued);
  keys.ep = "experts";
  keys.p2p = "wire";
  keys.p2p_backward = "gradients";
  Plan plan(keys);
  CHECK(plan.experts(2) == "experts:ep.2{2}");
  CHECK(plan.route(1, 0, 1, true) == "wire:p2p@wire{0,1,2,3}");
  CHECK(plan.route(1, 1, 0, false) == "gradients:p2p@gradients{0,1,2,3}");
}

TEST_CASE("an override of one direction leaves the other to the preset") {
  StreamKeys keys = preset(StreamPreset::multi_stream);
  keys.p2p_forward = "comm";
  Plan plan(keys);
  CHECK(plan.route(1, 0, 1, true) == "comm:p2p{0,1,2,3}");
  CHECK(plan.route(1, 1, 0, false) == "p2p.0-1:p2p.0-1{0,1}");
}

// What shares a stream shares an order, and only that: one communicator used from two streams of a
// rank would match calls that no stream puts in order.
TEST_CASE("transfers on streams named comm and p2p do not share a communicator") {
  StreamKeys keys;
  keys.p2p_forward = "comm";
  keys.p2p_backward = "p2p";
  Plan two(keys);
  CHECK(two.route(1, 0, 1, true) == "comm:p2p{0,1,2,3}");
  CHECK(two.route(1, 1, 0, false) == "p2p:p2p@p2p{0,1,2,3}");
  keys.preset = StreamPreset::per_group;
  Plan per_group(keys);
  CHECK(per_group.route(1, 0, 1, true) == "comm:p2p@comm{0,1,2,3}");
  CHECK(per_group.route(1, 1, 0, false) == "p2p:p2p{0,1,2,3}");
}

TEST_CASE("both ends of every transfer name the same communicator") {
  for (int number = 0; number < 6; ++number) {
    CAPTURE(number);
    Plan plan(preset(static_cast<StreamPreset>(number)));
    for (std::int32_t sender = 0; sender < 4; ++sender) {
      for (std::int32_t receiver = 0; receiver < 4; ++receiver) {
        if (sender == receiver) continue;
        for (const bool forward : {false, true}) {
          const Route there = plan.plan.p2p_route(sender, sender, receiver, forward, sender, 2);
          const Route here = plan.plan.p2p_route(receiver, sender, receiver, forward, sender, 2);
          CHECK(there.communicator == here.communicator);
        }
      }
    }
  }
}

}  // namespace
}  // namespace steptwin
