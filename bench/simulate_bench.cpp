#include <benchmark/benchmark.h>
#include <cstdio>

#include "bench/step_cases.h"
#include "model/validate.h"
#include "sim/engine.h"

// How many kernels a second the engine simulates on one core, without a trace: from a Program that
// is there to the times of all its kernels. Building and lowering the schedule is timed apart.

namespace steptwin {
namespace {

void simulate_case(benchmark::State& state, const Scenario& scenario) {
  const Program program = lower(make_schedule(scenario), scenario);
  validate(program);
  for (auto iteration : state) {
    (void)iteration;
    const sim::State result = sim::evaluate(program, false);
    if (!sim::finished(result)) state.SkipWithError("deadlock");
    benchmark::DoNotOptimize(result.times.data());
  }
  const auto kernels = static_cast<double>(program.kernels.size());
  state.counters["kernels"] = kernels;
  state.counters["kernels/s"] = benchmark::Counter(
      kernels, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
  state.counters["B/kernel program"] = program_bytes(program) / kernels;
  state.counters["B/kernel engine"] = engine_bytes(sim::evaluate(program, false)) / kernels;
}

void build_case(benchmark::State& state, const Scenario& scenario) {
  std::size_t kernels = 0;
  for (auto iteration : state) {
    (void)iteration;
    const Program program = lower(make_schedule(scenario), scenario);
    kernels = program.kernels.size();
    benchmark::DoNotOptimize(program.kernels.data());
  }
  state.counters["kernels"] = static_cast<double>(kernels);
  state.counters["kernels/s"] = benchmark::Counter(static_cast<double>(kernels),
                                                   benchmark::Counter::kIsIterationInvariantRate,
                                                   benchmark::Counter::kIs1000);
}

}  // namespace
}  // namespace steptwin

int main(int argc, char** argv) {
  using namespace steptwin;
  for (const BenchCase& bench : bench_cases()) {
    benchmark::RegisterBenchmark(("simulate/" + bench.name).c_str(), simulate_case, bench.scenario)
        ->Unit(benchmark::kMillisecond);
  }
  for (const BenchCase& bench : bench_cases()) {
    benchmark::RegisterBenchmark(("build/" + bench.name).c_str(), build_case, bench.scenario)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
