#include "cli/validation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>

#include "cli/printable.h"
#include "model/formats/toml_table.h"
#include "model/median.h"
#include "reports/json_figures.h"
#include "reports/paint.h"
#include "reports/text_table.h"

namespace steptwin::cli {
namespace {

namespace json = reports::json;

constexpr double kToldApart = 0.05;
constexpr std::size_t kLeastWidth = 40;

std::string ms_text(TimeNs time) {
  constexpr double kMs = 1e6;
  return fmt::format("{:.2f}", static_cast<double>(time) / kMs);
}

std::string points_text(std::optional<double> points) {
  return points ? fmt::format("{:+.1f}", *points) : "n/a";
}

double larger(double most, double value) {
  return std::max(most, std::abs(value));
}

void count_pair(const CaseResult& left, const CaseResult& right, ValidationTotals& totals) {
  const auto least =
      static_cast<double>(std::min(left.measured.median_ns, right.measured.median_ns));
  const auto measured = static_cast<double>(left.measured.median_ns - right.measured.median_ns);
  if (std::abs(measured) <= kToldApart * least) return;
  ++totals.pairs;
  const auto simulated = static_cast<double>(left.simulated_ns - right.simulated_ns);
  if (measured * simulated > 0) ++totals.pairs_right;
}

void duration(json::Writer& writer, const char* key, TimeNs value) {
  json::number(writer, key, us_from_nanoseconds(value));
}

void write_case(json::Writer& writer, const CaseResult& result) {
  writer.StartObject();
  json::text(writer, "name", result.name);
  json::count(writer, "steps", static_cast<std::int64_t>(result.measured.steps));
  duration(writer, "measured_us", result.measured.median_ns);
  duration(writer, "measured_p5_us", result.measured.p5_ns);
  duration(writer, "measured_p95_us", result.measured.p95_ns);
  duration(writer, "measured_traced_us", result.traced_ns);
  duration(writer, "measured_bare_us", result.bare_ns);
  duration(writer, "simulated_us", result.simulated_ns);
  json::number(writer, "error", result.error());
  json::ratio(writer, "bubble_points", result.bubble_points());
  json::ratio(writer, "overlap_points", result.overlap_points());
  writer.EndObject();
}

}  // namespace

std::vector<ValidationCase> read_validation_cases(const std::string& text,
                                                  const std::string& file) {
  const toml::table tree = toml_document(text, file, {});
  const TomlTable document = whole_document(tree, file);
  refuse_unknown_keys(document, {"case"});
  const TomlValue list = require(document, "case", "[[case]] tables");
  if (size_of(list) == 0) refuse(list, "[[case]] tables");
  std::vector<ValidationCase> cases;
  for (std::size_t index = 0; index < size_of(list); ++index) {
    const TomlTable table = as_table(item_of(list, index));
    refuse_unknown_keys(table, {"name", "set", "scenario"});
    ValidationCase made;
    const TomlValue name = require(table, "name", "a string");
    made.name = text_of(name, "a string");
    made.position = name.position;
    const std::string expected = "a list of \"key=value\"";
    const TomlValue sets = require(table, "set", expected);
    if (!is_array(sets)) refuse(sets, expected);
    for (std::size_t set = 0; set < size_of(sets); ++set) {
      made.sets.push_back(text_of(item_of(sets, set), "\"key=value\""));
    }
    if (const auto scenario = find(table, "scenario")) {
      made.scenario =
          (std::filesystem::path(file).parent_path() / text_of(*scenario, "the name of a file"))
              .string();
    }
    cases.push_back(std::move(made));
  }
  return cases;
}

ValidationTotals totals_of(const std::vector<CaseResult>& results) {
  ValidationTotals totals;
  std::vector<double> errors;
  std::vector<double> costs;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const CaseResult& result = results[index];
    errors.push_back(std::abs(result.error()));
    costs.push_back(static_cast<double>(result.traced_ns - result.bare_ns) /
                    static_cast<double>(result.bare_ns));
    totals.worst_error = larger(totals.worst_error, result.error());
    totals.worst_bubble_points =
        larger(totals.worst_bubble_points, result.bubble_points().value_or(0));
    totals.worst_overlap_points =
        larger(totals.worst_overlap_points, result.overlap_points().value_or(0));
    for (std::size_t other = 0; other < index; ++other) count_pair(results[other], result, totals);
  }
  totals.median_error = median(std::move(errors)).value_or(0);
  totals.tracing_cost = median(std::move(costs)).value_or(0);
  return totals;
}

