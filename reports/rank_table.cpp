#include "reports/rank_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <string_view>

#include "reports/latency.h"
#include "reports/paint.h"

namespace steptwin::reports {
namespace {

constexpr std::size_t kMostRows = 16;
constexpr std::size_t kFirstRows = 6;
constexpr std::size_t kWorstRows = 6;
constexpr std::size_t kLeastBar = 10;
constexpr std::size_t kMostBar = 40;
constexpr double kPercent = 100.0;

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
Unit unit_for(TimeNs longest) {
  if (longest < 1'000'000) return {"us", 1e3};
  if (longest < 1'000'000'000) return {"ms", 1e6};
  return {"s", 1e9};
}

// The columns of a row; the bubble in ns, so that quantiles of it are exact.
struct Row {
  std::string label;
  std::array<TimeNs, 5> times_ns = {};  // compute, overlapped, exposed, idle, bubble
  std::int64_t in_flight = 0;
};

Row row_of(const RankMetrics& rank, TimeNs window_ns) {
  const OccupancyTimes& times = rank.times;
  return {fmt::format("{}", rank.rank),
          {times.compute_ns, times.overlapped_ns, times.exposed_comm_ns, times.idle_ns,
           window_ns - times.compute_ns},
          rank.in_flight_max};
}

Row quantile_row(std::string_view label, const std::vector<Row>& rows, std::int32_t percent) {
  Row quantiles{std::string(label), {}, 0};
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
  return quantiles;
}

class Table {
 public:
  Table(const Metrics& metrics, const RankTableOptions& options)
      : metrics_(metrics), options_(options), unit_(unit_for(metrics.step_time_ns)) {}

  std::string text() {
    std::vector<Row> rows;
    for (const RankMetrics& rank : metrics_.ranks) {
      rows.push_back(row_of(rank, metrics_.step_time_ns));
    }
    header();
    if (rows.size() <= kMostRows) {
      for (std::size_t rank = 0; rank < rows.size(); ++rank) line(rows[rank], rank);
    } else {
      abridged(rows);
    }
    legend();
    return text_;
  }

 private:
  void header() {
    const std::string names =
        fmt::format("{:>6} {:>9} {:>10} {:>9} {:>9} {:>8} {:>9}", "rank", "compute", "overlapped",
                    "exposed", "idle", "bubble", "in flight");
    const std::size_t taken = columns_of(names) + 2;
    if (options_.width >= taken + kLeastBar) {
      bar_cells_ = std::min(options_.width - taken, kMostBar);
    }
    text_ += painted(options_.color, tint::kBold, names) + "\n";
  }

  void line(const Row& row, std::size_t rank) {
    row_text(row);
    if (bar_cells_ > 0) text_ += fmt::format("  {}", bar(metrics_.ranks[rank].times));
    text_ += "\n";
  }

  void row_text(const Row& row) {
    const auto scaled = [this](TimeNs time) { return static_cast<double>(time) / unit_.ns; };
    const double bubble = ratio_of(row.times_ns[4], metrics_.step_time_ns).value_or(0) * kPercent;
    text_ += fmt::format("{:>6} {:>9.2f} {:>10.2f} {:>9.2f} {:>9.2f} {:>6.1f} % {:>9}", row.label,
                         scaled(row.times_ns[0]), scaled(row.times_ns[1]), scaled(row.times_ns[2]),
                         scaled(row.times_ns[3]), bubble, row.in_flight);
  }

  void abridged(const std::vector<Row>& rows) {
    for (std::size_t rank = 0; rank < kFirstRows; ++rank) line(rows[rank], rank);
    note(fmt::format("of all {} ranks, column by column", rows.size()));
    row_text(quantile_row("p50", rows, 50));
    text_ += "\n";
    row_text(quantile_row("p90", rows, 90));
    text_ += "\n";
    note("largest bubble");
    std::vector<std::size_t> worst(rows.size());
    std::iota(worst.begin(), worst.end(), std::size_t{0});
    std::stable_sort(worst.begin(), worst.end(), [&rows](std::size_t left, std::size_t right) {
      return rows[left].times_ns[4] > rows[right].times_ns[4];
    });
    for (std::size_t place = 0; place < kWorstRows; ++place) {
      line(rows[worst[place]], worst[place]);
    }
  }

  void note(std::string_view text) {
    text_ += painted(options_.color, tint::kDim, fmt::format("     … {}", text)) + "\n";
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

  void legend() {
    text_ += fmt::format("        times in {}; ", unit_.name);
    if (bar_cells_ == 0) {
      text_ += "overlapped is part of compute\n";
      return;
    }
    text_ += "bar:";
    for (const Segment& segment : kSegments) {
      text_ +=
          fmt::format(" {} {}", painted(options_.color, segment.tint, segment.cell), segment.name);
    }
    text_ += "\n";
  }

  const Metrics& metrics_;
  const RankTableOptions& options_;
  Unit unit_;
  std::size_t bar_cells_ = 0;
  std::string text_;
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
