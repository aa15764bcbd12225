#include "hw/team_job.h"

#include <array>
#include <chrono>
#include <doctest/doctest.h>
#include <optional>

#include "hw/executor.h"
#include "hw/host/clock.h"
#include "hw/host/device.h"
#include "hw/host/local_links.h"
#include "sim/simulate.h"
#include "tests/hw/thread_team.h"
#include "tests/scenarios.h"

namespace steptwin::hw {
namespace {

// One rank on this machine's CPU, whose links the others share.
class OneRank final : public Job {
 public:
  OneRank(const Program& program, std::int32_t rank, HostLinks& links, Stop& stop)
      : ranks_{rank},
        device_(rank, program.ranks[static_cast<std::size_t>(rank)].streams.size(),
                static_cast<std::size_t>(program.ranks[static_cast<std::size_t>(rank)].events), {},
                links, stop) {}
  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t /*rank*/) override { return device_; }
  TimeNs now_ns() const override { return host_now_ns(); }
  void synchronize() override {}

 private:
  std::array<std::int32_t, 1> ranks_;
  HostDevice device_;
};

struct Outcomes {
  std::vector<std::optional<std::variant<Run, Deadlock>>> of;
};

Outcomes run_as_team(const Program& program, std::chrono::milliseconds deadline) {
  RunOptions options;
  options.repeat = 2;
  options.deadline = deadline;
  const std::size_t processes = program.ranks.size();
  Stop stop;
  LocalLinks links(stop);
  ThreadTeam::Places places(processes, stop);
  Outcomes outcomes;
  outcomes.of.resize(processes);
  for_each_process(processes, [&](std::int32_t process) {
    ThreadTeam team(places, process);
    OneRank own(program, process, links, stop);
    TeamJob job(program, team, own);
    outcomes.of[static_cast<std::size_t>(process)] = execute(program, job, stop, options);
    if (!stop.requested()) team.barrier();  // others may still read what this one has sent
  });
  return outcomes;
}

TEST_CASE("a team runs a step, and process 0 has the times of all ranks") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 3, 2, 6, 300, 300, 300, 10);
  scenario.stage.output_bytes = {10'000};
  scenario.streams.preset = StreamPreset::per_edge;
  const Program program = lowered(scenario);
  const Outcomes outcomes = run_as_team(program, std::chrono::seconds(20));
  const Run& run = std::get<Run>(*outcomes.of[0]);
  REQUIRE(run.traces.size() == 2);
  for (const Trace& trace : run.traces) {
    REQUIRE(trace.kernels.size() == program.kernels.size());
    for (const TraceKernel& kernel : trace.kernels) {
      CAPTURE(kernel.kernel);
      CHECK(kernel.times.ready_ns <= kernel.times.start_ns);
      CHECK(kernel.times.start_ns +
                program.kernels[static_cast<std::size_t>(kernel.kernel)].duration_ns <=
            kernel.times.end_ns);
    }
  }
  for (const std::size_t other : {1, 2}) CHECK(std::get<Run>(*outcomes.of[other]).traces.empty());
}

TEST_CASE("what hangs in a team is explained by process 0 as the simulator explains it") {
  const Program program = lowered(hanging_scenario());
  const auto simulated = sim::simulate(program);
  const auto& expected = std::get<Deadlock>(simulated);
  const Outcomes outcomes = run_as_team(program, std::chrono::milliseconds(300));
  for (const auto& outcome : outcomes.of) REQUIRE(std::holds_alternative<Deadlock>(*outcome));
  const auto& found = std::get<Deadlock>(*outcomes.of[0]);
  CHECK(found.cycle_text == expected.cycle_text);
  REQUIRE(found.blocked.size() == expected.blocked.size());
  for (std::size_t item = 0; item < found.blocked.size(); ++item) {
    CHECK(found.blocked[item].text == expected.blocked[item].text);
  }
}

}  // namespace
}  // namespace steptwin::hw
