#include "reports/summary_json.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include "reports/decimal.h"
#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

TEST_CASE("microseconds are exact to the nanosecond") {
  CHECK(microseconds_text(0) == "0");
  CHECK(microseconds_text(1) == "0.001");
  CHECK(microseconds_text(-1) == "-0.001");
  CHECK(microseconds_text(12500) == "12.5");
  CHECK(microseconds_text(100000) == "100");
  CHECK(microseconds_text(1234567890123456789) == "1234567890123456.789");
  CHECK(microseconds_fixed(12500) == "12.500");
  CHECK(ratio_text(3.0 / 11) == "0.272727");
  CHECK(ratio_text(1) == "1");
  CHECK(ratio_text(-0.0000001) == "0");
}

TEST_CASE("summary.json has every figure, nulls for what is not there, and parses back") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 1500)
      .compute(0, StepType::bwd, 0, 0, 0, 3000, 5000)
      .compute(1, StepType::fwd, 1, 0, 0, 1500, 3000);
  const std::string text = summary_json(compute_metrics(maker.trace()));
  rapidjson::Document summary;
  summary.Parse(text.c_str());
  REQUIRE_FALSE(summary.HasParseError());
  CHECK(text.ends_with("}\n"));
  CHECK(summary["window"]["end_us"].GetDouble() == 5.0);
  CHECK(summary["step_time_us"].GetDouble() == 5.0);
  CHECK(summary["kernels"].GetInt() == 3);
  CHECK(summary["bubble_ratio"].GetDouble() == 0.5);
  CHECK(summary["bubble_ratio_max"].GetDouble() == 0.7);
  CHECK(summary["bubble_ratio_span"].GetDouble() == 0.3);
  CHECK(summary["bubble_over_ideal"].GetDouble() == 0.428571);
  CHECK(summary["overlap_ratio"].IsNull());
  CHECK(summary["compute_dilation"].IsNull());
  CHECK(summary["stage_balance"].GetDouble() == 1.4);
  CHECK(summary["micro_batch_latency_us"]["p50"].GetDouble() == 5.0);
  CHECK(summary["micro_batch_latency_us"]["p99"].GetDouble() == 5.0);
  CHECK(summary["gap_by_cause"]["end_us"].GetDouble() == 2.0);
  REQUIRE(summary["ranks"].IsArray());
  REQUIRE(summary["ranks"].Size() == 2);
  const rapidjson::Value& rank = summary["ranks"][0];
  CHECK(rank["rank"].GetInt() == 0);
  CHECK(rank["compute_us"].GetDouble() == 3.5);
  CHECK(rank["warmup_us"].GetDouble() == 1.5);
  CHECK(rank["rendezvous_us"].IsNull());
  CHECK(rank["hook_wait_us"].IsNull());
  CHECK(rank["in_flight_max"].GetInt() == 1);
  for (const char* key :
       {"bubble_ratio", "exposed_comm_us", "exposed_wait_us", "exposed_transfer_us",
        "overlap_ratio", "compute_dilation", "steady_us", "drain_us", "gap_by_cause", "p2p_wait_us",
        "collective_wait_us", "idle_us", "exposed_copy_us"}) {
    CAPTURE(key);
    CHECK(rank.HasMember(key));
  }
}

TEST_CASE("figures that nothing computes yet are there as null") {
  rapidjson::Document summary;
  summary.Parse(summary_json(compute_metrics(TraceMaker(1).trace())).c_str());
  for (const char* key : {"critical_path", "model_flops_utilization", "tokens_per_second"}) {
    CAPTURE(key);
    REQUIRE(summary.HasMember(key));
    CHECK(summary[key].IsNull());
  }
  const rapidjson::Value& rank = summary["ranks"][0];
  for (const char* key : {"memory_peak_bytes", "memory_peak_at_us"}) {
    CAPTURE(key);
    REQUIRE(rank.HasMember(key));
    CHECK(rank[key].IsNull());
  }
}

TEST_CASE("rendezvous times are listed by hook and role") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 1500)
      .rendezvous(0, 0, Hook::c, Role::compute, 0, 250);
  rapidjson::Document summary;
  summary.Parse(summary_json(compute_metrics(maker.trace())).c_str());
  const rapidjson::Value& rank = summary["ranks"][0];
  CHECK(rank["rendezvous_us"].GetDouble() == 0.25);
  CHECK(rank["hook_wait_us"]["C"]["compute"].GetDouble() == 0.25);
  CHECK(rank["hook_wait_us"]["C"]["comm"].GetDouble() == 0);
  CHECK(rank["hook_wait_us"].MemberCount() == 4);
}

TEST_CASE("an empty trace makes a summary too") {
  rapidjson::Document summary;
  summary.Parse(summary_json(compute_metrics(Trace{})).c_str());
  REQUIRE_FALSE(summary.HasParseError());
  CHECK(summary["bubble_ratio"].IsNull());
  CHECK(summary["ranks"].Size() == 0);
}

}  // namespace
}  // namespace steptwin::reports
