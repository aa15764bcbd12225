#include "reports/rank_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "reports/latency.h"
#include "reports/memory.h"
#include "reports/paint.h"

namespace steptwin::reports {
namespace {

constexpr std::size_t kMostRows = 16;
constexpr std::size_t kFirstRows = 6;
constexpr std::size_t kWorstRows = 6;
constexpr std::size_t kLeastBar = 10;
constexpr std::size_t kMostBar = 80;
constexpr std::size_t kBarGap = 2;
constexpr double kPercent = 100.0;

enum Column : std::uint8_t {
  kRank,
  kCompute,
  kOverlapped,
  kExposed,
  kIdle,
  kBubble,
  kInFlight,
  kMemory,
};
constexpr std::size_t kColumns = 8;
constexpr std::array<std::string_view, kColumns> kHeaders = {
    "rank", "compute", "overlapped", "exposed", "idle", "bubble", "in flight", "peak GiB"};
// Where there is room, so that tables of several runs look alike.
constexpr std::array<std::size_t, kColumns> kRoomyWidths = {6, 9, 10, 9, 9, 8, 9, 8};
// What goes first where there is none: what the others, or the headline, say too.
constexpr std::array<Column, 5> kDispensable = {kIdle, kOverlapped, kInFlight, kExposed, kMemory};

// What a bar is made of, in order.
struct Segment {
  std::string_view name;
  std::string_view cell;
  std::string_view tint;
};
constexpr std::array<Segment, 4> kSegments = {{{"compute", "█", tint::kCompute},
                                               {"overlapped", "▓", tint::kOverlapped},
                                               {"exposed", "▒", tint::kExposed},
                                               {"idle", "░", tint::kIdle}}};

struct Unit {
  std::string_view name;
  double ns;
};
// With two decimals the numbers keep at least four digits, and stay within their columns.
Unit unit_for(TimeNs longest) {
  if (longest < 1'000'000) return {"us", 1e3};
  if (longest < 100'000'000'000) return {"ms", 1e6};
  return {"s", 1e9};
}

// The columns of a row; the bubble in ns, so that quantiles of it are exact.
struct Row {
  std::string label;
  std::array<TimeNs, 5> times_ns = {};  // compute, overlapped, exposed, idle, bubble
  std::int64_t in_flight = 0;
  Bytes memory_peak = 0;
};

Row row_of(const RankMetrics& rank, TimeNs window_ns) {
  const OccupancyTimes& times = rank.times;
  return {fmt::format("{}", rank.rank),
          {times.compute_ns, times.overlapped_ns, times.exposed_comm_ns + times.exposed_copy_ns,
           times.idle_ns, window_ns - times.compute_ns},
          rank.in_flight_max,
          rank.memory ? rank.memory->bytes : 0};
}

Row quantile_row(std::string_view label, const std::vector<Row>& rows, std::int32_t percent) {
  Row quantiles{std::string(label), {}, 0, 0};
  std::vector<std::int64_t> values(rows.size());
  const auto quantile = [&](const std::function<std::int64_t(const Row&)>& column) {
    std::transform(rows.begin(), rows.end(), values.begin(), column);
    std::sort(values.begin(), values.end());
    return percentile(values, percent).value_or(0);
  };
  for (std::size_t column = 0; column < quantiles.times_ns.size(); ++column) {
    quantiles.times_ns[column] =
        quantile([column](const Row& row) { return row.times_ns[column]; });
  }
  quantiles.in_flight = quantile([](const Row& row) { return row.in_flight; });
  quantiles.memory_peak = quantile([](const Row& row) { return row.memory_peak; });
  return quantiles;
}

// A line of the table: cells, with a bar if it is one rank's, or a note between lines.
struct Line {
  std::array<std::string, kColumns> cells;
  const OccupancyTimes* bar = nullptr;
  std::string note;
};

class Table {
 public:
  Table(const Metrics& metrics, const RankTableOptions& options)
      : metrics_(metrics), options_(options), unit_(unit_for(metrics.step_time_ns)) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      headers_.cells[column] = kHeaders[column];
    }
  }