std::string validation_text(const std::vector<CaseResult>& results, const ValidationTotals& totals,
                            const DisturbedRuns& disturbed, std::size_t width, bool color) {
  width = std::max(width, kLeastWidth);
  reports::TextTable table;
  table.columns = {{"case"},      {"measured"}, {"p5", 2},     {"p95", 2},
                   {"simulated"}, {"error"},    {"bubble", 1}, {"overlap", 1}};
  for (const CaseResult& result : results) {
    table.rows.push_back(
        {printable(result.name), ms_text(result.measured.median_ns), ms_text(result.measured.p5_ns),
         ms_text(result.measured.p95_ns), ms_text(result.simulated_ns),
         fmt::format("{:+.1f} %", result.error() * 100), points_text(result.bubble_points()),
         points_text(result.overlap_points())});
  }
  const auto line = [width](const std::string& text) {
    constexpr std::size_t kIndent = 25;
    return reports::wrapped(text, width, kIndent) + "\n";
  };
  std::string text = reports::table_text(table, width, color);
  text += reports::wrapped(
      "        times in ms; bubble and overlap: simulated minus measured, in points", width, 8);
  text += "\n\n";
  text += line(fmt::format("error of the step time   median {:.1f} %, worst {:.1f} %",
                           totals.median_error * 100, totals.worst_error * 100));
  text += line(fmt::format("bubble, overlap          worst {:.1f} and {:.1f} points",
                           totals.worst_bubble_points, totals.worst_overlap_points));
  if (results.size() > 1) {
    text += line(fmt::format(
        "which of two is faster   named rightly for {} of {} pairs that differ by over 5 %",
        totals.pairs_right, totals.pairs));
  }
  text += line(fmt::format("tracing                  costs {:.1f} % of the step (median)",
                           totals.tracing_cost * 100));
  if (disturbed.runs > 0) {
    text += line(fmt::format(
        "disturbed by others      {} of {} runs, which were made anew{}", disturbed.repeated,
        disturbed.runs,
        disturbed.kept == 0
            ? ""
            : fmt::format("; {} more, after as many as five tries, were kept: the machine is too "
                          "noisy for these",
                          disturbed.kept)));
  }
  return text;
}

std::string validation_json(const std::vector<CaseResult>& results, const ValidationTotals& totals,
                            const DisturbedRuns& disturbed) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  json::number(writer, "median_error", totals.median_error);
  json::number(writer, "worst_error", totals.worst_error);
  json::number(writer, "worst_bubble_points", totals.worst_bubble_points);
  json::number(writer, "worst_overlap_points", totals.worst_overlap_points);
  json::count(writer, "pairs", totals.pairs);
  json::count(writer, "pairs_right", totals.pairs_right);
  json::number(writer, "tracing_cost", totals.tracing_cost);
  json::count(writer, "runs_watched", disturbed.runs);
  json::count(writer, "runs_repeated", disturbed.repeated);
  json::count(writer, "runs_disturbed", disturbed.kept);
  json::key(writer, "cases");
  writer.StartArray();
  for (const CaseResult& result : results) write_case(writer, result);
  writer.EndArray();
  writer.EndObject();
  return json::text_of(buffer);
}

}  // namespace steptwin::cli
