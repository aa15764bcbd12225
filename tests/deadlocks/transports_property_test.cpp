#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "deadlocks/trial.h"
#include "model/formats/scenario_words.h"
#include "model/passes/boundary_p2p.h"
#include "model/passes/coalesce_p2p.h"
#include "model/passes/recv_placement.h"
#include "model/passes/split_backward.h"
#include "model/schedules/schedules.h"
#include "tests/property_count.h"
#include "tests/scenarios.h"

// Which transports hang in which queues, and for which R, V and M: what is known of the runtime
// that the transports come from. A transfer proceeds when both of its ends are at the heads of
// their queues.
namespace steptwin::deadlocks {
namespace {

struct Size {
  std::int32_t ranks;
  std::int32_t chunks;
  std::int32_t micros;
};

// With DATA steps among the transfers, which end the runs that batches and boundaries are made of;
// they are taken out again before the schedule is run, since no queue holds them.
enum class Order { without_data, with_data };

struct Case {
  std::string schedule = "interleaved_1f1b";
  OverlapMode overlap = OverlapMode::b_f;
  Order order = Order::without_data;
  P2pMode transport = P2pMode::plain;
  bool split = false;
  bool late = false;
};

Schedule schedule_of(const Case& one, const Size& size) {
  ScheduleRequest request;
  request.ranks = size.ranks;
  request.chunks_per_rank = size.chunks;
  request.micro_batches = size.micros;
  request.overlap = one.overlap;
  request.data_steps = one.order == Order::with_data;
  Schedule schedule = build_schedule(one.schedule, request);
  if (one.late) schedule = place_recvs_late(schedule);
  if (one.split) schedule = split_overlapped_backward(schedule);
  if (one.transport == P2pMode::batch) schedule = coalesce_p2p(schedule);
  if (one.transport == P2pMode::boundary) schedule = attach_boundary_p2p(schedule);
  for (StepList& list : schedule.ranks) {
    std::erase_if(list, [](const Slot& slot) { return slot && is_data(slot->type); });
  }
  return schedule;
}

// A receive that would take what another one is for is found before anything is run.
std::string outcome(const Case& one, const Size& size, StreamPreset queues, bool overlap_p2p) {
  Scenario scenario =
      stage_scenario(one.schedule, size.ranks, size.chunks, size.micros, 1, 1, 1, 1);
  scenario.pipeline.overlap_p2p = overlap_p2p;
  scenario.streams.preset = queues;
  Effort effort(1'000'000);
  const Trial trial = try_out(schedule_of(one, size), scenario, effort);
  if (trial.ending == Ending::runs) return "runs";
  if (trial.ending == Ending::hangs) return "hangs";
  return trial.why.find("whose send") != std::string::npos ? "mismatch" : trial.why;
}

using Expected = std::function<std::string(const Size&, StreamPreset queues, bool overlap_p2p)>;

void check_case(const Case& one, const Expected& expected) {
  const std::int32_t most_micros = std::max(6, property_count(16));
  const bool one_chunk = one.schedule != "interleaved_1f1b";
  for (std::int32_t ranks = 2; ranks <= 8; ++ranks) {
    for (std::int32_t chunks = 1; chunks <= (one_chunk ? 1 : 3); ++chunks) {
      for (std::int32_t micros = 1; micros <= most_micros; ++micros) {
        const Size size{ranks, chunks, micros};
        CAPTURE(ranks);
        CAPTURE(chunks);
        CAPTURE(micros);
        for (const StreamPreset queues :
             {StreamPreset::two, StreamPreset::multi_stream, StreamPreset::per_edge}) {
          CAPTURE(text_for(kStreamPresets, queues));
          for (const bool overlap_p2p : {true, false}) {
            CAPTURE(overlap_p2p);
            REQUIRE(outcome(one, size, queues, overlap_p2p) == expected(size, queues, overlap_p2p));
          }
        }
      }
    }
  }
}

std::string always_runs(const Size&, StreamPreset, bool) {
  return "runs";
}

TEST_CASE("plain transfers never hang") {
  check_case({.schedule = "gpipe", .overlap = OverlapMode::none}, always_runs);
  check_case({.schedule = "1f1b", .overlap = OverlapMode::none}, always_runs);
  check_case({.overlap = OverlapMode::none}, always_runs);
  check_case({}, always_runs);
  check_case({.split = true}, always_runs);
}

TEST_CASE("batches never hang, with or without DATA steps between them") {
  for (const Order order : {Order::without_data, Order::with_data}) {
    check_case({.overlap = OverlapMode::none, .order = order, .transport = P2pMode::batch},
               always_runs);
    check_case({.order = order, .transport = P2pMode::batch}, always_runs);
    check_case({.order = order, .transport = P2pMode::batch, .split = true}, always_runs);
  }
}

// At the edge of the warm-up one rank has [BWD_RECV, FWD_SEND], as plain steps, and its neighbour
// the boundary [FWD_RECV] before BWD_SEND: both heads are receives. Queues of their own for each
// direction help, unless compute waits for each receive, which is a queue again. Between two ranks
// of several stages activations and gradients share each way, and are re-ordered at one end.
TEST_CASE("boundary transfers hang from three micro-batches on, but in queues per direction") {
  check_case({.transport = P2pMode::boundary},
             [](const Size& size, StreamPreset queues, bool overlap_p2p) {
               if (size.ranks == 2 && size.chunks > 1 && size.micros >= 4) return "mismatch";
               const bool apart = queues == StreamPreset::per_edge && overlap_p2p;
               return size.micros >= 3 && !apart ? "hangs" : "runs";
             });
}

// DATA steps let the boundary take over what precedes the first of them, mostly one BWD_RECV.
TEST_CASE("boundary transfers between DATA steps hang with several chunks") {
  check_case({.order = Order::with_data, .transport = P2pMode::boundary},
             [](const Size& size, StreamPreset queues, bool overlap_p2p) {
               const bool two = size.ranks == 2 && size.chunks > 1 && size.micros >= 4;
               const bool many = size.chunks > 1 && size.micros >= 2 * size.ranks;
               if (queues == StreamPreset::two || !overlap_p2p) return many ? "hangs" : "runs";
               return queues == StreamPreset::multi_stream && two ? "hangs" : "runs";
             });
}

TEST_CASE("receives right before their use hang from two micro-batches on, but per direction") {
  check_case({.overlap = OverlapMode::none, .late = true},
             [](const Size& size, StreamPreset queues, bool) {
               return size.micros >= 2 && queues != StreamPreset::per_edge ? "hangs" : "runs";
             });
}

}  // namespace
}  // namespace steptwin::deadlocks
