#include "deadlocks/transport_table.h"

#include <doctest/doctest.h>
#include <string>

#include "deadlocks/step_places.h"
#include "model/formats/scenario_words.h"
#include "model/scenario_schedule.h"
#include "tests/deadlocks/hanging.h"

namespace steptwin::deadlocks {
namespace {

constexpr std::size_t kEnough = 10'000'000;

std::string word_of(const TransportCell& cell) {
  std::string word = "?";
  if (cell.ending == Ending::runs) word = "runs";
  if (cell.ending == Ending::hangs) word = "hangs";
  if (cell.ending == Ending::refused) word = "n/a";
  return word + (cell.is_own ? "*" : "");
}

// A line for each transport: "plain runs* runs runs".
std::string words_of(const TransportTable& table) {
  std::string text;
  for (std::size_t at = 0; at < table.cells.size(); ++at) {
    const TransportCell& cell = table.cells[at];
    if (at % table.queues.size() == 0) text += text_for(kP2pModes, cell.transport);
    text += " " + word_of(cell) + ((at + 1) % table.queues.size() == 0 ? "\n" : "");
  }
  return text;
}

TransportTable table_of(const Scenario& scenario, std::size_t most_kernels = kEnough) {
  return transport_table(make_schedule(scenario), scenario, make_schedule, most_kernels);
}

TransportTable table_of(const Given& given) {
  return transport_table(
      given.schedule, given.scenario, [&given](const Scenario&) { return given.schedule; },
      kEnough);
}

Scenario overlapped(std::int32_t ranks, std::int32_t chunks) {
  Scenario scenario = stage_scenario("interleaved_1f1b", ranks, chunks, 8, 1, 1, 1, 1);
  scenario.pipeline.overlap = OverlapMode::b_f;
  return scenario;
}

TEST_CASE("table: boundary transfers need queues per direction, and there are overlaps") {
  const TransportTable table = table_of(overlapped(4, 1));
  CHECK(words_of(table) ==
        "plain runs runs runs\n"
        "batch runs* runs runs\n"
        "boundary hangs hangs runs\n"
        "multi_stream n/a runs n/a\n");
  const TransportCell& hangs = table.cells[6];
  CHECK(
      hangs.cycle_text.starts_with("rank 2 stream comm stops at BWD_RECV(s2,m0) from rank 3 and "));
  CHECK(hangs.exchange.tried > 0);
  CHECK_FALSE(hangs.exchange_cut_short);
  CHECK(table.cells[9].why == "multi_stream gives every neighbour a queue");
}

// Two peers of each of four pipeline ranks are eight ranks, which run four lists.
TEST_CASE("table: peers that are ranks of their own hang as one does") {
  Scenario scenario = overlapped(4, 1);
  use_moe_layers(scenario, 1);
  scenario.parallel.expert = 2;
  scenario.parallel.fold = false;
  const TransportTable table = table_of(scenario);
  CHECK(words_of(table) ==
        "plain runs runs runs\n"
        "batch runs* runs runs\n"
        "boundary hangs hangs runs\n"
        "multi_stream n/a runs n/a\n");
  CHECK(table.cells[6].exchange.tried > 0);
  scenario.pipeline.p2p = P2pMode::boundary;
  const Schedule schedule = make_schedule(scenario);
  Effort effort(kEnough);
  const Trial trial = try_out(schedule, scenario, effort);
  REQUIRE(trial.ending == Ending::hangs);
  CHECK(trial.program.ranks.size() == 8);
  const Place place = place_of(schedule, trial.program, trial.deadlock);
  CHECK(place.rank == 2);
  CHECK(place.step == "BWD_RECV(s2,m0)");
}

TEST_CASE("table: what is not possible says why") {
  const TransportTable plain = table_of(stage_scenario("1f1b", 4, 1, 8, 1, 1, 1, 1));
  CHECK(words_of(plain) ==
        "plain runs* runs runs\n"
        "batch runs runs runs\n"
        "boundary n/a n/a n/a\n"
        "multi_stream n/a runs n/a\n");
  CHECK(plain.cells[6].why == "the boundary is that of an OVERLAP_B_F, and there is none");
  const TransportTable ambiguous = table_of(overlapped(2, 2));
  CHECK(words_of(ambiguous) ==
        "plain runs runs runs\n"
        "batch runs* runs runs\n"
        "boundary n/a n/a n/a\n"
        "multi_stream n/a runs n/a\n");
  CHECK(ambiguous.cells[6].why.starts_with("boundary transfers between two ranks of several "));
}

TEST_CASE("table: the scenario's own setting is marked, also where it is none of the queues") {
  Scenario scenario = overlapped(4, 1);
  scenario.pipeline.p2p = P2pMode::boundary;
  scenario.streams.preset = StreamPreset::unqueued;
  CHECK(words_of(table_of(scenario)) ==
        "plain runs runs runs runs\n"
        "batch runs runs runs runs\n"
        "boundary hangs hangs runs runs*\n"
        "multi_stream n/a runs n/a n/a\n");
  scenario.streams.preset = StreamPreset::per_edge;
  CHECK(words_of(table_of(scenario)) ==
        "plain runs runs runs\n"
        "batch runs runs runs\n"
        "boundary hangs hangs runs*\n"
        "multi_stream n/a runs n/a\n");
  scenario.pipeline.p2p = P2pMode::multi_stream;
  scenario.streams.preset = StreamPreset::two;
  CHECK(words_of(table_of(scenario)).ends_with("multi_stream n/a runs* n/a\n"));
  scenario.pipeline.p2p = P2pMode::plain;
  scenario.streams.p2p = "mine";
  CHECK(words_of(table_of(scenario)).starts_with("plain runs runs runs runs*\n"));
}

TEST_CASE("table: late receives hang in all queues that activations and gradients share") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 10, 10, 10, 1);
  scenario.pipeline.recv_placement = RecvPlacement::late;
  CHECK(words_of(table_of(scenario)) ==
        "plain hangs* hangs runs\n"
        "batch hangs hangs runs\n"
        "boundary n/a n/a n/a\n"
        "multi_stream n/a hangs n/a\n");
}

