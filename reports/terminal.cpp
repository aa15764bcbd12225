#include "reports/terminal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <string_view>

#include "reports/paint.h"
#include "reports/rank_table.h"

namespace steptwin::reports {
namespace {

constexpr double kPercent = 100.0;
constexpr double kWorthSaying = 0.005;  // of a slowdown
constexpr std::size_t kMostReasons = 3;
constexpr std::size_t kMostHints = 3;
constexpr std::size_t kMostPartsText = 60;
constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kSideBySide = 60;  // what a figure means stands beside it from here on

std::string percent(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.1f} %", *ratio * kPercent) : "n/a";
}

std::string plain_name(MemoryClass memory) {
  std::string name(name_of(memory));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string sized(Bytes bytes, const BinaryUnit& unit) {
  return fmt::format("{:.1f} {}", static_cast<double>(bytes) / unit.bytes, unit.name);
}

std::string_view reason_for(GapCause cause) {
  switch (cause) {
    case GapCause::dependency:
      return "waiting for a value that is not computed anywhere yet (pipeline fill and drain)";
    case GapCause::transfer:
      return "bytes in flight: a transfer or a collective runs and no compute covers it";
    case GapCause::order:
      return "the input is there, but an in-order stream or a rendezvous holds it back";
    case GapCause::host:
      return "not launched yet: the host is behind";
    case GapCause::end:
      return "nothing left to do: the rank is done and others are not";
  }
  return "";
}

class Summary {
 public:
  Summary(const Metrics& metrics, const TerminalOptions& options)
      : metrics_(metrics),
        options_(options),
        width_(std::max(static_cast<std::size_t>(std::max(options.width, 0)), kLeastWidth)) {}

  std::string text() {
    if (!options_.title.empty()) title();
    headline();
    text_ += '\n';
    text_ += rank_table(metrics_, {options_.color, width_});
    reasons();
    hints();
    return text_;
  }

 private:
  // Of one line or several.
  void title() {
    std::string_view rest = options_.title;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text_ += bold(wrapped(rest.substr(0, end), width_, 2)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    text_ += '\n';
  }

  std::string bold(std::string_view text) const {
    return painted(options_.color, tint::kBold, text);
  }

  void figure(std::string_view name, std::string_view value, std::string_view explained) {
    text_ += fmt::format("  {:<12}", name) + bold(fmt::format("{:>9}", value));
    if (width_ < kSideBySide) {
      text_ += '\n';
      text_ += wrapped(fmt::format("{:6}{}", "", explained), width_, 6) + "\n";
    } else {
      text_ += wrapped(fmt::format("{:23}   {}", "", explained), width_, 26).substr(23) + "\n";
    }
  }

  void headline() {
    figure("step time", duration_text(metrics_.step_time_ns),
           metrics_.from_release ? "release of all ranks to last end, one window for all ranks"
                                 : "first start to last end, one window for all ranks");
    figure("bubble", percent(metrics_.bubble_ratio),
           fmt::format("of the step without compute (mean; worst {})",
                       percent(metrics_.bubble_ratio_max)));
    figure("  in span", percent(metrics_.bubble_ratio_span),
           "of the longest span, a rank's first to last compute");
    figure("  over ideal", percent(metrics_.bubble_over_ideal),
           "by which the step exceeds the busiest rank's compute");
    if (metrics_.overlap_ratio) {
      const double dilation = metrics_.compute_dilation.value_or(1);
      const bool is_slowed = std::abs(dilation - 1) >= kWorthSaying;
      const std::string slowed = is_slowed ? fmt::format(" (at {:.2f}x its time)", dilation) : "";
      figure("overlap", percent(metrics_.overlap_ratio),
             "of communication is under compute" + slowed);
    }
    memory();
  }

  // The fullest rank, and what takes the most there.
  void memory() {
    const auto fullest = std::max_element(metrics_.ranks.begin(), metrics_.ranks.end(),
                                          [](const RankMetrics& left, const RankMetrics& right) {
                                            return (left.memory ? left.memory->bytes : 0) <
                                                   (right.memory ? right.memory->bytes : 0);
                                          });
    if (fullest == metrics_.ranks.end() || !fullest->memory) return;
    const MemoryPeak& peak = *fullest->memory;
    const BinaryUnit unit = binary_unit(peak.bytes);
    std::vector<std::size_t> classes(kMemoryClasses);
    std::iota(classes.begin(), classes.end(), std::size_t{0});
    std::stable_sort(classes.begin(), classes.end(), [&peak](std::size_t left, std::size_t right) {
      return peak.by_class[left] > peak.by_class[right];
    });
    std::string parts;
    for (const std::size_t memory : classes) {
      if (peak.by_class[memory] <= 0 || parts.size() > kMostPartsText) continue;
      parts += fmt::format("{} {} {}", parts.empty() ? ":" : ",",
                           plain_name(static_cast<MemoryClass>(memory)),
                           sized(peak.by_class[memory], unit));
    }
    figure("peak memory", sized(peak.bytes, unit),
           fmt::format("on rank {} at {}{}", fullest->rank,
                       duration_text(peak.at_ns - metrics_.window.begin_ns), parts));
  }

  void reasons() {
    std::vector<GapCause> causes(kGapCauses.begin(), kGapCauses.end());
    const GapTimes& gaps = metrics_.gap_by_cause;
    std::stable_sort(causes.begin(), causes.end(), [&gaps](GapCause left, GapCause right) {
      return gaps.of(left) > gaps.of(right);
    });
    causes.resize(kMostReasons);
    const TimeNs all_ns = gaps.sum_ns();
    if (all_ns == 0) return;
    constexpr std::string_view kTitle = "Why no compute";
    const std::string title =
        wrapped(fmt::format("{} (shares of all ranks' time without compute)", kTitle), width_, 2);
    text_ += fmt::format("\n{}{}\n", bold(kTitle), title.substr(kTitle.size()));
    for (const GapCause cause : causes) {
      const auto share = std::lround(ratio_of(gaps.of(cause), all_ns).value_or(0) * kPercent);
      if (share == 0) continue;
      text_ += wrapped(fmt::format("  {:>3} %  {}", share, reason_for(cause)), width_, 9) + "\n";
    }
  }

  void hints() {
    const std::vector<std::string> texts = advice(metrics_, options_.settings, kMostHints);
    if (texts.empty()) return;
    text_ += fmt::format("\n{}\n", bold("What to try"));
    for (const std::string& hint : texts)
      text_ += wrapped(fmt::format("  - {}", hint), width_, 4) + "\n";
  }

  const Metrics& metrics_;
  const TerminalOptions& options_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string terminal_summary(const Metrics& metrics, const TerminalOptions& options) {
  return Summary(metrics, options).text();
}

}  // namespace steptwin::reports
