#include "reports/compare_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "reports/paint.h"
#include "reports/text_table.h"

namespace steptwin::reports {
namespace {

constexpr double kPercent = 100.0;
constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kSideBySide = 72;  // what a figure means stands beside it from here on
constexpr std::size_t kMostListed = 3;

std::string percent(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.1f} %", *ratio * kPercent) : "n/a";
}

std::string points(std::optional<double> difference) {
  return difference ? fmt::format("{:+.1f} points", *difference * kPercent) : "n/a";
}

// The sign of what rounds to nothing is left out.
std::string error_percent(double ratio, bool with_sign) {
  const double value = ratio * kPercent;
  const int decimals = std::abs(value) < 1 ? 2 : 1;
  const double smallest = decimals == 2 ? 0.005 : 0.05;
  if (std::abs(value) < smallest) return "0.00 %";
  return with_sign ? fmt::format("{:+.{}f} %", value, decimals)
                   : fmt::format("{:.{}f} %", value, decimals);
}

std::string words_of(const DurationErrors& group) {
  std::string direction(name_of(group.direction));
  std::replace(direction.begin(), direction.end(), '_', ' ');
  std::string part(name_of(group.part));
  std::replace(part.begin(), part.end(), '_', ' ');
  return group.direction == Direction::none ? part : part + " " + direction;
}

class Text {
 public:
  Text(const Comparison& comparison, const CompareTextOptions& options)
      : comparison_(comparison),
        color_(options.color),
        width_(std::max(options.width, kLeastWidth)),
        title_(options.title) {}

  std::string text() {
    if (!title_.empty()) {
      text_ += painted(color_, tint::kBold, wrapped(title_, width_, 2)) + "\n\n";
    }
    figure("step time", signed_percent(comparison_.step_time_error),
           fmt::format("{} for the {} that were measured",
                       duration_text(comparison_.predicted_step_ns),
                       duration_text(comparison_.measured_step_ns)));
    ratio("bubble", comparison_.bubble, &RankComparison::bubble);
    ratio("overlap", comparison_.overlap, &RankComparison::overlap);
    starts();
    order();
    unmatched("only the prediction has", comparison_.only_predicted);
    unmatched("only the measurement has", comparison_.only_measured);
    durations();
    return text_;
  }

 private:
  void figure(std::string_view name, std::string_view value, std::string_view explained) {
    text_ +=
        fmt::format("  {:<10}", name) + painted(color_, tint::kBold, fmt::format("{:>12}", value));
    if (width_ < kSideBySide) {
      text_ += "\n" + wrapped(fmt::format("{:6}{}", "", explained), width_, 6) + "\n";
    } else {
      text_ += wrapped(fmt::format("{:24}   {}", "", explained), width_, 27).substr(24) + "\n";
    }
  }

  void ratio(std::string_view name, const RatioPair& job, RatioPair RankComparison::*of_rank) {
    if (!job.predicted && !job.measured) return;
    const RankComparison* worst = nullptr;
    const auto off = [of_rank](const RankComparison& rank) {
      return std::abs((rank.*of_rank).difference().value_or(0));
    };
    for (const RankComparison& rank : comparison_.ranks) {
      if (worst == nullptr || off(rank) > off(*worst)) worst = &rank;
    }
    std::string explained = fmt::format("{} for {}", percent(job.predicted), percent(job.measured));
    if (worst != nullptr && (worst->*of_rank).difference()) {
      explained += fmt::format("; furthest off rank {}: {}", worst->rank,
                               points((worst->*of_rank).difference()));
    }
    figure(name, points(job.difference()), explained);
  }

  void starts() {
    const StartErrors& starts = comparison_.starts;
    if (!starts.median_ns) return;
    std::string explained = fmt::format("too early or late (median; 90 % within {})",
                                        duration_text(starts.p90_ns.value_or(0)));
    if (starts.worst_ns != 0) {
      explained += fmt::format("; furthest off {}: {} too {}", starts.worst,
                               duration_text(std::abs(starts.worst_ns)),
                               starts.worst_ns < 0 ? "early" : "late");
    }
    figure("starts", duration_text(*starts.median_ns), explained);
  }

  void order() {
    std::int64_t inversions = 0;
    std::int64_t pairs = 0;
    const StreamOrder* worst = nullptr;
    for (const StreamOrder& order : comparison_.orders) {
      inversions += order.inversions;
      pairs += order.pairs;
      if (worst == nullptr || order.inversions > worst->inversions) worst = &order;
    }
    if (worst == nullptr) return;
    std::string explained =
        fmt::format("of {} pairs on one stream start the other way round", pairs);
    if (inversions > 0) {
      explained += fmt::format("; most, {}, on stream {} of rank {}", worst->inversions,
                               worst->stream, worst->rank);
    }
    figure("order", fmt::to_string(inversions), explained);
  }

  void unmatched(std::string_view what, const std::vector<std::string>& words) {
    if (words.empty()) return;
    std::string listed;
    for (std::size_t at = 0; at < std::min(words.size(), kMostListed); ++at) {
      listed += (at == 0 ? "" : "; ") + words[at];
    }
    if (words.size() > kMostListed) listed += "; …";
    figure("unmatched", fmt::to_string(words.size()), fmt::format("{} {}", what, listed));
  }

  void durations() {
    if (comparison_.durations.empty()) return;
    TextTable table;
    table.columns = {{"durations"}, {"count", 2},  {"predicted", 3}, {"measured", 4},
                     {"sum"},       {"median", 5}, {"90 %", 1}};
    for (const DurationErrors& group : comparison_.durations) {
      const auto sum_error =
          group.measured_ns == 0
              ? std::nullopt
              : std::optional(static_cast<double>(group.predicted_ns - group.measured_ns) /
                              static_cast<double>(group.measured_ns));
      table.rows.push_back({words_of(group), fmt::to_string(group.count),
                            duration_text(group.predicted_ns), duration_text(group.measured_ns),
                            signed_percent(sum_error), signed_percent(group.median),
                            group.p90 ? error_percent(*group.p90, false) : "n/a"});
    }
    text_ += "\n" + table_text(table, width_, color_);
    text_ += wrapped(
                 "        without waiting; errors of the sum, of single ones (median), and the "
                 "magnitude that 90 % of them do not exceed",
                 width_, 8) +
             "\n";
  }

  const Comparison& comparison_;
  bool color_;
  std::size_t width_;
  std::string title_;
  std::string text_;
};

}  // namespace

std::string signed_percent(std::optional<double> ratio) {
  return ratio ? error_percent(*ratio, true) : "n/a";
}

std::string compare_text(const Comparison& comparison, const CompareTextOptions& options) {
  return Text(comparison, options).text();
}

}  // namespace steptwin::reports
