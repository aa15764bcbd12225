#include "standstill/standstill.h"

#include <doctest/doctest.h>
#include <random>
#include <set>

#include "model/validate.h"
#include "sim/deadlock.h"
#include "sim/engine.h"
#include "tests/property_count.h"
#include "tests/sim/program_text.h"
#include "tests/sim/program_writer.h"
#include "tests/sim/random_program.h"

namespace steptwin {
namespace {

// The parts that the simulator has in a channel: arrived at one end, and not at the other.
std::set<std::int32_t> parts_in_channels(const sim::State& state) {
  std::set<std::int32_t> parts;
  for (const sim::Channels::Slot& slot : state.channels.slots) {
    if (!slot.taken) continue;
    for (std::int32_t part = slot.channel.head; part >= 0;
         part = state.channels.next_part[static_cast<std::size_t>(part)]) {
      parts.insert(part);
    }
  }
  return parts;
}

// The ranks that wait in the communicator's open call.
std::set<std::int32_t> ranks_in_call(const sim::State& state, std::int32_t communicator) {
  std::set<std::int32_t> ranks;
  const auto& call = state.communicators[static_cast<std::size_t>(communicator)];
  for (std::int32_t stream = call.streams; stream != sim::kNobody;
       stream = state.watchers[static_cast<std::size_t>(stream)].next) {
    ranks.insert(state.streams[static_cast<std::size_t>(stream)].rank);
  }
  return ranks;
}

struct Looked {
  int programs = 0;
  int parts_waiting = 0;
  int parts_met = 0;
  int members_there = 0;
  int members_missing = 0;
};

void look_at_parts(const sim::State& state, const Standstill& standstill, const Kernel& kernel,
                   Looked& looked) {
  const std::set<std::int32_t> open = parts_in_channels(state);
  for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
    const std::int32_t index = kernel.first_part + offset;
    const P2pPart& part = state.program->p2p_parts[static_cast<std::size_t>(index)];
    const bool waits = open.contains(index) && !is_eager(*state.program, part);
    REQUIRE(part_waits(standstill, kernel, part) == waits);
    ++(waits ? looked.parts_waiting : looked.parts_met);
  }
}

void look_at_members(const sim::State& state, const Standstill& standstill, const Kernel& kernel,
                     Looked& looked) {
  const std::set<std::int32_t> there = ranks_in_call(state, kernel.communicator);
  for (const std::int32_t member :
       state.program->communicators[static_cast<std::size_t>(kernel.communicator)].ranks) {
    CAPTURE(member);
    REQUIRE(has_arrived(standstill, kernel, member) == there.contains(member));
    ++(there.contains(member) ? looked.members_there : looked.members_missing);
  }
}

void look_at(const Program& program, Looked& looked) {
  const sim::State state = sim::evaluate(program, false);
  if (sim::finished(state)) return;
  ++looked.programs;
  const Standstill standstill = sim::standstill_of(state);
  for (std::size_t rank = 0; rank < standstill.ranks.size(); ++rank) {
    for (const StoppedStream& stream : standstill.ranks[rank].streams) {
      const auto passed = static_cast<std::size_t>(stream.passed);
      if (passed == stream.entries.size() || stream.entries[passed] < 0) continue;
      const Kernel& kernel = program.kernels[static_cast<std::size_t>(stream.entries[passed])];
      CAPTURE(rank);
      CAPTURE(stream.entries[passed]);
      if (kernel.kind == KernelKind::p2p) look_at_parts(state, standstill, kernel, looked);
      if (is_collective(kernel.kind)) look_at_members(state, standstill, kernel, looked);
    }
  }
}

Looked look_at_random(const RandomProgramOptions& options, std::uint64_t first_seed) {
  Looked looked;
  for (int offset = 0; offset < property_count(2000); ++offset) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(offset);
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Program program = random_program(random, options);
    INFO(program_text(program));
    look_at(program, looked);
  }
  return looked;
}

TEST_CASE("who waits for whom is read from the queues alone, as the simulator knows it") {
  RandomProgramOptions options;
  options.perturbed = 1;
  const Looked looked = look_at_random(options, 20'000'000);
  CHECK(looked.programs > 0);
  CHECK(looked.parts_waiting > 0);
  CHECK(looked.members_there > 0);
  CHECK(looked.members_missing > 0);
}

TEST_CASE("the same with eager sends, which wait for nobody") {
  RandomProgramOptions options;
  options.perturbed = 1;
  options.eager = 1;
  const Looked looked = look_at_random(options, 21'000'000);
  CHECK(looked.programs > 0);
  CHECK(looked.parts_waiting > 0);
}

// System: rank 0 sends twice to rank 1 in one kernel, and rank 1 receives once.
TEST_CASE("of a kernel's parts the first has met its receive, and the second waits") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  const P2pPart part{true, StepType::fwd_send, 1, 0, 0, 64, 0};
  ThreadWriter(program, 0, 0).p2p(0, pair, {part, part});
  ThreadWriter(program, 1, 0).p2p(0, pair, {{false, StepType::fwd_recv, 0, 1, 0, 64, 0}});
  Standstill standstill{&program, {}};
  standstill.ranks.resize(2);
  standstill.ranks[0].streams = {{{0}, 0}};
  standstill.ranks[1].streams = {{{1}, 1}};  // it has been passed
  CHECK_FALSE(part_waits(standstill, program.kernels[0], program.p2p_parts[0]));
  CHECK(part_waits(standstill, program.kernels[0], program.p2p_parts[1]));
  standstill.ranks[1].streams = {{{}, 0}};  // nothing was launched there
  CHECK(part_waits(standstill, program.kernels[0], program.p2p_parts[0]));
  program.eager_bytes = 64;
  CHECK_FALSE(part_waits(standstill, program.kernels[0], program.p2p_parts[1]));
}

TEST_CASE("a member has arrived if its call is at the head or passed, not if it is queued") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t both = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).collective(0, both, KernelKind::all_reduce, 5);
  ThreadWriter other(program, 1, 0);
  other.compute(0, 5);
  other.collective(0, both, KernelKind::all_reduce, 5);
  Standstill standstill{&program, {}};
  standstill.ranks.resize(2);
  standstill.ranks[0].streams = {{{0}, 0}};
  standstill.ranks[1].streams = {{{1, 2}, 0}};
  CHECK(has_arrived(standstill, program.kernels[0], 0));
  CHECK_FALSE(has_arrived(standstill, program.kernels[0], 1));
  standstill.ranks[1].streams = {{{1, 2}, 1}};
  CHECK(has_arrived(standstill, program.kernels[0], 1));
  standstill.ranks[1].streams = {{{1, 2}, 2}};
  CHECK(has_arrived(standstill, program.kernels[0], 1));
}

}  // namespace
}  // namespace steptwin
