#include "hw/cuda/issue_queue.h"

#include <array>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include "hw/cuda/patience.h"
#include "tests/fake_gpu/streams.h"
#include "tests/hw/cuda/fake_run.h"

namespace steptwin::hw::cuda {
namespace {

// Two streams whose kernels end when they are told to. What was issued is noted, in order.
class Bench {
 public:
  explicit Bench(std::size_t window = IssueQueue::kWindow)
      : queue(std::array{streams[0].get(), streams[1].get()}, 4, window) {}
  ~Bench() {
    for (fake_gpu::Recording& each : gates) each.complete();
    await_all();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // The kernel is named by a digit, which is also its gate.
  void append(std::int32_t stream, int kernel) {
    const auto index = static_cast<std::size_t>(kernel);
    queue.append(stream, ends[index].get(), [this, stream, index] {
      issued += std::to_string(index);
      const cudaStream_t own = streams[static_cast<std::size_t>(stream)].get();
      own->put([gate = &gates[index]] { gate->await(); });
      check(cudaEventRecord(ends[index].get(), own), "cudaEventRecord");
    });
  }
  void end(int kernel) { gates[static_cast<std::size_t>(kernel)].complete(); }
  void await_passed(std::int32_t stream, std::int32_t count) {
    await({stop, std::chrono::seconds(5)}, "a kernel",
          [&] { return queue.passed()[static_cast<std::size_t>(stream)] == count; });
  }
  void await_all() {
    await({stop, std::chrono::seconds(5)}, "all", [this] { return queue.all_passed(); });
  }

  FakeMachine machine{1};
  Stop stop;
  std::vector<Stream> streams = two_streams();
  std::vector<fake_gpu::Recording> gates{8};
  std::vector<Event> ends = eight_events();
  std::string issued;
  IssueQueue queue;

 private:
  static std::vector<Stream> two_streams() {
    std::vector<Stream> made;
    for (int index = 0; index < 2; ++index) made.push_back(make_stream(Urgency::ordinary));
    return made;
  }
  static std::vector<Event> eight_events() {
    std::vector<Event> made;
    for (int index = 0; index < 8; ++index) made.push_back(make_event(true));
    return made;
  }
};

TEST_CASE("kernels are passed in order, one stream beside the other") {
  Bench bench;
  bench.append(0, 0);
  bench.append(0, 1);
  bench.append(1, 2);
  CHECK(bench.issued == "012");
  CHECK(bench.queue.passed() == std::vector<std::int32_t>{0, 0});
  bench.end(1);
  bench.end(2);
  bench.await_passed(1, 1);
  CHECK(bench.queue.passed() == std::vector<std::int32_t>{0, 1});
  bench.end(0);
  bench.await_passed(0, 2);
}

TEST_CASE("a wait holds until what its event covers has ended, and counts as an entry") {
  Bench bench;
  bench.append(0, 0);
  bench.queue.record(3, 0);
  bench.append(0, 1);
  bench.queue.wait(1, 3);
  bench.append(1, 2);
  bench.end(2);
  CHECK(bench.issued == "012");
  CHECK(bench.queue.passed() == std::vector<std::int32_t>{0, 0});
  CHECK_FALSE(bench.queue.is_complete(3));
  bench.end(0);
  bench.await_passed(1, 2);
  CHECK(bench.queue.is_complete(3));
  CHECK(bench.queue.passed() == std::vector<std::int32_t>{1, 2});
}

TEST_CASE("what waits for an event of the future is held back, with all behind it") {
  Bench bench;
  bench.queue.wait(1, 0);
  bench.append(1, 2);
  bench.queue.record(1, 1);  // which is held back too
  bench.queue.wait(0, 1);
  bench.append(0, 4);
  CHECK(bench.issued == "");
  CHECK_FALSE(bench.queue.is_complete(1));
  CHECK_FALSE(bench.queue.all_passed());
  bench.queue.reset();
  bench.append(0, 0);
  bench.queue.wait(1, 0);
  bench.append(1, 2);
  bench.queue.record(1, 1);
  bench.queue.wait(0, 1);
  bench.append(0, 4);
  CHECK(bench.issued == "0");
  bench.queue.record(0, 0);  // behind its own wait: a deadlock, as it is on any stream
  CHECK(bench.issued == "0");
  bench.queue.reset();
  bench.queue.wait(1, 0);
  bench.append(1, 2);
  bench.queue.record(1, 1);
  bench.append(0, 3);
  bench.queue.record(0, 0);
  CHECK(bench.issued == "032");
}

TEST_CASE("an event of the last iteration is not recorded in this one") {
  Bench bench;
  bench.queue.record(0, 0);
  CHECK_FALSE(bench.queue.is_complete(1));
  await({bench.stop, std::chrono::seconds(5)}, "an event",
        [&] { return bench.queue.is_complete(0); });
  bench.queue.reset();
  CHECK_FALSE(bench.queue.is_complete(0));
  bench.queue.wait(1, 0);
  bench.append(1, 2);
  CHECK(bench.issued == "");
  bench.queue.reset();
}

TEST_CASE("a stream has no more on the device than the window") {
  Bench bench(2);
  for (int kernel = 0; kernel < 4; ++kernel) bench.append(0, kernel);
  bench.append(1, 5);
  CHECK(bench.issued == "015");
  bench.end(0);
  bench.await_passed(0, 1);
  CHECK(bench.issued == "015");
  bench.queue.pump();
  CHECK(bench.issued == "0152");
  for (int kernel = 1; kernel < 4; ++kernel) bench.end(kernel);
  bench.end(5);
  bench.await_all();
  CHECK(bench.issued == "01523");
}

}  // namespace
}  // namespace steptwin::hw::cuda
