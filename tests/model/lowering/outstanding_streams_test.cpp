#include "model/lowering/outstanding_streams.h"

#include <doctest/doctest.h>

namespace steptwin {
namespace {

using Streams = std::vector<std::int32_t>;

TEST_CASE("a stream is outstanding until compute waits for its newest kernel") {
  OutstandingStreams streams;
  CHECK(streams.streams().empty());
  streams.launched(1, Launcher::alone, 0);
  streams.launched(3, Launcher::alone, 1);
  streams.launched(1, Launcher::alone, 2);
  streams.compute_waits(0);
  CHECK(streams.streams() == Streams{1, 3});
  streams.compute_waits(2);
  streams.compute_waits(1);
  CHECK(streams.streams().empty());
}

TEST_CASE("a kernel without an event is outstanding until one behind it is waited for") {
  OutstandingStreams streams;
  streams.launched(1, Launcher::alone);
  CHECK(streams.streams() == Streams{1});
  streams.launched(1, Launcher::alone, 0);
  streams.compute_waits(0);
  CHECK(streams.streams().empty());
}

// Which of the two kernels comes last on the stream is not known: both are waited for, or it stays.
TEST_CASE("the threads of an overlap have a newest kernel each") {
  OutstandingStreams streams;
  streams.launched(1, Launcher::backward_thread, 0);
  streams.launched(1, Launcher::forward_thread, 1);
  streams.compute_waits(1);
  CHECK(streams.streams() == Streams{1});
  SUBCASE("both are waited for") {
    streams.compute_waits(0);
    CHECK(streams.streams().empty());
  }
  SUBCASE("one that is launched alone comes after both") {
    streams.launched(1, Launcher::alone, 2);
    streams.compute_waits(2);
    CHECK(streams.streams().empty());
  }
}

}  // namespace
}  // namespace steptwin
