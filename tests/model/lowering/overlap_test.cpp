#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/simulate.h"
#include "tests/golden_torch.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

// One rank with two stages of `forward_layers` and `backward_layers` MoE layers; the backward of
// stage 1 overlaps the forward of stage 0.
struct Pair {
  Scenario scenario;
  Schedule schedule;
};

Pair overlapped_pair(std::int32_t forward_layers, std::int32_t backward_layers, StepType type) {
  Pair pair;
  pair.scenario = stage_scenario("interleaved_1f1b", 1, 2, 2, 0, 0, 0, 0);
  use_moe_layers(pair.scenario, forward_layers);
  pair.scenario.layers.stages[1].assign(static_cast<std::size_t>(backward_layers), LayerKind::moe);
  pair.schedule.stages = loop_map(1, 2);
  pair.schedule.micro_batches = 2;
  const Step backward = make_step(StepType::bwd, 1, 0);
  const Step forward = make_step(StepType::fwd, 0, 1);
  pair.schedule.ranks = {{type == StepType::overlap_b_f ? make_overlap(type, backward, forward)
                                                        : make_overlap(type, forward, backward)}};
  return pair;
}

// "F.dispatch1": which side, part and layer, as the golden files write it.
std::string launch_word(const TraceKernel& kernel) {
  const std::string side = kernel.direction == Direction::forward ? "F." : "B.";
  const std::string part = kernel.part == Part::attention ? "attn"
                           : kernel.part == Part::experts ? "expert"
                                                          : std::string(name_of(kernel.part));
  return side + part + std::to_string(kernel.layer + 1);
}

// The kernels of one stream in the order in which they were launched.
std::string launch_order(const Trace& trace, bool compute) {
  std::vector<const TraceKernel*> kernels;
  for (const TraceKernel& kernel : trace.kernels) {
    if ((kernel.kind == KernelKind::compute) == compute) kernels.push_back(&kernel);
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto* left, const auto* right) {
    return left->times.enqueue_ns < right->times.enqueue_ns;
  });
  std::string words;
  for (const TraceKernel* kernel : kernels) {
    words += (words.empty() ? "" : " ") + launch_word(*kernel);
  }
  return words;
}

// A line of a golden file that begins with `head`, without it and without the steps that are not
// kernels here: the tails.
std::string golden_line(const std::string& path, const std::string& head) {
  std::ifstream file(path);
  REQUIRE(file.is_open());
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(head, 0) != 0) continue;
    std::istringstream words(line.substr(head.size()));
    std::string word;
    std::string kept;
    while (words >> word) {
      if (word == "B.tail" || word == "F.tail") continue;
      kept += (kept.empty() ? "" : " ") + word;
    }
    return kept;
  }
  return "";
}

std::string golden_file(std::int32_t forward_layers, std::int32_t backward_layers) {
  return test_data("golden/hooks/hooks_torch_Lf" + std::to_string(forward_layers) + "_Lb" +
                   std::to_string(backward_layers) + ".txt");
}

const std::vector<std::pair<std::int32_t, std::int32_t>> kLayerCounts = {
    {1, 1}, {2, 2}, {3, 3}, {2, 3}, {3, 2}};

TEST_CASE("hooks fix the launch order on both streams as the real coordinator does") {
  for (const auto& [forward_layers, backward_layers] : kLayerCounts) {
    CAPTURE(forward_layers);
    CAPTURE(backward_layers);
    Pair pair = overlapped_pair(forward_layers, backward_layers, StepType::overlap_b_f);
    pair.scenario.host.launch_us = 1;  // so that the order of launches is an order of times
    const Trace trace = trace_of(lower(pair.schedule, pair.scenario));
    const std::string path = golden_file(forward_layers, backward_layers);
    CHECK(launch_order(trace, false) == golden_line(path, "COMM:"));
    // Once one side has departed the other runs on alone, and what was the last launch of the
    // departing side is not ordered against it; with equal counts that is the very last pair.
    const std::string compute = launch_order(trace, true);
    const std::string golden = golden_line(path, "COMPUTE:");
    CHECK(compute == golden);
  }
}

// Rendezvous of one thread in order: "A1(COMM)".
std::vector<std::string> rendezvous_of(const HostThread& thread, bool backward) {
  std::vector<std::string> words;
  for (const Command& command : thread.commands) {
    if (command.type != CommandType::rendezvous) continue;
    words.push_back(std::string(name_of(command.hook)) + std::to_string(command.index + 1) +
                    (backward ? ".bwd" : "") +
                    (command.role == Role::comm ? "(COMM)" : "(COMPUTE)"));
  }
  return words;
}