TEST_CASE("table: a schedule that groups its transfers has that transport") {
  const Given batches(
      "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) "
      "BATCH_SEND_RECV[BWD_RECV(s0,m0)|FWD_SEND(s0,m1)] BWD(s0,m0) BWD_RECV(s0,m1) BWD(s0,m1)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) "
      "BATCH_SEND_RECV[BWD_SEND(s1,m0)|FWD_RECV(s1,m1)] FWD(s1,m1) BWD(s1,m1) BWD_SEND(s1,m1)\n");
  CHECK(own_transport(batches.schedule, batches.scenario) == P2pMode::batch);
  CHECK(words_of(table_of(batches)) ==
        "plain runs runs runs\n"
        "batch runs* runs runs\n"
        "boundary n/a n/a n/a\n"
        "multi_stream n/a runs n/a\n");
  const Given hangs(kBackwardFirst);
  const TransportTable table = table_of(hangs);
  CHECK(words_of(table) ==
        "plain hangs* hangs runs\n"
        "batch hangs hangs runs\n"
        "boundary n/a n/a n/a\n"
        "multi_stream n/a hangs n/a\n");
  REQUIRE(table.cells[0].exchange.found.has_value());
}

TEST_CASE("table: what would take too long is not tried") {
  const TransportTable table = table_of(stage_scenario("1f1b", 4, 1, 8, 1, 1, 1, 1), 500);
  CHECK(words_of(table) ==
        "plain runs* runs runs\n"
        "batch ? ? ?\n"
        "boundary n/a n/a n/a\n"
        "multi_stream n/a ? n/a\n");
}

}  // namespace
}  // namespace steptwin::deadlocks