  std::string text() {
    std::vector<Row> rows;
    for (const RankMetrics& rank : metrics_.ranks) {
      rows.push_back(row_of(rank, metrics_.step_time_ns));
      has_memory_ = has_memory_ || rank.memory;
      has_copies_ = has_copies_ || rank.times.exposed_copy_ns > 0;
      if (rank.memory) most_memory_ = std::max(most_memory_, rank.memory->bytes);
    }
    if (rows.size() <= kMostRows) {
      for (std::size_t rank = 0; rank < rows.size(); ++rank) add_rank(rows, rank);
    } else {
      abridged(rows);
    }
    headers_.cells[kMemory] = fmt::format("peak {}", binary_unit(most_memory_).name);
    lay_out();
    std::string text = painted(options_.color, tint::kBold, cells_text(headers_)) + "\n";
    for (const Line& line : lines_) text += line_text(line) + "\n";
    return text + legend() + copies_note();
  }

 private:
  void add_row(const Row& row) {
    const auto scaled = [this](TimeNs time) {
      return fmt::format("{:.2f}", static_cast<double>(time) / unit_.ns);
    };
    const double share = ratio_of(row.times_ns[4], metrics_.step_time_ns).value_or(0) * kPercent;
    lines_.push_back(
        {{row.label, scaled(row.times_ns[0]), scaled(row.times_ns[1]), scaled(row.times_ns[2]),
          scaled(row.times_ns[3]), fmt::format("{:.1f} %", share), fmt::to_string(row.in_flight),
          fmt::format("{:.1f}",
                      static_cast<double>(row.memory_peak) / binary_unit(most_memory_).bytes)},
         nullptr,
         ""});
  }

  void add_rank(const std::vector<Row>& rows, std::size_t rank) {
    add_row(rows[rank]);
    lines_.back().bar = &metrics_.ranks[rank].times;
  }

  void add_note(std::string text) { lines_.push_back({{}, nullptr, std::move(text)}); }

  void abridged(const std::vector<Row>& rows) {
    for (std::size_t rank = 0; rank < kFirstRows; ++rank) add_rank(rows, rank);
    add_note(fmt::format("of all {} ranks, column by column", rows.size()));
    const Row median = quantile_row("p50", rows, 50);
    add_row(median);
    add_row(quantile_row("p90", rows, 90));
    // Ranks that are shown already, or are no worse than most, tell nothing new.
    std::vector<std::size_t> worst;
    for (std::size_t rank = kFirstRows; rank < rows.size(); ++rank) {
      if (rows[rank].times_ns[4] > median.times_ns[4]) worst.push_back(rank);
    }
    if (worst.empty()) return;
    std::stable_sort(worst.begin(), worst.end(), [&rows](std::size_t left, std::size_t right) {
      return rows[left].times_ns[4] > rows[right].times_ns[4];
    });
    worst.resize(std::min(worst.size(), kWorstRows));
    add_note("largest bubble of the others");
    for (const std::size_t rank : worst) add_rank(rows, rank);
  }

  // The roomy columns with a bar, narrow ones with a bar, the roomy ones alone, narrow ones alone,
  // then fewer columns: the first that fits.
  void lay_out() {
    std::array<std::size_t, kColumns> narrow{};
    std::array<std::size_t, kColumns> roomy{};
    for (std::size_t column = 0; column < kColumns; ++column) {
      narrow[column] = headers_.cells[column].size() + (column == kRank ? 2 : 0);
      for (const Line& line : lines_) {
        narrow[column] = std::max(narrow[column], line.cells[column].size());
      }
      roomy[column] = std::max(kRoomyWidths[column], narrow[column]);
    }
    if (!has_memory_) narrow[kMemory] = roomy[kMemory] = 0;
    for (const bool with_bar : {true, false}) {
      for (const auto& widths : {roomy, narrow}) {
        widths_ = widths;
        const std::size_t taken = columns_taken() + (with_bar ? kBarGap + kLeastBar : 0);
        if (taken > options_.width) continue;
        if (with_bar) {
          bar_cells_ = std::min(options_.width - columns_taken() - kBarGap, kMostBar);
        }
        return;
      }
    }
    for (const Column column : kDispensable) {
      if (columns_taken() <= options_.width) return;
      widths_[column] = 0;
    }
  }

