#include "hw/rank_run.h"

#include <doctest/doctest.h>
#include <vector>

#include "tests/sim/program_writer.h"

namespace steptwin::hw {
namespace {

// A clock that goes on by one whenever it is read.
class CountingJob final : public Job {
 public:
  explicit CountingJob(Device& device) : device_(device) {}
  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t /*rank*/) override { return device_; }
  TimeNs now_ns() const override { return ++now_ns_; }
  void synchronize() override {}

 private:
  Device& device_;
  std::vector<std::int32_t> ranks_ = {0};
  mutable std::atomic<TimeNs> now_ns_{0};
};

// Where every kernel is over before the call that appends it returns.
class InstantDevice final : public Device {
 public:
  void begin(const Iteration& /*iteration*/) override {}
  void compute(std::int32_t /*stream*/, std::int64_t /*kernel*/, const ComputeWork& work) override {
    begun_ns.push_back(job->now_ns());
    durations_ns.push_back(work.duration_ns);
  }
  void transfer(std::int32_t /*stream*/, std::int64_t /*kernel*/,
                Transfers /*transfers*/) override {}
  void collective(std::int32_t /*stream*/, std::int64_t /*kernel*/, Collective /*call*/) override {}
  void copy(std::int32_t /*stream*/, std::int64_t /*kernel*/, const Copy& /*copy*/) override {}
  void record(std::int32_t /*event*/, std::int32_t /*stream*/) override {}
  void wait(std::int32_t /*stream*/, std::int32_t /*event*/) override {}
  void host_wait(std::int32_t /*event*/) override {}
  std::vector<std::int32_t> passed() override { return {2, 0}; }
  void drain() override {}
  void collect(Stamps& /*stamps*/) override {}

  const Job* job = nullptr;
  std::vector<TimeNs> begun_ns;
  std::vector<TimeNs> durations_ns;
};

TEST_CASE("a kernel is enqueued before it can begin, and every command has its span") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 10);
  main.compute(0, 20);
  main.wait(1, main.record(0));
  InstantDevice device;
  CountingJob job(device);
  device.job = &job;
  Stop stop;
  RankRun run(program, 0, job, stop, {});
  std::vector<KernelTimes> kernels(2);
  std::vector<TimeSpan> commands(4);
  run.run({kernels, commands});
  // begin of the command 1, enqueued 2, begun 3, end of the command 4; and so on.
  CHECK(kernels[0].enqueue_ns == 2);
  CHECK(kernels[1].enqueue_ns == 6);
  CHECK(device.begun_ns == std::vector<TimeNs>{3, 7});
  CHECK(device.durations_ns == std::vector<TimeNs>{10, 20});
  for (std::size_t index = 0; index < 2; ++index) {
    CHECK(commands[index].begin_ns == static_cast<TimeNs>(4 * index + 1));
    CHECK(commands[index].end_ns == static_cast<TimeNs>(4 * index + 4));
  }
  CHECK(commands[2].begin_ns == 9);
  CHECK(commands[3].end_ns == 12);
  CHECK(run.commands_done() == 4);
}

TEST_CASE("how far a rank has come: threads, entries of streams, events") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 10);
  main.compute(0, 20);
  main.wait(1, main.record(0));
  InstantDevice device;
  CountingJob job(device);
  device.job = &job;
  Stop stop;
  RankRun run(program, 0, job, stop, {});
  CHECK(run.stopped().threads.at(0).stop == ThreadStop::unborn);
  run.run({});
  const StoppedRank stopped = run.stopped();
  REQUIRE(stopped.threads.size() == 1);
  CHECK(stopped.threads[0].stop == ThreadStop::ended);
  CHECK(stopped.threads[0].position == 4);
  CHECK(stopped.forked == -1);
  REQUIRE(stopped.streams.size() == 2);
  CHECK(stopped.streams[0].entries == std::vector<std::int32_t>{0, 1});
  CHECK(stopped.streams[0].passed == 2);
  CHECK(stopped.streams[1].entries == std::vector<std::int32_t>{~0});
  CHECK(stopped.streams[1].passed == 0);
  REQUIRE(stopped.events.size() == 1);
  CHECK(stopped.events[0].stream == 0);
  CHECK(stopped.events[0].covered == 2);
}

TEST_CASE("an event behind a kernel covers no more than was there with it") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  const std::int32_t first = main.compute(0, 10);
  main.compute(0, 20);
  main.record_event(main.new_event(), 0, first);
  InstantDevice device;
  CountingJob job(device);
  device.job = &job;
  Stop stop;
  RankRun run(program, 0, job, stop, {});
  run.run({});
  CHECK(run.stopped().events.at(0).covered == 1);
}

TEST_CASE("a run that is given up ends main by throwing") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter(program, 0, 0).compute(0, 10);
  InstantDevice device;
  CountingJob job(device);
  device.job = &job;
  Stop stop;
  RankRun run(program, 0, job, stop, {});
  stop.request("enough");
  CHECK_THROWS_AS(run.run({}), Stopped);
  CHECK(device.begun_ns.empty());
}

}  // namespace
}  // namespace steptwin::hw
