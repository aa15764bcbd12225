#include "cli/validation.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "cli/json_writer.h"
#include "model/formats/toml_table.h"

namespace steptwin::cli {
namespace {

constexpr double kToldApart = 0.05;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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

void number(JsonWriter& writer, const char* key, double value) {
  writer.Key(key);
  writer.Double(value);
}

void duration(JsonWriter& writer, const char* key, TimeNs value) {
  number(writer, key, us_from_nanoseconds(value));
}

void write_case(JsonWriter& writer, const CaseResult& result) {
  writer.StartObject();
  writer.Key("name");
  writer.String(result.name.c_str());
  writer.Key("steps");
  writer.Uint64(result.measured.steps);
  duration(writer, "measured_us", result.measured.median_ns);
  duration(writer, "measured_p5_us", result.measured.p5_ns);
  duration(writer, "measured_p95_us", result.measured.p95_ns);
  duration(writer, "measured_bare_us", result.bare_ns);
  duration(writer, "simulated_us", result.simulated_ns);
  number(writer, "error", result.error());
  number(writer, "bubble_points", result.bubble_points());
  number(writer, "overlap_points", result.overlap_points());
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
    made.name = text_of(require(table, "name", "a string"), "a string");
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
    costs.push_back(static_cast<double>(result.measured.median_ns - result.bare_ns) /
                    static_cast<double>(result.bare_ns));
    totals.worst_error = larger(totals.worst_error, result.error());
    totals.worst_bubble_points = larger(totals.worst_bubble_points, result.bubble_points());
    totals.worst_overlap_points = larger(totals.worst_overlap_points, result.overlap_points());
    for (std::size_t other = 0; other < index; ++other) count_pair(results[other], result, totals);
  }
  totals.median_error = median_of(std::move(errors));
  totals.tracing_cost = median_of(std::move(costs));
  return totals;
}

std::string validation_text(const std::vector<CaseResult>& results,
                            const ValidationTotals& totals) {
  constexpr double kMs = 1e6;
  std::size_t widest = 4;
  for (const CaseResult& result : results) widest = std::max(widest, result.name.size());
  std::string text = fmt::format(
      "{:<{}}  measured      p5     p95  simulated   error  bubble  overlap\n", "case", widest);
  for (const CaseResult& result : results) {
    const auto ms = [](TimeNs time) { return static_cast<double>(time) / kMs; };
    text +=
        fmt::format("{:<{}}  {:8.2f} {:7.2f} {:7.2f}   {:8.2f}  {:+5.1f} %  {:+6.1f}   {:+6.1f}\n",
                    result.name, widest, ms(result.measured.median_ns), ms(result.measured.p5_ns),
                    ms(result.measured.p95_ns), ms(result.simulated_ns), result.error() * 100,
                    result.bubble_points(), result.overlap_points());
  }
  text += "times in ms; bubble and overlap: simulated minus measured, in points\n\n";
  text += fmt::format("error of the step time   median {:.1f} %, worst {:.1f} %\n",
                      totals.median_error * 100, totals.worst_error * 100);
  text += fmt::format("bubble, overlap          worst {:.1f} and {:.1f} points\n",
                      totals.worst_bubble_points, totals.worst_overlap_points);
  if (results.size() > 1) {
    text += fmt::format(
        "which of two is faster   named rightly for {} of {} pairs that differ by over 5 %\n",
        totals.pairs_right, totals.pairs);
  }
  text += fmt::format("tracing                  costs {:.1f} % of the step (median)\n",
                      totals.tracing_cost * 100);
  return text;
}

std::string validation_json(const std::vector<CaseResult>& results,
                            const ValidationTotals& totals) {
  rapidjson::StringBuffer buffer;
  JsonWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  number(writer, "median_error", totals.median_error);
  number(writer, "worst_error", totals.worst_error);
  number(writer, "worst_bubble_points", totals.worst_bubble_points);
  number(writer, "worst_overlap_points", totals.worst_overlap_points);
  writer.Key("pairs");
  writer.Int(totals.pairs);
  writer.Key("pairs_right");
  writer.Int(totals.pairs_right);
  number(writer, "tracing_cost", totals.tracing_cost);
  writer.Key("cases");
  writer.StartArray();
  for (const CaseResult& result : results) write_case(writer, result);
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace steptwin::cli
