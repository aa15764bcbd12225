#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "model/costs.h"
#include "model/error.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/steps_text.h"
#include "model/lowering/lower.h"
#include "model/validate.h"
#include "reports/metrics.h"
#include "sim/simulate.h"
#include "tests/property_count.h"
#include "tests/sim/data_order.h"
#include "tests/sim/program_text.h"
#include "tests/sim/random_scenario.h"
#include "tests/sim/simulator_difference.h"
#include "tests/sim/trace_rules.h"
#include "tests/sim/work_rules.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

struct Case {
  Scenario scenario;
  Schedule schedule;
};

// Nothing if the schedule forbids the drawn shape.
std::optional<Case> case_of_seed(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Draw draw(random);
  Case drawn;
  drawn.scenario = random_scenario(draw);
  try {
    drawn.schedule = random_schedule(drawn.scenario, draw);
  } catch (const Error&) {
    return std::nullopt;
  }
  return drawn;
}

std::string schedule_text(const Schedule& schedule) {
  std::string text = schedule.name + "\n";
  for (const StepList& list : schedule.ranks) text += steps_text(list) + "\n";
  return text;
}

// The tensor that a transfer moves, alike for both ends: the stage that computed it.
using Tensor = std::tuple<bool, std::int32_t, std::int32_t>;

Tensor tensor_of(const P2pPart& part) {
  const bool forward = part.step != StepType::bwd_send && part.step != StepType::bwd_recv;
  const std::int32_t source = part.is_send ? part.stage : part.stage + (forward ? -1 : 1);
  return {forward, source, part.micro};
}

// "" or which ordered pair of ranks on which communicator does not send what is received there.
// Only main launches transfers, so the order of the commands is the order of the calls.
std::string unlike_ends(const Program& program) {
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // communicator, from, to
  std::map<Key, std::pair<std::vector<Tensor>, std::vector<Tensor>>> pairs;
  for (const RankProgram& rank : program.ranks) {
    for (const Command& command : rank.threads[0].commands) {
      if (command.type != CommandType::launch) continue;
      const Kernel& kernel = program.kernels[static_cast<std::size_t>(command.kernel)];
      if (kernel.kind != KernelKind::p2p) continue;
      for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
        const P2pPart& part =
            program.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
        if (part.is_send) {
          pairs[{kernel.communicator, kernel.rank, part.peer}].first.push_back(tensor_of(part));
        } else {
          pairs[{kernel.communicator, part.peer, kernel.rank}].second.push_back(tensor_of(part));
        }
      }
    }
  }
  for (const auto& [key, ends] : pairs) {
    if (ends.first == ends.second) continue;
    return "communicator " + std::to_string(std::get<0>(key)) + " from rank " +
           std::to_string(std::get<1>(key)) + " to rank " + std::to_string(std::get<2>(key));
  }
  return "";
}

TEST_CASE("lowered programs are valid, and their k-th sends and receives are the same tensor") {
  int cases = 0;
  for (int offset = 0; offset < property_count(2000); ++offset) {
    const std::uint64_t seed = 5'000'000 + static_cast<std::uint64_t>(offset);
    CAPTURE(seed);
    const std::optional<Case> drawn = case_of_seed(seed);
    if (!drawn) continue;
    ++cases;
    INFO(schedule_text(drawn->schedule));
    INFO(scenario_text(drawn->scenario));
    const Program program = lower(drawn->schedule, drawn->scenario);
    INFO(program_text(program));
    REQUIRE_NOTHROW(validate(program));
    REQUIRE(unlike_ends(program) == "");
  }
  CHECK(cases > 0);
}

// Whether the scenario may hang: receives behind each other's sends, transfers moved
// over each other at one end, or a side of an overlap that
// nobody meets.
bool may_hang(const Scenario& scenario) {
  return scenario.pipeline.recv_placement == RecvPlacement::late || !scenario.overlap.depart ||
         scenario.pipeline.p2p == P2pMode::boundary;
}

TEST_CASE("a lowered program runs as the naive simulator runs it, and keeps every rule") {
  int finished = 0;
  int hung = 0;
  for (int offset = 0; offset < property_count(500); ++offset) {
    const std::uint64_t seed = 6'000'000 + static_cast<std::uint64_t>(offset);
    CAPTURE(seed);
    const std::optional<Case> drawn = case_of_seed(seed);
    if (!drawn) continue;
    INFO(schedule_text(drawn->schedule));
    INFO(scenario_text(drawn->scenario));
    const Program program = lower(drawn->schedule, drawn->scenario);
    INFO(program_text(program));
    const auto outcome = sim::simulate(program);
    const NaiveResult naive = naive_simulate(program);
    const std::string differs = difference_of(outcome, naive);
    REQUIRE_MESSAGE(differs.empty(), differs);
    if (naive.deadlocked) {
      REQUIRE(may_hang(drawn->scenario));
      for (const sim::BlockedItem& item : std::get<sim::Deadlock>(outcome).blocked) {
        REQUIRE(item.text.find(", waiting for ") != std::string::npos);
      }
      ++hung;
      continue;
    }
    ++finished;
    if (!program.contention.is_on() && program.eager_bytes == 0) {
      const std::vector<std::string> broken = broken_rules(program, naive.times);
      REQUIRE_MESSAGE(broken.empty(), broken.front());
    }
    REQUIRE(lost_work(program, std::get<Trace>(outcome)) == "");
    const DataOrder order(std::get<Trace>(outcome), program, drawn->schedule.stages,
                          simulated_peers(drawn->scenario));
    REQUIRE(order.first_fault() == "");
    const reports::Metrics metrics = reports::compute_metrics(std::get<Trace>(outcome));
    REQUIRE(reports::broken_identity(metrics) == "");
  }
  CHECK(finished > hung);
}

}  // namespace
}  // namespace steptwin
