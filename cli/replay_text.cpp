#include "cli/replay_text.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/printable.h"
#include "model/program.h"
#include "model/units.h"
#include "reports/compare_text.h"
#include "reports/json_figures.h"
#include "reports/paint.h"
#include "reports/text_table.h"

namespace steptwin::cli {
namespace {

using compare::Replay;
using compare::ReplayedIteration;
using compare::ReplayedStep;
using compare::SlowOperation;
namespace json = reports::json;

constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kMostSlow = 10;

std::string_view direction_of(const SlowOperation& slow) {
  return name_of(slow.is_forward ? Direction::forward : Direction::backward);
}

std::string shown(TimeNs duration_ns) {
  return duration_ns == 0 ? "0" : duration_text(duration_ns);
}

std::optional<double> cost_ratio(const SlowOperation& slow) {
  return compare::relative_error(slow.step_without_ns + slow.cost_ns, slow.step_without_ns);
}

class Text {
 public:
  Text(const Replay& replay, std::size_t width, bool color)
      : replay_(replay), width_(std::max(width, kLeastWidth)), color_(color) {}

  std::string text() {
    title();
    errors();
    why();
    slow();
    return text_;
  }

 private:
  void paragraph(const std::string& words, std::size_t indent) {
    text_ += reports::wrapped(words, width_, indent) + "\n";
  }

  void title() {
    const std::string words =
        fmt::format("{}: 1F1B as recorded, {} rank{}, {} micro-batch{}, iterations {} to {}",
                    printable(replay_.folder), replay_.ranks, replay_.ranks == 1 ? "" : "s",
                    replay_.micro_batches, replay_.micro_batches == 1 ? "" : "es",
                    replay_.iterations.front().number, replay_.iterations.back().number);
    text_ += reports::painted(color_, reports::tint::kBold, reports::wrapped(words, width_, 2));
    text_ += "\n";
    if (replay_.warmup > 0) {
      paragraph(fmt::format("  the first {} left out as warm-up (--warmup)",
                            replay_.warmup == 1 ? "is" : fmt::format("{} are", replay_.warmup)),
                2);
    }
    text_ += "\n";
  }

  void errors() {
    reports::TextTable table;
    table.columns = {{"replayed with its own durations"}, {"step", 1}, {"median"}, {"worst", 2}};
    const auto add = [this, &table](const std::string& what, ReplayedStep step) {
      const ReplayedIteration& worst = *worst_iteration(replay_, step);
      const auto worst_error = compare::relative_error(worst.*step, worst.measured_ns);
      table.rows.push_back(
          {what, duration_text(median_step(step)),
           reports::signed_percent(median_error(replay_, step)),
           fmt::format("{} (iteration {})", reports::signed_percent(worst_error), worst.number)});
    };
    add("dependencies alone", &ReplayedIteration::dependencies_ns);
    if (replay_.ranks > 1) {
      add(fmt::format("and a hop of {}, fitted", duration_text(replay_.fitted_hop_ns)),
          &ReplayedIteration::fitted_ns);
    }
    add("hops and gaps as measured", &ReplayedIteration::explained_ns);
    table.rows.push_back(
        {"the measurement", duration_text(median_step(&ReplayedIteration::measured_ns)), "", ""});
    text_ += reports::table_text(table, width_, color_);
  }

  TimeNs median_step(ReplayedStep step) const {
    std::vector<TimeNs> steps;
    for (const ReplayedIteration& iteration : replay_.iterations) steps.push_back(iteration.*step);
    std::sort(steps.begin(), steps.end());
    const std::size_t middle = steps.size() / 2;
    return steps.size() % 2 == 1 ? steps[middle] : (steps[middle - 1] + steps[middle]) / 2;
  }

  void why() {
    text_ += "\n" + reports::painted(color_, reports::tint::kBold, "Where the rest is") + "\n";
    if (replay_.measured_gap_ns) {
      paragraph(fmt::format("  - {} pass between two operations of a rank of which the second "
                            "waits for no other rank (first and last rank, median)",
                            duration_text(*replay_.measured_gap_ns)),
                4);
    }
    if (replay_.measured_hop_ns) {
      paragraph(fmt::format("  - a hop takes {} at most, half of what neighbours' clocks leave "
                            "room for between what one sends and the other has (median)",
                            duration_text(*replay_.measured_hop_ns)),
                4);
    } else if (replay_.ranks > 1) {
      paragraph(
          "  - how long a hop takes cannot be seen: the neighbours' times contradict each "
          "other",
          4);
    }
    const bool is_surplus = replay_.measured_hop_ns && replay_.measured_gap_ns &&
                            replay_.fitted_hop_ns > *replay_.measured_hop_ns;
    if (is_surplus)
      paragraph("  - so most of the fitted hop may be gaps, for which it stands in", 4);
  }

