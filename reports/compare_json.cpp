#include "reports/compare_json.h"

#include <string>
#include <string_view>
#include <vector>

namespace steptwin::reports {
namespace {

using json::Writer;

constexpr double kPercent = 100.0;

void texts(Writer& writer, std::string_view name, const std::vector<std::string>& values) {
  json::key(writer, name);
  writer.StartArray();
  for (const std::string& value : values) {
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  writer.EndArray();
}

void ratio_pair(Writer& writer, std::string_view name, const RatioPair& pair) {
  json::key(writer, name);
  writer.StartObject();
  json::ratio(writer, "predicted", pair.predicted);
  json::ratio(writer, "measured", pair.measured);
  const std::optional<double> difference = pair.difference();
  json::ratio(writer, "difference_points",
              difference ? std::optional(*difference * kPercent) : std::nullopt);
  writer.EndObject();
}

void durations(Writer& writer, const std::vector<DurationErrors>& groups) {
  json::key(writer, "durations");
  writer.StartArray();
  for (const DurationErrors& group : groups) {
    writer.StartObject();
    json::text(writer, "part", name_of(group.part));
    json::text(writer, "direction", name_of(group.direction));
    json::count(writer, "count", group.count);
    json::duration(writer, "predicted_us", group.predicted_ns);
    json::duration(writer, "measured_us", group.measured_ns);
    json::ratio(writer, "median_error", group.median);
    json::ratio(writer, "p90_error", group.p90);
    json::count(writer, "measured_at_zero", group.measured_at_zero);
    writer.EndObject();
  }
  writer.EndArray();
}

void starts_and_order(Writer& writer, const Comparison& comparison) {
  json::key(writer, "starts");
  writer.StartObject();
  json::duration(writer, "median_us", comparison.starts.median_ns);
  json::duration(writer, "p90_us", comparison.starts.p90_ns);
  json::duration(writer, "worst_us", comparison.starts.worst_ns);
  json::text(writer, "worst", comparison.starts.worst);
  writer.EndObject();
  json::key(writer, "order");
  writer.StartArray();
  for (const StreamOrder& order : comparison.orders) {
    writer.StartObject();
    json::count(writer, "rank", order.rank);
    json::text(writer, "stream", order.stream);
    json::count(writer, "pairs", order.pairs);
    json::count(writer, "inversions", order.inversions);
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace

void write_comparison(Writer& writer, const Comparison& comparison) {
  json::text(writer, "join", comparison.join == Join::kernel ? "kernel" : "step");
  json::count(writer, "matched", comparison.matched);
  texts(writer, "only_predicted", comparison.only_predicted);
  texts(writer, "only_measured", comparison.only_measured);
  json::key(writer, "step_time");
  writer.StartObject();
  json::duration(writer, "predicted_us", comparison.predicted_step_ns);
  json::duration(writer, "measured_us", comparison.measured_step_ns);
  json::ratio(writer, "error", comparison.step_time_error);
  writer.EndObject();
  ratio_pair(writer, "bubble_ratio", comparison.bubble);
  ratio_pair(writer, "overlap_ratio", comparison.overlap);
  durations(writer, comparison.durations);
  starts_and_order(writer, comparison);
  json::key(writer, "ranks");
  writer.StartArray();
  for (const RankComparison& rank : comparison.ranks) {
    writer.StartObject();
    json::count(writer, "rank", rank.rank);
    ratio_pair(writer, "bubble_ratio", rank.bubble);
    ratio_pair(writer, "overlap_ratio", rank.overlap);
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace steptwin::reports
