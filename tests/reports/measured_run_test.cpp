#include "reports/measured_run.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "reports/summary_json.h"

namespace steptwin::reports {
namespace {

MeasuredRun example() {
  return {repeated_steps(std::vector<TimeNs>{2500, 3501}), "this machine's CPU", "timed"};
}

Metrics median_step() {
  Metrics metrics;
  metrics.step_time_ns = 2500;
  return metrics;
}

TEST_CASE("the summary of a real run says how often, on what and with which kernels") {
  const std::string summary = summary_json(Metrics{}, example());
  CHECK(summary.find("\"steps\": 2,\n"
                     "  \"step_time_p5_us\": 2.5,\n  \"step_time_p95_us\": 3.501,\n"
                     "  \"measured_on\": \"this machine's CPU\",\n"
                     "  \"kernel_mode\": \"timed\",") != std::string::npos);
}

TEST_CASE("what the summary says is read back") {
  const auto back = read_measured_run(summary_json(median_step(), example()), "summary.json");
  REQUIRE(back);
  CHECK(back->steps.steps == 2);
  CHECK(back->steps.median_ns == 2500);
  CHECK(back->steps.p5_ns == 2500);
  CHECK(back->steps.p95_ns == 3501);
  CHECK(back->machine == "this machine's CPU");
  CHECK(back->kernels == "timed");
}

TEST_CASE("a simulation was not measured, whatever its ranks have") {
  CHECK(!read_measured_run(summary_json(Metrics{}), "summary.json"));
  CHECK(!read_measured_run("{\"ranks\": [{\"steps\": 3}], \"steps\": 0}", "summary.json"));
}

TEST_CASE("figures that no run has are 0") {
  const auto run = read_measured_run(
      R"({"steps": 1, "step_time_us": -1, "step_time_p5_us": "x", "measured_on": 5})", "s");
  REQUIRE(run);
  CHECK(run->steps.median_ns == 0);
  CHECK(run->steps.p5_ns == 0);
  CHECK(run->machine.empty());
}

TEST_CASE("what is no JSON is told where it is") {
  CHECK_THROWS_AS(read_measured_run("{\"steps\": 1,,", "summary.json"), Error);
}

}  // namespace
}  // namespace steptwin::reports