  void slow() {
    text_ += "\n";
    if (replay_.slow.empty()) {
      paragraph("  no operation took half as long again as is usual on its rank", 2);
      return;
    }
    std::vector<SlowOperation> order = replay_.slow;
    std::stable_sort(order.begin(), order.end(),
                     [](const SlowOperation& left, const SlowOperation& right) {
                       return left.cost_ns > right.cost_ns;
                     });
    reports::TextTable table;
    table.columns = {{"slow operations"}, {"took", 1}, {"usual", 2},
                     {"absorbed", 3},     {"cost"},    {"of the step", 4}};
    for (std::size_t at = 0; at < std::min(order.size(), kMostSlow); ++at) {
      const SlowOperation& slow = order[at];
      table.rows.push_back({fmt::format("iteration {} rank {} {} {}", slow.iteration, slow.rank,
                                        direction_of(slow), slow.micro),
                            duration_text(slow.duration_ns), duration_text(slow.usual_ns),
                            shown(slow.absorbed_ns()), shown(slow.cost_ns),
                            slow.cost_ns == 0 ? "0 %" : reports::signed_percent(cost_ratio(slow))});
    }
    text_ += reports::table_text(table, width_, color_);
    if (order.size() > kMostSlow) {
      paragraph(fmt::format("  and {} more, which cost less", order.size() - kMostSlow), 2);
    }
    paragraph(
        "        took half as long again as usual or more; cost is what the step, with the "
        "fitted hop, would be shorter with it as usual, the rest slack has absorbed",
        8);
    together();
  }

  // Where two that hide each other would both pass for free.
  void together() {
    for (const ReplayedIteration& iteration : replay_.iterations) {
      TimeNs single_ns = 0;
      std::int64_t count = 0;
      for (const SlowOperation& slow : replay_.slow) {
        if (slow.iteration != iteration.number) continue;
        single_ns += slow.cost_ns;
        ++count;
      }
      if (count < 2 || iteration.slow_cost_ns == single_ns) continue;
      paragraph(fmt::format("        the {} of iteration {} together cost {}", count,
                            iteration.number, duration_text(iteration.slow_cost_ns)),
                8);
    }
  }

  const Replay& replay_;
  std::size_t width_;
  bool color_;
  std::string text_;
};

void write_iteration(json::Writer& writer, const ReplayedIteration& iteration) {
  writer.StartObject();
  json::count(writer, "iteration", iteration.number);
  json::duration(writer, "measured_us", iteration.measured_ns);
  json::duration(writer, "dependencies_us", iteration.dependencies_ns);
  json::duration(writer, "fitted_us", iteration.fitted_ns);
  json::duration(writer, "explained_us", iteration.explained_ns);
  json::duration(writer, "slow_cost_us", iteration.slow_cost_ns);
  writer.EndObject();
}

void write_slow(json::Writer& writer, const SlowOperation& slow) {
  writer.StartObject();
  json::count(writer, "iteration", slow.iteration);
  json::count(writer, "rank", slow.rank);
  json::count(writer, "micro", slow.micro);
  json::text(writer, "direction", direction_of(slow));
  json::duration(writer, "duration_us", slow.duration_ns);
  json::duration(writer, "usual_us", slow.usual_ns);
  json::duration(writer, "cost_us", slow.cost_ns);
  json::duration(writer, "absorbed_us", slow.absorbed_ns());
  json::ratio(writer, "cost_ratio", cost_ratio(slow));
  writer.EndObject();
}

}  // namespace

std::string replay_text(const Replay& replay, std::size_t width, bool color) {
  return Text(replay, width, color).text();
}

std::string replay_json(const Replay& replay) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  json::text(writer, "folder", replay.folder);
  json::count(writer, "ranks", replay.ranks);
  json::count(writer, "micro_batches", replay.micro_batches);
  json::count(writer, "warmup", replay.warmup);
  json::duration(writer, "fitted_hop_us", replay.fitted_hop_ns);
  json::duration(writer, "measured_hop_us", replay.measured_hop_ns);
  json::duration(writer, "measured_gap_us", replay.measured_gap_ns);
  json::key(writer, "median_error");
  writer.StartObject();
  json::ratio(writer, "dependencies", median_error(replay, &ReplayedIteration::dependencies_ns));
  json::ratio(writer, "fitted", median_error(replay, &ReplayedIteration::fitted_ns));
  json::ratio(writer, "explained", median_error(replay, &ReplayedIteration::explained_ns));
  writer.EndObject();
  json::key(writer, "iterations");
  writer.StartArray();
  for (const ReplayedIteration& iteration : replay.iterations) write_iteration(writer, iteration);
  writer.EndArray();
  json::key(writer, "slow");
  writer.StartArray();
  for (const SlowOperation& slow : replay.slow) write_slow(writer, slow);
  writer.EndArray();
  writer.EndObject();
  return json::text_of(buffer);
}

}  // namespace steptwin::cli
