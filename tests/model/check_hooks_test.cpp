#include "model/check_hooks.h"

#include <doctest/doctest.h>
#include <string>

#include "model/formats/steps_text.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

// One rank, stages 0 and 1; slot 2 overlaps a backward of stage 1 with a forward of stage 0.
struct Pair {
  Pair(std::vector<LayerKind> forward, std::vector<LayerKind> backward)
      : schedule(read_steps("rank0: FWD(s0,m0) FWD(s1,m0) OVERLAP_B_F[BWD(s1,m0)|FWD(s0,m1)] "
                            "BWD(s0,m0) FWD(s1,m1) BWD(s1,m1) BWD(s0,m1)",
                            "test.steps")),
        scenario(stage_scenario("1f1b", 1, 2, 2, 1, 1, 1, 0)) {
    use_moe_layers(scenario, 1);
    scenario.layers.stages = {std::move(forward), std::move(backward)};
    scenario.overlap.depart = false;
  }

  std::string findings() const {
    std::string text;
    for (const Finding& finding : check_hooks(schedule, scenario)) {
      text += finding_text(finding) + "\n";
    }
    return text;
  }

  Schedule schedule;
  Scenario scenario;
};

constexpr LayerKind kMoe = LayerKind::moe;
constexpr LayerKind kDense = LayerKind::dense;
const std::string kPlace = "rank 0 slot 2 OVERLAP_B_F[BWD(s1,m0)|FWD(s0,m1)]: ";

TEST_CASE("hooks: without depart a forward of more moe layers waits for good") {
  CHECK(Pair({kMoe, kMoe}, {kMoe}).findings() ==
        kPlace +
            "FWD(s0,m1) has 2 moe layers and BWD(s1,m0) has 1; it waits at hook D1 for good, "
            "since overlap.depart is false\n");
  CHECK(Pair({kMoe}, {kDense, kDense}).findings() ==
        kPlace +
            "FWD(s0,m1) has 1 moe layers and BWD(s1,m0) has 0; it waits at hook A1 for good, "
            "since overlap.depart is false\n");
  // Hooks are numbered by the layers of the stage, dense ones among them.
  CHECK(Pair({kDense, kMoe, kDense, kMoe, kMoe}, {kMoe, kMoe}).findings() ==
        kPlace +
            "FWD(s0,m1) has 3 moe layers and BWD(s1,m0) has 2; it waits at hook D4 for good, "
            "since overlap.depart is false\n");
}

// What is said of it is what the simulator shows.
TEST_CASE("hooks: the simulator hangs at the hook that is named, and only then") {
  const std::vector<std::vector<LayerKind>> stages = {
      {kDense}, {kMoe}, {kMoe, kMoe}, {kDense, kMoe}, {kMoe, kDense, kMoe, kMoe}};
  for (const std::vector<LayerKind>& forward : stages) {
    for (const std::vector<LayerKind>& backward : stages) {
      const Pair pair(forward, backward);
      const std::string found = pair.findings();
      CAPTURE(found);
      const auto outcome = sim::simulate(lower(pair.schedule, pair.scenario));
      const auto* deadlock = std::get_if<sim::Deadlock>(&outcome);
      REQUIRE((deadlock != nullptr) == !found.empty());
      if (deadlock == nullptr) continue;
      const std::size_t hook = found.find("at hook ") + 8;
      CHECK(deadlock->blocked[0].text.find("rendezvous " + found.substr(hook, 2) + " of FWD") !=
            std::string::npos);
    }
  }
}

TEST_CASE("hooks: nothing to find where they meet, depart, or are not there") {
  CHECK(Pair({kMoe}, {kMoe, kMoe}).findings() == "");
  CHECK(Pair({kMoe, kDense}, {kMoe}).findings() == "");
  Pair pair({kMoe, kMoe}, {kMoe});
  pair.scenario.overlap.depart = true;
  CHECK(pair.findings() == "");
  pair.scenario.overlap.depart = false;
  pair.scenario.overlap.hooks = false;
  CHECK(pair.findings() == "");
  pair.scenario.overlap.hooks = true;
  pair.scenario.overlap.execution = OverlapExecution::sequential;
  CHECK(pair.findings() == "");
}

}  // namespace
}  // namespace steptwin
