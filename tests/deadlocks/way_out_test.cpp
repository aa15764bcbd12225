#include "deadlocks/way_out.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "model/scenario_schedule.h"
#include "tests/deadlocks/hanging.h"

namespace steptwin::deadlocks {
namespace {

WayOut way_out_of(const Scenario& scenario, std::size_t most_kernels = kMostSearchKernels) {
  const Schedule schedule = make_schedule(scenario);
  Effort effort(1'000'000);
  const Trial trial = try_out(schedule, scenario, effort);
  REQUIRE(trial.ending == Ending::hangs);
  return find_way_out({schedule, scenario, trial.program, trial.deadlock}, make_schedule,
                      most_kernels);
}

WayOut way_out_of(const Given& given) {
  const Trial trial = given.tried();
  REQUIRE(trial.ending == Ending::hangs);
  return find_way_out({given.schedule, given.scenario, trial.program, trial.deadlock},
                      [&given](const Scenario&) { return given.schedule; });
}

Scenario late_interleaved() {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 10, 10, 10, 1);
  scenario.pipeline.recv_placement = RecvPlacement::late;
  return scenario;
}

TEST_CASE("way out: an exchange, where one helps; then no setting is tried") {
  const WayOut way_out = way_out_of(Given(kBackwardFirst));
  CHECK(way_out.settings_tried == 0);
  CHECK_FALSE(way_out.was_cut_short);
  CHECK(way_out_text(way_out) ==
        "Exchanging BWD_RECV(s0,m0) and FWD_SEND(s0,m0) on rank 0 (slots 1 and 3) lets it run to "
        "its end.");
}

TEST_CASE("way out: settings, where no exchange helps") {
  const WayOut way_out = way_out_of(late_interleaved());
  CHECK(way_out.settings == std::vector<std::string>{"pipeline.recv_placement = \"early\"",
                                                     "streams.preset = \"per_edge\""});
  CHECK(way_out.settings_tried == 5);  // batches, and one or two queues for a pair, do not help
  CHECK(way_out_text(way_out) ==
        "No exchange of two neighbouring steps helps (2 tried). With pipeline.recv_placement = "
        "\"early\" or streams.preset = \"per_edge\" it runs to its end.");
}

// Every setting that is advised does what is said of it.
TEST_CASE("way out: what is said of a setting is true") {
  Effort effort(1'000'000);
  Scenario scenario = late_interleaved();
  scenario.streams.preset = StreamPreset::per_edge;
  CHECK(try_out(make_schedule(scenario), scenario, effort).ending == Ending::runs);
  scenario.streams.preset = StreamPreset::multi_stream;
  CHECK(try_out(make_schedule(scenario), scenario, effort).ending == Ending::hangs);
}

TEST_CASE("way out: streams with names of their own are left alone") {
  Scenario scenario = late_interleaved();
  scenario.streams.p2p = "mine";
  const WayOut way_out = way_out_of(scenario);
  CHECK(way_out.settings == std::vector<std::string>{"pipeline.recv_placement = \"early\""});
  CHECK(way_out.settings_tried == 2);
}

TEST_CASE("way out: the bound on the effort is said") {
  const WayOut way_out = way_out_of(late_interleaved(), 10);
  CHECK(way_out.was_cut_short);
  CHECK(way_out_text(way_out).ends_with("Not all was tried: it would have taken too long."));
}

TEST_CASE("way out: in words") {
  WayOut way_out;
  CHECK(way_out_text(way_out) == "There is no exchange of two neighbouring steps that could help.");
  way_out.exchange.tried = 3;
  way_out.settings_tried = 1;
  CHECK(way_out_text(way_out) ==
        "No exchange of two neighbouring steps helps (3 tried). 1 other setting tried one at a "
        "time: none helps.");
  way_out.settings = {"a", "b", "c"};
  CHECK(way_out_text(way_out) ==
        "No exchange of two neighbouring steps helps (3 tried). With a, b or c it runs to its "
        "end.");
}

}  // namespace
}  // namespace steptwin::deadlocks
