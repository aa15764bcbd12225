#include "hw/executor.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "hw/host/device.h"
#include "hw/host/job.h"
#include "model/formats/scenario_toml.h"
#include "sim/simulate.h"
#include "tests/scenarios.h"
#include "tests/sim/program_writer.h"

namespace steptwin::hw {
namespace {

RunOptions quick(int repeat = 1) {
  RunOptions options;
  options.repeat = repeat;
  options.deadline = std::chrono::milliseconds(400);
  return options;
}

std::variant<Run, Deadlock> run_timed(const Program& program, const RunOptions& options) {
  Stop stop;
  HostJob job(program, {}, stop);
  return execute(program, job, stop, options);
}

// A slow machine may take long, but never begins or ends anything too early.
void check_times(const Program& program, const Trace& trace) {
  REQUIRE(trace.kernels.size() == program.kernels.size());
  std::vector<std::vector<TimeNs>> ends(program.ranks.size());
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    ends[rank].resize(program.ranks[rank].streams.size(), 0);
  }
  std::vector<const TraceKernel*> by_start;
  for (const TraceKernel& kernel : trace.kernels) by_start.push_back(&kernel);
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const TraceKernel* left, const TraceKernel* right) {
                     return left->times.ready_ns < right->times.ready_ns;
                   });
  for (const TraceKernel* kernel : by_start) {
    const KernelTimes& times = kernel->times;
    CAPTURE(kernel->kernel);
    CHECK(0 <= times.enqueue_ns);
    CHECK(times.enqueue_ns <= times.ready_ns);
    CHECK(times.ready_ns <= times.start_ns);
    CHECK(times.start_ns + program.kernels[static_cast<std::size_t>(kernel->kernel)].duration_ns <=
          times.end_ns);
    TimeNs& end =
        ends[static_cast<std::size_t>(kernel->rank)][static_cast<std::size_t>(kernel->stream)];
    CHECK(end <= times.ready_ns);
    end = times.end_ns;
  }
}

// Every schedule there is, with all bytes checked in the first step and some in the second.
TEST_CASE("every schedule runs, and everything arrives where it belongs") {
  for (const std::string schedule :
       {"gpipe", "1f1b", "interleaved_1f1b", "looped_bfs", "zb_h1", "zb_h2", "interleaved_zb",
        "zbv", "zb_heuristic", "zbv_heuristic", "1f1b_v", "v_half", "v_min", "dualpipe",
        "dualpipe_v"}) {
    CAPTURE(schedule);
    const bool one_chunk = schedule == "gpipe" || schedule == "1f1b" || schedule == "zb_h1" ||
                           schedule == "zb_h2" || schedule == "zb_heuristic";
    Scenario scenario = stage_scenario(schedule, 4, one_chunk ? 1 : 2, 8, 50, 50, 50, 10);
    scenario.stage.output_bytes = {10'000};
    if (schedule.starts_with("zb_heu")) scenario.pipeline.memory_limit = 4;
    scenario.streams.preset = StreamPreset::per_edge;
    const Program program = lowered(scenario);
    auto outcome = run_timed(program, quick());
    if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) FAIL(deadlock->cycle_text);
    check_times(program, std::get<Run>(outcome).traces.at(0));
  }
}

TEST_CASE("overlap with hooks, peers, gathered parameters, batches and copies run as well") {
  std::vector<Scenario> scenarios;
  Scenario moe = stage_scenario("interleaved_1f1b", 2, 2, 4, 0, 0, 0, 10);
  use_moe_layers(moe, 2);
  moe.layers.attention = moe.layers.experts = {50, 25, 25};
  moe.layers.dispatch = moe.layers.combine = {50, 50, -1};
  moe.layers.output_bytes = 4096;
  moe.pipeline.overlap = OverlapMode::b_f;
  moe.parallel.expert = 2;
  scenarios.push_back(moe);
  moe.parallel.fold = false;
  moe.layers.dispatch = moe.layers.combine = {0, 0, 20'000};
  scenarios.push_back(moe);
  Scenario sharded = stage_scenario("interleaved_1f1b", 2, 2, 4, 50, 50, 50, 10);
  sharded.stage.output_bytes = {4096};
  sharded.stage.parameter_bytes = {40'000};
  sharded.parallel.expert = 2;
  sharded.parallel.fold = false;
  sharded.parallel.fsdp = true;
  scenarios.push_back(sharded);
  Scenario batched = stage_scenario("interleaved_1f1b", 4, 2, 8, 50, 50, 50, 10);
  batched.stage.output_bytes = {4096};
  batched.pipeline.p2p = P2pMode::batch;
  scenarios.push_back(batched);
  Scenario eager = stage_scenario("1f1b", 4, 1, 8, 50, 50, 50, 10);
  eager.stage.output_bytes = {4096};
  eager.network.eager_bytes = 8192;
  scenarios.push_back(eager);
  for (std::size_t index = 0; index < scenarios.size(); ++index) {
    CAPTURE(index);
    const Program program = lowered(scenarios[index]);
    auto outcome = run_timed(program, quick(2));
    if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) FAIL(deadlock->cycle_text);
    const Run& run = std::get<Run>(outcome);
    CHECK(run.step_ns.size() == 2);
    check_times(program, run.traces.at(0));
    check_times(program, run.traces.at(1));
  }
}

TEST_CASE("a run that is not traced measures step times alone") {
  const Program program = lowered(stage_scenario("1f1b", 2, 1, 2, 1000, 1000, 1000, 10));
  RunOptions options = quick(3);
  options.traced = false;
  const Run run = std::get<Run>(run_timed(program, options));
  CHECK(run.traces.empty());
  REQUIRE(run.step_ns.size() == 3);
  // Rank 0 computes two forwards and two backwards of 3 ms each in all.
  for (const TimeNs step : run.step_ns) CHECK(step >= 6'000'000);
}

TEST_CASE("what hangs in the simulator hangs here, and is told in the same words") {
  std::vector<Scenario> scenarios;
  scenarios.push_back(hanging_scenario());
  Scenario uneven = stage_scenario("interleaved_1f1b", 2, 2, 4, 0, 0, 0, 10);
  use_moe_layers(uneven, 1);
  uneven.layers.stages[0].push_back(LayerKind::moe);
  uneven.layers.attention = uneven.layers.experts = {50, 25, 25};
  uneven.layers.dispatch = uneven.layers.combine = {50, 50, -1};
  uneven.pipeline.overlap = OverlapMode::b_f;
  uneven.overlap.depart = false;
  scenarios.push_back(uneven);
  for (const Scenario& scenario : scenarios) {
    const Program program = lowered(scenario);
    const auto simulated = sim::simulate(program);
    REQUIRE(std::holds_alternative<Deadlock>(simulated));
    const auto& expected = std::get<Deadlock>(simulated);
    const auto outcome = run_timed(program, quick());
    REQUIRE(std::holds_alternative<Deadlock>(outcome));
    const auto& found = std::get<Deadlock>(outcome);
    CHECK(found.cycle_text == expected.cycle_text);
    REQUIRE(found.blocked.size() == expected.blocked.size());
    for (std::size_t item = 0; item < found.blocked.size(); ++item) {
      CHECK(found.blocked[item].text == expected.blocked[item].text);
    }
  }
}

// The machine is said to be faster than any core is: what is modelled as 10 ms takes some 500.
TEST_CASE("a kernel that takes longer than the deadline is work, and no standstill") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter(program, 0, 0).compute(0, 10'000'000);
  RunOptions options = quick();
  options.warmup = 0;
  options.deadline = std::chrono::milliseconds(100);
  HostSettings settings;
  settings.kernels = KernelMode::real;
  settings.flops_per_second = 1e12;
  Stop stop;
  HostJob job(program, settings, stop);
  const auto outcome = execute(program, job, stop, options);
  REQUIRE(std::holds_alternative<Run>(outcome));
  CHECK(std::get<Run>(outcome).step_ns.at(0) > 10'000'000);
}