  // A column of width 0 is not shown.
  std::size_t columns_taken() const {
    std::size_t taken = 0;
    for (const std::size_t width : widths_) taken += width == 0 ? 0 : width + 1;
    return taken - 1;
  }

  std::string cells_text(const Line& line) const {
    std::string text;
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (widths_[column] == 0) continue;
      if (!text.empty()) text += ' ';
      text += fmt::format("{:>{}}", line.cells[column], widths_[column]);
    }
    return text;
  }

  std::string line_text(const Line& line) const {
    if (!line.note.empty()) {
      return painted(options_.color, tint::kDim, fmt::format("     … {}", line.note));
    }
    std::string text = cells_text(line);
    if (line.bar != nullptr && bar_cells_ > 0) text += "  " + bar(*line.bar);
    return text;
  }

  // Copies count as exposed here: what is neither compute nor idle.
  std::string bar(const OccupancyTimes& times) const {
    const std::vector<std::size_t> cells =
        apportioned({times.compute_ns - times.overlapped_ns, times.overlapped_ns,
                     times.exposed_comm_ns + times.exposed_copy_ns, times.idle_ns},
                    bar_cells_);
    std::string text;
    for (std::size_t segment = 0; segment < kSegments.size(); ++segment) {
      text += painted(options_.color, kSegments[segment].tint,
                      repeated(kSegments[segment].cell, cells[segment]));
    }
    return text;
  }

  std::string copies_note() const {
    if (!has_copies_) return "";
    return wrapped("        exposed holds copies to and from the host, too", options_.width, 8) +
           "\n";
  }

  std::string legend() const {
    constexpr std::size_t kMargin = 8;
    std::string text = fmt::format("{:{}}times in {}", "", kMargin, unit_.name);
    if (bar_cells_ > 0) {
      text += "; bar:";
      for (const Segment& segment : kSegments) {
        text += fmt::format(" {} {}", painted(options_.color, segment.tint, segment.cell),
                            segment.name);
      }
      return text + "\n";
    }
    if (widths_[kOverlapped] > 0) text += "; overlapped is part of compute";
    return wrapped(text, options_.width, kMargin) + "\n";
  }

  const Metrics& metrics_;
  const RankTableOptions& options_;
  Unit unit_;
  Line headers_;
  std::vector<Line> lines_;
  std::array<std::size_t, kColumns> widths_ = {};
  std::size_t bar_cells_ = 0;
  bool has_memory_ = false;
  bool has_copies_ = false;
  Bytes most_memory_ = 0;
};

}  // namespace

std::string rank_table(const Metrics& metrics, const RankTableOptions& options) {
  return Table(metrics, options).text();
}

std::vector<std::size_t> apportioned(const std::vector<TimeNs>& parts, std::size_t cells) {
  std::vector<std::size_t> given(parts.size(), 0);
  double whole = 0;
  for (const TimeNs part : parts) whole += static_cast<double>(part);
  if (whole <= 0) return given;
  std::vector<double> remainders;
  std::size_t left = cells;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double share = static_cast<double>(parts[part]) * static_cast<double>(cells) / whole;
    given[part] = std::min(static_cast<std::size_t>(share), left);
    left -= given[part];
    remainders.push_back(share - static_cast<double>(given[part]));
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&remainders](std::size_t a, std::size_t b) {
    return remainders[a] > remainders[b];
  });
  for (std::size_t place = 0; place < order.size() && left > 0; ++place, --left) {
    ++given[order[place]];
  }
  return given;
}

}  // namespace steptwin::reports
