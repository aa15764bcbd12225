#define DOCTEST_CONFIG_IMPLEMENT
#include <algorithm>
#include <array>
#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

#include "hw/cuda/job.h"
#include "hw/cuda/kernels.h"
#include "hw/cuda/patience.h"
#include "hw/cuda/probe.h"
#include "hw/cuda/products.h"
#include "hw/cuda/stopwatch.h"
#include "hw/executor.h"
#include "tests/scenarios.h"
#include "tests/sim/program_writer.h"

// What only a real device can show. Skipped, with exit status 77, where there is none.
namespace steptwin::hw::cuda {
namespace {

constexpr std::chrono::seconds kDeadline{20};

// A stream, and words on the device that the host can look at.
struct Bench {
  explicit Bench(std::size_t count)
      : words(count),
        device(make_device_memory(count * sizeof(std::uint64_t))),
        pinned(make_pinned_memory(sizeof(Mismatch) + sizeof(std::uint32_t))),
        mismatch(new (pinned.get()) Mismatch()),
        over(new (pinned.get() + sizeof(Mismatch)) std::uint32_t(0)) {}

  void await_idle() const {
    await(Patience{stop, kDeadline}, "the stream", [this] {
      const cudaError_t status = cudaStreamQuery(stream.get());
      if (status != cudaErrorNotReady) check(status, "cudaStreamQuery");
      return status == cudaSuccess;
    });
  }
  void read() {
    check(cudaMemcpy(words.data(), device.get(), words.size() * sizeof(std::uint64_t),
                     cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  }
  void write() const {
    check(cudaMemcpy(device.get(), words.data(), words.size() * sizeof(std::uint64_t),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  PatternWords payload(std::size_t step) const {
    return {reinterpret_cast<std::uint64_t*>(device.get()), words.size(), step, 7, kWordStride};
  }

  Stop stop;
  Stream stream = make_stream(Urgency::urgent);
  std::vector<std::uint64_t> words;
  DeviceMemory device;
  PinnedMemory pinned;
  Mismatch* mismatch;
  std::uint32_t* over;
};

TEST_CASE("the device writes the pattern that the host writes") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{513}, std::size_t{1'000'003}}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{512}}) {
      CAPTURE(count);
      CAPTURE(step);
      Bench bench(count);
      bench.write();
      check(fill_pattern(bench.payload(step), bench.stream.get()), "fill_pattern");
      bench.await_idle();
      bench.read();
      std::vector<std::uint64_t> expected(count, 0);
      write_pattern(expected, {7, kWordStride}, step);
      CHECK(bench.words == expected);
    }
  }
}

TEST_CASE("the device finds a wrong word, and only that") {
  Bench bench(100'000);
  check(fill_pattern(bench.payload(1), bench.stream.get()), "fill_pattern");
  check(check_pattern(bench.payload(1), {3, 4}, bench.mismatch, bench.stream.get()),
        "check_pattern");
  bench.await_idle();
  CHECK(bench.mismatch->taken == 0);
  // What was checked is spoiled.
  check(check_pattern(bench.payload(1), {3, 4}, bench.mismatch, bench.stream.get()),
        "check_pattern");
  bench.await_idle();
  CHECK(bench.mismatch->taken == 1);
  *bench.mismatch = {};
  check(fill_pattern(bench.payload(1), bench.stream.get()), "fill_pattern");
  bench.await_idle();
  bench.read();
  bench.words[99'999] ^= 1U;
  bench.write();
  check(check_pattern(bench.payload(512), {3, 4}, bench.mismatch, bench.stream.get()),
        "check_pattern");
  bench.await_idle();
  CHECK(bench.mismatch->taken == 1);
  CHECK(bench.mismatch->kernel == 3);
  CHECK(bench.mismatch->part == 4);
  CHECK(bench.mismatch->word == 99'999);
  CHECK((bench.mismatch->found ^ bench.mismatch->expected) == 1);
}

TEST_CASE("a timed kernel takes its time, on the host's clock, or ends when it is told to") {
  Bench bench(1);
  Stopwatch watch(1);
  check(spin(0, bench.over, bench.stream.get()), "spin");
  bench.await_idle();
  watch.tie(bench.stream.get(), {bench.stop, kDeadline});
  MESSAGE("clocks are tied to ", watch.tie_width_ns(), " ns");
  CHECK(watch.tie_width_ns() < 200'000);
  for (const std::int64_t duration : {20'000, 1'000'000, 30'000'000}) {
    check(cudaEventRecord(watch.begin(0), bench.stream.get()), "cudaEventRecord");
    check(spin(duration, bench.over, bench.stream.get()), "spin");
    check(cudaEventRecord(watch.end(0), bench.stream.get()), "cudaEventRecord");
    bench.await_idle();
    const TimeNs took = watch.at_ns(watch.end(0)) - watch.at_ns(watch.begin(0));
    MESSAGE("asked for ", duration, " ns, took ", took, " ns");
    CHECK(took >= duration - 2'000);
    CHECK(took <= duration + 60'000);
  }
  constexpr std::int64_t kMinute = 60'000'000'000;
  check(spin(kMinute, bench.over, bench.stream.get()), "spin");
  std::atomic_ref(*bench.over).store(1);
  bench.await_idle();
}

TEST_CASE("products take longer the larger they are, and the largest are worth their while") {
  const Bench bench(1);
  const Matrices matrices;
  Products products(bench.stream.get(), matrices);
  const std::vector<MeasuredProduct> measured =
      measure_products(products, bench.stream.get(), {bench.stop, kDeadline});
  for (const MeasuredProduct& product : measured) {
    const double flops = 2.0 * product.size * product.size * product.size;
    MESSAGE(product.size, "^3: ", product.took_ns, " ns, ", flops / product.took_ns * 1e-3,
            " TFLOP/s");
  }
  CHECK(measured[3].took_ns < measured[4].took_ns);
  CHECK(measured[4].took_ns < measured[5].took_ns);
}

// Of the given blocks, larger than what NCCL buffers.
Program alone(Bytes bytes) {
  Program program = empty_program(1, {"compute", "comm"});
  const std::int32_t communicator = add_communicator(program, {0});
  ThreadWriter main(program, 0, 0);
  for (const KernelKind kind : {KernelKind::all_to_all, KernelKind::all_gather,
                                KernelKind::reduce_scatter, KernelKind::all_reduce}) {
    main.wait(1, main.record(0));
    main.collective(1, communicator, kind, 0, bytes);
    main.wait(0, main.record(1));
    main.compute(0, 300'000);
  }
  return program;
}

std::variant<Run, Deadlock> run(const Program& program, KernelMode kernels) {
  Stop stop;
  CudaJob job(program, {kernels, kDeadline}, stop);
  RunOptions options;
  options.repeat = 3;
  options.deadline = std::chrono::seconds(5);
  options.emulation = {false, false};
  return execute(program, job, stop, options);
}

TEST_CASE("a rank sends to itself, and gets every byte") {
  for (const KernelMode kernels : {KernelMode::timed, KernelMode::real}) {
    const auto outcome = run(alone(Bytes{64} << 20), kernels);
    const Trace& trace = std::get<Run>(outcome).traces.at(2);
    for (const TraceKernel& kernel : trace.kernels) {
      MESSAGE(name_of(kernel.kind), ": ", kernel.times.end_ns - kernel.times.start_ns, " ns");
      CHECK(kernel.times.start_ns <= kernel.times.end_ns);
    }
  }
}

TEST_CASE("overlaps run on a device, on two threads") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 1, 2, 4, 0, 0, 0, 10);
  use_moe_layers(scenario, 2);
  scenario.layers.attention = scenario.layers.experts = {100, 50, 50};
  scenario.layers.dispatch = scenario.layers.combine = {50, 50, -1};
  scenario.pipeline.overlap = OverlapMode::b_f;
  const Program program = lower(make_schedule(scenario), scenario);
  CHECK(std::get<Run>(run(program, KernelMode::timed)).step_ns.size() == 3);
}

TEST_CASE("what hangs is given up, while a kernel is under way") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 1000);
  main.host_wait(main.new_event());
  const auto outcome = run(program, KernelMode::timed);
  CHECK(std::holds_alternative<Deadlock>(outcome));
}

// With two devices or more.
TEST_CASE("schedules run on several devices") {
  const std::int32_t ranks = std::min(probe_devices().devices, 4);
  if (ranks < 2) return;
  for (const std::string schedule : {"1f1b", "zb_h1", "interleaved_1f1b", "v_half", "dualpipe_v"}) {
    CAPTURE(schedule);
    const bool one_chunk = schedule == "1f1b" || schedule == "zb_h1";
    Scenario scenario =
        stage_scenario(schedule, ranks, one_chunk ? 1 : 2, 2 * ranks, 500, 500, 500, 10);
    scenario.stage.output_bytes = {32 << 20};
    scenario.streams.preset = StreamPreset::per_edge;
    const Program program = lower(make_schedule(scenario), scenario);
    CHECK(std::holds_alternative<Run>(run(program, KernelMode::real)));
  }
}

}  // namespace
}  // namespace steptwin::hw::cuda

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  const steptwin::hw::cuda::Probe found = steptwin::hw::cuda::probe_devices();
  if (found.devices == 0) {
    std::printf("skipped, no GPU: %s\n", found.reason.c_str());
    return kSkipped;
  }
  std::printf("%d x %s\n", found.devices, found.name.c_str());
  return doctest::Context(argc, argv).run();
}