TEST_CASE("a send that nobody receives ends the run at its deadline, and is named") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).p2p(1, pair, {{true, StepType::fwd_send, 1, 0, 0, 64, 0}});
  const auto outcome = run_timed(program, quick());
  REQUIRE(std::holds_alternative<Deadlock>(outcome));
  CHECK(std::get<Deadlock>(outcome).blocked.at(0).text ==
        "rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1, waiting for a receive from rank 0 "
        "that rank 1 never launches");
}

std::string failure_of(const Program& program) {
  try {
    (void)run_timed(program, quick());
  } catch (const MachineError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("ends of different sizes, and another tensor than the one expected, are errors") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).p2p(1, pair, {{true, StepType::fwd_send, 1, 0, 0, 64, 0}});
  ThreadWriter(program, 1, 0).p2p(1, pair, {{false, StepType::fwd_recv, 0, 1, 0, 64, 0}});
  CHECK(std::holds_alternative<Run>(run_timed(program, quick())));
  program.p2p_parts[1].bytes = 128;
  CHECK(failure_of(program).find("64 bytes") != std::string::npos);
  program.p2p_parts[1].bytes = 64;
  program.p2p_parts[1].micro = 1;
  CHECK(failure_of(program).find("kernel 1 of rank 1: the receive from rank 0 brought wrong data: "
                                 "word 0 of 8") != std::string::npos);
}

// A link that changes one bit of what it carries.
class BadLink final : public HostLinks {
 public:
  explicit BadLink(const Stop& stop) : good_(stop) {}
  void transfer(std::int32_t rank, std::int32_t communicator, std::vector<End>& ends) override {
    good_.transfer(rank, communicator, ends);
    for (End& end : ends) {
      if (!end.transfer.is_send) end.words.back() ^= 1;
    }
  }
  TimeSpan collective(const Collective& call, std::span<const std::uint64_t> brought,
                      std::span<std::uint64_t> results) override {
    return good_.collective(call, brought, results);
  }
  void begin() override { good_.begin(); }

 private:
  LocalLinks good_;
};

class BadJob final : public Job {
 public:
  BadJob(const Program& program, Stop& stop) : link_(stop) {
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      devices_.push_back(std::make_unique<HostDevice>(
          rank, program.ranks[0].streams.size(),
          static_cast<std::size_t>(program.ranks[static_cast<std::size_t>(rank)].events),
          HostSettings{}, link_, stop));
    }
  }
  ~BadJob() override {
    for (const auto& device : devices_) device->end();
  }
  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t rank) override { return *devices_[static_cast<std::size_t>(rank)]; }
  TimeNs now_ns() const override { return 0; }
  void synchronize() override { link_.begin(); }

 private:
  BadLink link_;
  std::vector<std::int32_t> ranks_ = {0, 1};
  std::vector<std::unique_ptr<HostDevice>> devices_;
};

TEST_CASE("one wrong bit ends the run, and says where it was found") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 2, 50, 50, 50, 10);
  scenario.stage.output_bytes = {8000};
  const Program program = lowered(scenario);
  Stop stop;
  BadJob job(program, stop);
  CHECK_THROWS_WITH_AS((void)execute(program, job, stop, quick()),
                       doctest::Contains("brought wrong data: word 999 of 1000"), MachineError);
}

}  // namespace
}  // namespace steptwin::hw