TEST_CASE("hook pairings equal the golden ones, for equal and unequal layer counts") {
  for (const auto& [forward_layers, backward_layers] : kLayerCounts) {
    CAPTURE(forward_layers);
    CAPTURE(backward_layers);
    const Pair pair = overlapped_pair(forward_layers, backward_layers, StepType::overlap_b_f);
    const Program program = lower(pair.schedule, pair.scenario);
    REQUIRE(program.ranks[0].threads.size() == 2);
    const std::vector<std::string> forward = rendezvous_of(program.ranks[0].threads[0], false);
    const std::vector<std::string> backward = rendezvous_of(program.ranks[0].threads[1], true);
    CHECK(forward.size() == static_cast<std::size_t>(4 * forward_layers - 1));
    CHECK(backward.size() == static_cast<std::size_t>(4 * backward_layers - 1));
    std::ifstream file(golden_file(forward_layers, backward_layers));
    REQUIRE(file.is_open());
    std::string line;
    std::size_t pairs = 0;
    while (std::getline(file, line)) {
      if (line.rfind("pair", 0) != 0) continue;
      const std::string left = pairs < forward.size() ? forward[pairs] : "-(-)";
      const std::string right = pairs < backward.size() ? backward[pairs] : "-(-)";
      CHECK(line == "pair" + std::to_string(pairs) + ": FWD " + left + " <-> BWD " + right);
      ++pairs;
    }
    CHECK(pairs == std::max(forward.size(), backward.size()));
  }
}

TEST_CASE("an overlapped pair of L layers takes 4L ms, the sequential one 8L ms") {
  for (std::int32_t layers = 1; layers <= 6; ++layers) {
    for (const StepType type : {StepType::overlap_b_f, StepType::overlap_f_b}) {
      CAPTURE(layers);
      Pair pair = overlapped_pair(layers, layers, type);
      CHECK(makespan_ns(trace_of(lower(pair.schedule, pair.scenario))) == layers * 4'000'000);
      pair.scenario.overlap.execution = OverlapExecution::sequential;
      CHECK(makespan_ns(trace_of(lower(pair.schedule, pair.scenario))) == layers * 8'000'000);
    }
  }
}

TEST_CASE("without hooks a thread that is slow to launch loses the overlap") {
  Pair pair = overlapped_pair(4, 4, StepType::overlap_b_f);
  pair.scenario.overlap.hooks = false;
  pair.scenario.host.launch_us = 5;
  pair.scenario.layers.launches = {{Part::attention, 20}, {Part::experts, 12}};
  const TimeNs without_hooks = makespan_ns(trace_of(lower(pair.schedule, pair.scenario)));
  pair.scenario.overlap.hooks = true;
  const TimeNs with_hooks = makespan_ns(trace_of(lower(pair.schedule, pair.scenario)));

  CHECK(with_hooks < without_hooks);
}

TEST_CASE("without depart a forward longer than its backward hangs, and the hook is named") {
  Pair pair = overlapped_pair(3, 2, StepType::overlap_b_f);
  pair.scenario.overlap.depart = false;
  const auto outcome = sim::simulate(lower(pair.schedule, pair.scenario));
  REQUIRE(std::holds_alternative<sim::Deadlock>(outcome));
  const sim::Deadlock& deadlock = std::get<sim::Deadlock>(outcome);
  REQUIRE(!deadlock.blocked.empty());
  // Pairs 0 to 6 meet, C2 with A1' the last of them; the forward's eighth rendezvous is D2.
  CHECK(deadlock.blocked[0].text ==
        "rank 0 thread main hangs in rendezvous D2 of FWD(s0,m1) as the COMPUTE side, waiting for "
        "thread backward.1 of BWD(s1,m0) to come to the rendezvous, but that thread has ended "
        "after 7 rendezvous and did not depart; this is number 8");
  CHECK(deadlock.cycle.empty());
}

TEST_CASE("without depart a backward longer than its forward still ends") {
  Pair pair = overlapped_pair(2, 3, StepType::overlap_b_f);
  pair.scenario.overlap.depart = false;
  CHECK(makespan_ns(trace_of(lower(pair.schedule, pair.scenario))) > 0);
}

}  // namespace
}  // namespace steptwin
