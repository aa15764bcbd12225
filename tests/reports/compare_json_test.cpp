#include "reports/compare_json.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include "tests/reports/compared_traces.h"

namespace steptwin::reports {
namespace {

TEST_CASE(
    "a comparison as JSON: every figure, units in the key names, null for what is not there") {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  Trace other = measured_trace();
  other.kernels.pop_back();
  writer.StartObject();
  write_comparison(writer, compare(predicted_trace(), other, Join::kernel));
  writer.EndObject();
  rapidjson::Document document;
  document.Parse(buffer.GetString(), buffer.GetSize());
  REQUIRE_FALSE(document.HasParseError());
  CHECK(document["join"].GetString() == std::string("kernel"));
  CHECK(document["matched"].GetDouble() == 4);
  REQUIRE(document["only_predicted"].Size() == 1);
  CHECK(document["only_predicted"][0].GetString() ==
        std::string("kernel 4, compute of rank 1 FWD(s1,m0)"));
  CHECK(document["only_measured"].Empty());
  CHECK(document["step_time"]["predicted_us"].GetDouble() == 40000);
  CHECK(document["step_time"]["measured_us"].GetDouble() == 39000);
  CHECK(document["step_time"]["error"].GetDouble() == 0.025641);
  CHECK(document["bubble_ratio"]["predicted"].GetDouble() == 0.25);
  CHECK(document["bubble_ratio"]["measured"].GetDouble() == 0.5);
  CHECK(document["bubble_ratio"]["difference_points"].GetDouble() == -25);
  CHECK(document["ranks"].Size() == 2);
  CHECK(document["ranks"][0]["overlap_ratio"]["difference_points"].IsNull());
  const auto& forward = document["durations"][0];
  CHECK(forward["part"].GetString() == std::string("chunk"));
  CHECK(forward["direction"].GetString() == std::string("forward"));
  CHECK(forward["count"].GetDouble() == 2);
  CHECK(forward["predicted_us"].GetDouble() == 20000);
  CHECK(forward["measured_us"].GetDouble() == 19000);
  CHECK(forward["median_error"].GetDouble() == -0.090909);
  CHECK(forward["p90_error"].GetDouble() == 0.25);
  CHECK(forward["measured_at_zero"].GetDouble() == 0);
  CHECK(document["starts"]["worst_us"].GetDouble() == 5000);
  CHECK(document["starts"]["worst"].GetString() == std::string("rank 1 FWD_RECV(s1,m0)"));
  REQUIRE(document["order"].Size() == 1);
  CHECK(document["order"][0]["stream"].GetString() == std::string("compute"));
  CHECK(document["order"][0]["pairs"].GetDouble() == 3);
  CHECK(document["order"][0]["inversions"].GetDouble() == 0);
}

}  // namespace
}  // namespace steptwin::reports
