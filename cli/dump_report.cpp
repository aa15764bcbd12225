#include "cli/dump_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "cli/printable.h"
#include "model/units.h"
#include "reports/json_figures.h"
#include "reports/paint.h"
#include "reports/text_table.h"

namespace steptwin::cli {
namespace {

using reports::PpIterationSummary;
using reports::PpRankSummary;
using reports::PpSummary;
namespace json = reports::json;

constexpr double kPercent = 100.0;
constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kSideBySide = 60;

std::string percent(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.1f} %", *ratio * kPercent) : "n/a";
}

class Text {
 public:
  Text(const PpSummary& summary, std::size_t width, bool color)
      : summary_(summary), width_(std::max(width, kLeastWidth)), color_(color) {}

  std::string text() {
    title();
    figures();
    ranks();
    return text_;
  }

 private:
  void title() {
    const std::size_t ranks = summary_.ranks.size();
    std::string words =
        fmt::format("{}: a recorded pipeline, {} rank{}, {} micro-batch{}, iterations {} to {}",
                    printable(summary_.folder), ranks, ranks == 1 ? "" : "s",
                    summary_.micro_batches, summary_.micro_batches == 1 ? "" : "es",
                    summary_.iterations.front().number, summary_.iterations.back().number);
    if (summary_.warmup > 0) words += fmt::format(" ({} before them left out)", summary_.warmup);
    text_ = reports::painted(color_, reports::tint::kBold, reports::wrapped(words, width_, 2));
    text_ += "\n\n";
  }

  void figure(std::string_view name, std::string_view value, std::string_view explained) {
    text_ += fmt::format("  {:<12}", name) +
             reports::painted(color_, reports::tint::kBold, fmt::format("{:>9}", value));
    if (width_ < kSideBySide) {
      text_ += "\n" + reports::wrapped(fmt::format("{:6}{}", "", explained), width_, 6) + "\n";
    } else {
      text_ +=
          reports::wrapped(fmt::format("{:23}   {}", "", explained), width_, 26).substr(23) + "\n";
    }
  }

  void figures() {
    const auto slowest = std::max_element(
        summary_.iterations.begin(), summary_.iterations.end(),
        [](const auto& left, const auto& right) { return left.step_ns < right.step_ns; });
    figure("step time", duration_text(summary_.step_p50_ns),
           fmt::format("median, of the slowest rank; 5 to 95 %: {} to {}; slowest iteration {}: {}",
                       duration_text(summary_.step_p5_ns), duration_text(summary_.step_p95_ns),
                       slowest->number, duration_text(slowest->step_ns)));
    figure("bubble", percent(summary_.bubble_ratio),
           "of the step without compute (mean over ranks; median)");
    figure("  uniform", percent(summary_.uniform_bubble_ratio),
           "if all operations of a kind took as long and hops took none");
    text_ += "\n";
  }

  void ranks() {
    reports::TextTable table;
    table.columns = {{"rank"},    {"forward", 2}, {"backward", 3},
                     {"compute"}, {"bubble"},     {"reserved GB", 1}};
    for (const PpRankSummary& rank : summary_.ranks) {
      table.rows.push_back({fmt::to_string(rank.rank), duration_text(rank.forward_ns),
                            duration_text(rank.backward_ns), duration_text(rank.compute_ns),
                            percent(rank.bubble_ratio),
                            rank.memory_gb ? fmt::format("{:.1f}", *rank.memory_gb) : "n/a"});
    }
    text_ += reports::table_text(table, width_, color_);
    text_ +=
        reports::wrapped("        medians; reserved: by the allocator, the most", width_, 8) + "\n";
  }

  const PpSummary& summary_;
  std::size_t width_;
  bool color_;
  std::string text_;
};

void write_rank(json::Writer& writer, const PpRankSummary& rank) {
  writer.StartObject();
  json::count(writer, "rank", rank.rank);
  json::duration(writer, "forward_us", rank.forward_ns);
  json::duration(writer, "backward_us", rank.backward_ns);
  json::duration(writer, "compute_us", rank.compute_ns);
  json::ratio(writer, "bubble_ratio", rank.bubble_ratio);
  json::ratio(writer, "memory_reserved_gb", rank.memory_gb);
  writer.EndObject();
}

}  // namespace

std::string dump_text(const PpSummary& summary, std::size_t width, bool color) {
  return Text(summary, width, color).text();
}

std::string dump_json(const PpSummary& summary) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  json::text(writer, "folder", summary.folder);
  json::count(writer, "micro_batches", summary.micro_batches);
  json::count(writer, "warmup", summary.warmup);
  json::key(writer, "step_time_us");
  writer.StartObject();
  json::duration(writer, "p50", summary.step_p50_ns);
  json::duration(writer, "p5", summary.step_p5_ns);
  json::duration(writer, "p95", summary.step_p95_ns);
  writer.EndObject();
  json::ratio(writer, "bubble_ratio", summary.bubble_ratio);
  json::ratio(writer, "uniform_bubble_ratio", summary.uniform_bubble_ratio);
  json::key(writer, "iterations");
  writer.StartArray();
  for (const PpIterationSummary& iteration : summary.iterations) {
    writer.StartObject();
    json::count(writer, "iteration", iteration.number);
    json::duration(writer, "step_time_us", iteration.step_ns);
    json::ratio(writer, "bubble_ratio", iteration.bubble_ratio);
    writer.EndObject();
  }
  writer.EndArray();
  json::key(writer, "ranks");
  writer.StartArray();
  for (const PpRankSummary& rank : summary.ranks) write_rank(writer, rank);
  writer.EndArray();
  writer.EndObject();
  return json::text_of(buffer);
}

}  // namespace steptwin::cli
