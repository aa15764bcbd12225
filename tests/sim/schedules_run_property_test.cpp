#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <variant>

#include "model/error.h"
#include "model/schedules/schedules.h"
#include "reports/metrics.h"
#include "tests/property_count.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20250610;

// The most micro-batches of a stage that a rank may hold with the schedule, from R, V and M.
std::int32_t most_live(const std::string& schedule, std::int32_t ranks, std::int32_t chunks,
                       std::int32_t micros) {
  const std::int32_t all = chunks * micros;
  const std::int32_t rounds = std::max(1, micros / ranks);
  const std::int32_t round = (micros + rounds - 1) / rounds;  // the longest
  if (schedule == "1f1b" || schedule == "zb_h1") return std::min(ranks, all);
  if (schedule == "zb_h2") return std::min(2 * ranks - 1, all);
  if (schedule == "interleaved_1f1b") {
    return std::min((chunks - 1) * round + 2 * (ranks - 1) + 1, all);
  }
  if (schedule == "interleaved_zb") return std::min((chunks - 1) * round + ranks, all);
  if (schedule == "zbv") return std::min(2 * ranks, all);
  if (schedule == "1f1b_v") return std::min(2 * (2 * ranks / 3 + 1), all);
  if (schedule == "v_half") return std::min(2 * ((ranks + 2) / 2), all);
  if (schedule == "v_min") return std::min(2 * ((ranks + 4) / 3), all);
  if (schedule == "dualpipe") return ranks + 1;
  if (schedule == "dualpipe_v") return 2 * ranks + 1;
  return all;  // the heuristics limit bytes, not how many are live
}

// Receives are posted early, sends are waited for at the end, and nothing queues.
TEST_CASE("every schedule runs to its end and holds no more than it promises") {
  std::mt19937_64 random(kSeed);
  const auto draw = [&random](std::int32_t low, std::int32_t high) {
    return std::uniform_int_distribution<std::int32_t>(low, high)(random);
  };
  for (const std::string_view name : schedule_names()) {
    const std::string schedule(name);
    for (int round = 0; round < property_count(60); ++round) {
      const bool dual = schedule == "dualpipe";
      const std::int32_t prescribed = chunks_prescribed(name);
      const std::int32_t ranks = dual ? 2 * draw(1, 4) : draw(1, 8);
      const std::int32_t chunks = prescribed == 0 ? draw(1, 3) : prescribed;
      std::int32_t micros = draw(1, 24);
      if (schedule.starts_with("dualpipe")) micros = 2 * ranks + 2 * draw(0, 6);
      if (schedule == "interleaved_zb") micros = ranks * draw(1, 3);
      CAPTURE(kSeed);
      CAPTURE(schedule);
      CAPTURE(ranks);
      CAPTURE(chunks);
      CAPTURE(micros);
      const Scenario scenario = unqueued(stage_scenario(schedule, ranks, chunks, micros, draw(0, 9),
                                                        draw(0, 9), draw(0, 9), draw(0, 4)));
      const Program program = lower(make_schedule(scenario), scenario);
      validate(program);
      const auto outcome = sim::simulate(program);
      REQUIRE(std::holds_alternative<Trace>(outcome));
      const reports::Metrics metrics = reports::compute_metrics(std::get<Trace>(outcome));
      const std::int64_t most = most_live(schedule, ranks, chunks, micros);
      for (const reports::RankMetrics& rank : metrics.ranks) CHECK(rank.in_flight_max <= most);
    }
  }
}

}  // namespace
}  // namespace steptwin
