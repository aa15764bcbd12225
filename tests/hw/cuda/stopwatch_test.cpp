#include "hw/cuda/stopwatch.h"

#include <doctest/doctest.h>
#include <thread>

#include "hw/host/clock.h"
#include "tests/hw/cuda/fake_run.h"

namespace steptwin::hw::cuda {
namespace {

TEST_CASE("events have times on the host's clock, as exact as the tie") {
  const FakeMachine machine(1);
  const Stop stop;
  const Stream stream = make_stream(Urgency::ordinary);
  Stopwatch watch(2);
  watch.tie(stream.get(), {stop, std::chrono::seconds(5)});
  CHECK(fake_gpu::calls("cudaEventRecord") > 0);
  const TimeNs before = host_now_ns();
  check(cudaEventRecord(watch.begin(1), stream.get()), "cudaEventRecord");
  while (!is_complete(watch.begin(1))) std::this_thread::yield();
  const TimeNs after = host_now_ns();
  constexpr TimeNs kFloat = 1000;  // of 10 ms in ms, and to spare
  const TimeNs inexact = watch.tie_width_ns() + kFloat;
  CHECK(watch.at_ns(watch.begin(1)) >= before - inexact);
  CHECK(watch.at_ns(watch.begin(1)) <= after + inexact);
}

TEST_CASE("of an event that was not recorded there is no time") {
  const FakeMachine machine(1);
  const Stop stop;
  const Stream stream = make_stream(Urgency::ordinary);
  Stopwatch watch(1);
  watch.tie(stream.get(), {stop, std::chrono::seconds(5)});
  CHECK_THROWS_WITH(
      (void)watch.at_ns(watch.end(0)),
      "cudaEventElapsedTime: cudaErrorInvalidResourceHandle: invalid resource handle");
}

}  // namespace
}  // namespace steptwin::hw::cuda
