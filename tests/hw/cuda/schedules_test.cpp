#include "model/schedules/schedules.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/formats/steps_text.h"
#include "sim/simulate.h"
#include "tests/hw/cuda/fake_run.h"
#include "tests/scenarios.h"

// Whole schedules on the stand-in, through the executor: all payloads are checked, whole in the
// first step and in places in the second.
namespace steptwin::hw::cuda {
namespace {

// What holds of the times of any machine; the first rule they break, or "".
class TraceRules {
 public:
  TraceRules(const Program& program, const Trace& trace) : program_(program), trace_(trace) {}

  std::string first_broken() const {
    if (trace_.kernels.size() != program_.kernels.size()) return "kernels are missing";
    for (const TraceKernel& kernel : trace_.kernels) {
      const std::string name = "kernel " + std::to_string(kernel.kernel);
      const KernelTimes& times = kernel.times;
      const bool in_order = times.enqueue_ns <= times.ready_ns &&
                            times.ready_ns <= times.start_ns && times.start_ns <= times.end_ns;
      if (times.enqueue_ns < 0 || !in_order) return name + ": its times are out of order";
      const Kernel& known = program_.kernels[static_cast<std::size_t>(kernel.kernel)];
      const bool timed = kernel.kind == KernelKind::compute;
      if (timed && times.end_ns - times.start_ns < known.duration_ns - kTie_ns) {
        return name + " was too fast";
      }
    }
    return first_overlap();
  }

 private:
  // A float of a few seconds in ms is exact to this.
  static constexpr TimeNs kTie_ns = 500;

  std::string first_overlap() const {
    std::vector<const TraceKernel*> kernels;
    for (const TraceKernel& kernel : trace_.kernels) kernels.push_back(&kernel);
    std::sort(kernels.begin(), kernels.end(), [](const auto* left, const auto* right) {
      const auto key = [](const TraceKernel* kernel) {
        return std::tuple(kernel->rank, kernel->stream, kernel->times.ready_ns,
                          kernel->times.end_ns);
      };
      return key(left) < key(right);
    });
    for (std::size_t index = 1; index < kernels.size(); ++index) {
      const TraceKernel& before = *kernels[index - 1];
      const TraceKernel& after = *kernels[index];
      const bool same = before.rank == after.rank && before.stream == after.stream;
      if (same && after.times.ready_ns < before.times.end_ns - kTie_ns) {
        return "kernels " + std::to_string(before.kernel) + " and " + std::to_string(after.kernel) +
               " are on a stream at once";
      }
    }
    return "";
  }

  const Program& program_;
  const Trace& trace_;
};

void check_runs(const Program& program, KernelMode kernels = KernelMode::timed) {
  const FakeMachine machine(static_cast<int>(program.ranks.size()));
  auto outcome = run_on_fake(program, quick_options(), quick_settings(kernels));
  if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) FAIL(deadlock->cycle_text);
  const Trace& trace = std::get<Run>(outcome).traces.at(0);
  if (kernels == KernelMode::timed) CHECK(TraceRules(program, trace).first_broken() == "");
}

Scenario small(std::string_view schedule) {
  static const std::set<std::string_view> kOneChunk = {"gpipe", "1f1b", "zb_h1", "zb_h2",
                                                       "zb_heuristic"};
  Scenario scenario = stage_scenario(std::string(schedule), 4, kOneChunk.contains(schedule) ? 1 : 2,
                                     8, 50, 50, 50, 10);
  scenario.stage.output_bytes = {10'000};
  if (schedule == "zb_heuristic") scenario.pipeline.memory_limit = 4;
  scenario.streams.preset = StreamPreset::per_edge;
  return scenario;
}

Scenario moe_overlap() {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 0, 0, 0, 10);
  use_moe_layers(scenario, 2);
  scenario.layers.attention = scenario.layers.experts = {50, 25, 25};
  scenario.layers.dispatch = scenario.layers.combine = {50, 50, -1};
  scenario.layers.output_bytes = 4096;
  scenario.pipeline.overlap = OverlapMode::b_f;
  scenario.parallel.expert = 2;
  return scenario;
}

TEST_CASE("every schedule runs on devices") {
  for (const std::string_view schedule : schedule_names()) {
    CAPTURE(schedule);
    check_runs(lowered(small(schedule)));
  }
}

TEST_CASE("overlaps with hooks run on devices, folded and among peers") {
  Scenario folded = moe_overlap();
  check_runs(lowered(folded));
  Scenario peers = moe_overlap();
  peers.parallel.fold = false;
  peers.layers.dispatch = peers.layers.combine = {0, 0, 20'000};
  check_runs(lowered(peers));
}

TEST_CASE("batches run on devices") {
  Scenario batched = small("interleaved_1f1b");
  batched.pipeline.p2p = P2pMode::batch;
  batched.streams.preset = StreamPreset::multi_stream;
  check_runs(lowered(batched));
}

TEST_CASE("sharded parameters and offloaded activations run on devices") {
  Scenario scenario = small("interleaved_1f1b");
  scenario.pipeline.ranks = 2;
  scenario.pipeline.micro_batches = 4;
  scenario.stage.parameter_bytes = {40'000};
  scenario.parallel.expert = 2;
  scenario.parallel.fold = false;
  scenario.parallel.fsdp = true;
  check_runs(lowered(scenario));
  Scenario offloading = small("1f1b");
  offloading.stage.activation_bytes = {40'000};
  offloading.parallel.offload = true;
  check_runs(lowered(offloading));
}

TEST_CASE("kernels are products that were measured, where they are to be real") {
  check_runs(lowered(small("1f1b")), KernelMode::real);
}

// System: each of two ranks sends before it receives, on one queue; and a rank that wants its
// gradient before it has sent what the gradient is of.
TEST_CASE("what hangs on devices hangs in the same cycle as in the simulator") {
  const std::vector<std::string> lists = {
      "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) BWD_RECV(s0,m0) FWD_SEND(s0,m1) BWD(s0,m0) "
      "BWD_RECV(s0,m1) BWD(s0,m1)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD_RECV(s1,m1) BWD(s1,m0) BWD_SEND(s1,m0) FWD(s1,m1) "
      "BWD(s1,m1) BWD_SEND(s1,m1)\n",
      "rank0: BWD_RECV(s0,m0) FWD(s0,m0) FWD_SEND(s0,m0) BWD(s0,m0)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n"};
  for (const std::string& list : lists) {
    const Schedule schedule = read_steps(list, "test.steps");
    const Scenario scenario =
        stage_scenario("1f1b", schedule.stages.stages(), 1, schedule.micro_batches, 1, 1, 1, 0);
    const Program program = lowered(schedule, scenario);
    const FakeMachine machine(2);
    RunOptions options = quick_options();
    options.deadline = std::chrono::seconds(1);
    const auto outcome = run_on_fake(program, options);
    const auto& measured = std::get<Deadlock>(outcome);
    const auto simulated = std::get<Deadlock>(sim::simulate(program));
    CHECK(measured.cycle_text != "");
    CHECK(measured.cycle_text == simulated.cycle_text);
    REQUIRE(measured.blocked.size() == simulated.blocked.size());
    for (std::size_t item = 0; item < measured.blocked.size(); ++item) {
      CHECK(measured.blocked[item].text == simulated.blocked[item].text);
    }
  }
}

}  // namespace
}  // namespace steptwin::hw::cuda
