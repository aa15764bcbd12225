#include <array>
#include <cmath>
#include <doctest/doctest.h>

#include "compare/replay.h"
#include "tests/external_data.h"

// A measured run of 8 ranks, 16 micro-batches and 20 iterations.
namespace steptwin::compare {
namespace {

std::optional<reports::PpDump> recorded() {
  const std::string folder = "profiles/pipeline_pp8";
  if (!external_data(folder + "/config.json")) return std::nullopt;
  return reports::read_pp_dump(external_path(folder));
}

TEST_CASE("recorded pipeline: step time and bubbles of iteration 7") {
  const auto dump = recorded();
  if (!dump) return;
  REQUIRE(dump->iterations.size() == 20);
  const reports::PpIteration& seventh = dump->iterations[6];
  CHECK(seventh.number == 7);
  CHECK(step_time_ns(seventh) == 3'237'887'695);
  constexpr std::array<int, 8> kBubbles = {3641, 3704, 3637, 3561, 3564, 3499, 3740, 3002};
  for (std::int32_t rank = 0; rank < 8; ++rank) {
    CAPTURE(rank);
    CHECK(std::lround(bubble_ratio(seventh, rank).value() * 1e4) ==
          kBubbles[static_cast<std::size_t>(rank)]);
  }
  CHECK(std::lround(mean_bubble_ratio(seventh).value() * 1e5) == 35433);
}

TEST_CASE("recorded pipeline: dependencies alone explain all but 1 %, hops and gaps the rest") {
  const auto dump = recorded();
  if (!dump) return;
  const Replay replay = compare::replay(*dump, 2);
  REQUIRE(replay.iterations.size() == 18);
  CHECK(replay.iterations.front().number == 3);
  const auto error = [&replay](ReplayedStep step) {
    return std::lround(median_error(replay, step).value() * 1e4);  // hundredths of a percent
  };
  CHECK(error(&ReplayedIteration::dependencies_ns) == -103);
  CHECK(error(&ReplayedIteration::fitted_ns) == 0);
  CHECK(error(&ReplayedIteration::explained_ns) == -1);
  CHECK(replay.fitted_hop_ns == 2'398'000);
  CHECK(replay.measured_hop_ns.value() / 10'000 == 69);
  CHECK(replay.measured_gap_ns.value() / 10'000 == 75);
}

TEST_CASE("recorded pipeline: slow forwards, absorbed and not") {
  const auto dump = recorded();
  if (!dump) return;
  const Replay replay = compare::replay(*dump, 2);
  struct Slow {
    std::int32_t iteration, rank, micro;
    long duration_ms, cost_ms, cost_of_10000;
  };
  constexpr std::array<Slow, 4> kSlow = {{{11, 0, 7, 340, 0, 0},
                                          {15, 1, 4, 301, 0, 0},
                                          {16, 2, 8, 317, 226, 694},
                                          {18, 3, 10, 342, 257, 790}}};
  REQUIRE(replay.slow.size() == kSlow.size());
  for (std::size_t at = 0; at < kSlow.size(); ++at) {
    const SlowOperation& slow = replay.slow[at];
    CAPTURE(slow.iteration);
    CHECK(slow.iteration == kSlow[at].iteration);
    CHECK(slow.rank == kSlow[at].rank);
    CHECK(slow.micro == kSlow[at].micro);
    CHECK(slow.is_forward);
    CHECK(std::lround(static_cast<double>(slow.duration_ns) / 1e6) == kSlow[at].duration_ms);
    CHECK(std::lround(static_cast<double>(slow.cost_ns) / 1e6) == kSlow[at].cost_ms);
    const double share =
        static_cast<double>(slow.cost_ns) / static_cast<double>(slow.step_without_ns);
    CHECK(std::lround(share * 1e4) == kSlow[at].cost_of_10000);
  }
}

}  // namespace
}  // namespace steptwin::compare
