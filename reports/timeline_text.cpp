#include "reports/timeline_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/paint.h"
#include "reports/trace_index.h"

namespace steptwin::reports {
namespace {

constexpr std::int32_t kLeastColumns = 10;
constexpr std::int32_t kMostColumns = 1000;

constexpr std::array<std::pair<char, std::string_view>, 3> kDirections = {
    {{'F', "forward"}, {'B', "backward"}, {'W', "weight gradient"}}};

// What a cell can show. Letters sort the way ties fall.
struct Look {
  char letter = ' ';
  std::int32_t micro = -1;
  std::int32_t stage = -1;

  friend bool operator==(const Look&, const Look&) = default;
  friend bool operator<(const Look& left, const Look& right) {
    return std::tie(left.letter, left.micro, left.stage) <
           std::tie(right.letter, right.micro, right.stage);
  }
};

// Time of one look in one column.
struct Share {
  std::int32_t column;
  Look look;
  TimeNs time;
};

char compute_letter(const TraceKernel& kernel) {
  if (kernel.direction == Direction::forward) return 'F';
  return kernel.direction == Direction::backward_weight ? 'W' : 'B';
}

char communication_letter(const TraceKernel& kernel) {
  if (kernel.kind == KernelKind::p2p) return 'p';
  if (kernel.part == Part::dispatch || kernel.part == Part::counts) return 'd';
  return kernel.part == Part::combine ? 'c' : 'x';
}

// Cuts the window of length T into columns. To be exact also where a column is shorter than a
// nanosecond, times are counted in 1/columns ns: column i is [T*i, T*(i+1)).
class Columns {
 public:
  Columns(Interval window, std::int32_t columns) : begin_(window.begin_ns), columns_(columns) {
    while ((window.length_ns() >> shift_) > kLongestDuration) ++shift_;
    length_ = window.length_ns() >> shift_;
  }

  void spread(Interval interval, const Look& look, std::vector<Share>& shares) const {
    const TimeNs begin = ((interval.begin_ns - begin_) >> shift_) * columns_;
    const TimeNs end = ((interval.end_ns - begin_) >> shift_) * columns_;
    if (length_ == 0) return;
    for (TimeNs column = begin / length_; column * length_ < end; ++column) {
      const TimeNs time = std::min(end, (column + 1) * length_) - std::max(begin, column * length_);
      if (time > 0) shares.push_back({static_cast<std::int32_t>(column), look, time});
    }
  }

  // The look of each column: the longest; blank where all together are under half of it.
  std::vector<Look> looks(std::vector<Share> shares) const {
    std::sort(shares.begin(), shares.end(), [](const Share& left, const Share& right) {
      return std::tie(left.column, left.look) < std::tie(right.column, right.look);
    });
    std::vector<Look> row(static_cast<std::size_t>(columns_));
    for (auto share = shares.begin(); share != shares.end();) {
      const std::int32_t column = share->column;
      TimeNs all = 0;
      TimeNs longest = 0;
      Look best;
      while (share != shares.end() && share->column == column) {
        const Look look = share->look;
        TimeNs time = 0;
        for (; share != shares.end() && share->column == column && share->look == look; ++share) {
          time += share->time;
        }
        all += time;
        if (time > longest) std::tie(longest, best) = std::pair(time, look);
      }
      if (all >= length_ - all) row[static_cast<std::size_t>(column)] = best;
    }
    return row;
  }

 private:
  TimeNs begin_;
  std::int32_t columns_;
  int shift_ = 0;
  TimeNs length_ = 0;
};

class Picture {
 public:
  Picture(const Trace& trace, const TimelineOptions& options)
      : index_(trace),
        options_(options),
        gutter_(fmt::format("rank {} ", std::max(index_.ranks() - 1, 0)).size()),
        column_count_(std::clamp(options.width - static_cast<std::int32_t>(gutter_) - 1,
                                 kLeastColumns, kMostColumns)),
        columns_(index_.window(), column_count_) {}

  std::string text() {
    const auto ranks = static_cast<std::size_t>(index_.ranks());
    const std::size_t shown = std::min(ranks, options_.most_ranks);
    for (std::size_t rank = 0; rank < shown; ++rank) rank_rows(static_cast<std::int32_t>(rank));
    if (shown < ranks)
      text_ += fmt::format("… {} more rank{}\n", ranks - shown, ranks - shown == 1 ? "" : "s");
    axis();
    legend();
    return text_;
  }

 private:
  void rank_rows(std::int32_t rank) {
    std::vector<Share> compute;
    std::vector<Share> communication;
    for (const std::size_t position : index_.kernels_of_rank(rank)) {
      const TraceKernel& kernel = index_.kernel(position);
      const KernelTimes& times = kernel.times;
      if (kernel.kind == KernelKind::compute) {
        const char letter = compute_letter(kernel);
        if (shown_.find(letter) == std::string::npos) shown_ += letter;
        columns_.spread({times.start_ns, times.end_ns}, {letter, kernel.micro, kernel.stage},
                        compute);
      } else if (is_communication(kernel.kind) && options_.communication) {
        const IntervalSet moving = working(index_.trace(), kernel);
        const IntervalSet waiting = subtracted(IntervalSet({occupied(kernel)}), moving);
        for (const Interval& wait : waiting.intervals()) {
          columns_.spread(wait, {'.', -1, -1}, communication);
        }
        for (const Interval& work : moving.intervals()) {
          columns_.spread(work, {communication_letter(kernel), -1, -1}, communication);
        }
      }
    }
    row(fmt::format("rank {}", rank), columns_.looks(std::move(compute)));
    if (options_.communication) row("", columns_.looks(std::move(communication)));
  }

  void row(std::string_view name, const std::vector<Look>& looks) {
    text_ += painted(options_.color, tint::kDim, fmt::format("{:<{}}", name, gutter_));
    text_ += painted(options_.color, tint::kDim, options_.ascii ? "|" : "│");
    std::string line;
    for (auto first = looks.begin(); first != looks.end();) {
      const auto last =
          std::find_if(first, looks.end(), [&](const Look& look) { return look != *first; });
      run(*first, static_cast<std::size_t>(last - first), line);
      first = last;
    }
    const std::size_t end = line.find_last_not_of(' ');
    text_ += line.substr(0, end == std::string::npos ? 0 : end + 1) + "\n";
  }

  void run(const Look& look, std::size_t cells, std::string& line) const {
    if (look.letter == ' ') {
      line += options_.bubbles ? bubble(cells) : std::string(cells, ' ');
    } else if (look.micro < 0) {
      line += communication_run(look.letter, cells);
    } else if (options_.color) {
      line += coloured_run(look, cells);
    } else {
      line += plain_run(look, cells);
    }
  }

  std::string bubble(std::size_t cells) const {
    return painted(options_.color, tint::kDim, repeated(options_.ascii ? "." : "·", cells));
  }

  std::string plain_run(const Look& look, std::size_t cells) const {
    std::string label = fmt::format("{}{}", look.letter, look.micro);
    if (label.size() > cells) label.resize(1);
    std::string_view fill = options_.ascii ? "-" : "─";
    if (look.letter == 'B') fill = options_.ascii ? "=" : "═";
    if (look.letter == 'W') fill = options_.ascii ? "~" : "┄";
    return label + repeated(fill, cells - label.size());
  }

  // Neighbouring micro-batches differ in shade.
  static std::string coloured_run(const Look& look, std::size_t cells) {
    const bool is_even = look.micro % 2 == 0;
    std::string_view background = is_even ? "30;48;5;75" : "30;48;5;111";
    if (look.letter == 'B') background = is_even ? "30;48;5;71" : "30;48;5;114";
    if (look.letter == 'W') background = is_even ? "30;48;5;178" : "30;48;5;221";
    std::string label = fmt::format("{}", look.micro);
    if (label.size() > cells) label.clear();
    return painted(true, background, fmt::format("{:^{}}", label, cells));
  }

  std::string communication_run(char letter, std::size_t cells) const {
    const std::string text(cells, letter);
    if (letter == '.') return painted(options_.color, tint::kIdle, text);
    return painted(options_.color, letter == 'p' ? "38;5;176" : "38;5;43", text);
  }

  void axis() {
    const std::string end = duration_text(index_.window().length_ns());
    const std::size_t room = static_cast<std::size_t>(column_count_) - 1;
    const std::string axis = fmt::format("{:{}}0{:>{}}", "", gutter_ + 1, end, room);
    text_ += painted(options_.color, tint::kDim, axis) + "\n";
  }

  // What occurs in the picture, on as many lines as it takes.
  void legend() {
    std::vector<std::pair<std::string, std::size_t>> entries;  // with their columns
    for (const auto& [letter, name] : kDirections) {
      if (shown_.find(letter) == std::string::npos) continue;
      constexpr std::size_t kCells = 3;
      const Look look{letter, 0, 0};
      const std::string mark =
          options_.color ? coloured_run(look, kCells) : plain_run(look, kCells);
      entries.emplace_back(fmt::format("{} {}", mark, name), kCells + 1 + name.size());
    }
    if (options_.bubbles) entries.emplace_back(bubble(3) + " bubble", 3 + 7);
    legend_lines(entries);
    if (!options_.communication) return;
    entries.clear();
    for (const std::string_view text :
         {"below: p p2p", "d dispatch", "c combine", "x other", ". waits for its peer"}) {
      entries.emplace_back(text, text.size());
    }
    legend_lines(entries);
  }

  void legend_lines(const std::vector<std::pair<std::string, std::size_t>>& entries) {
    constexpr std::string_view kGap = "   ";
    const std::size_t margin = gutter_ + 1;
    const std::size_t width = margin + static_cast<std::size_t>(column_count_);
    std::size_t column = 0;
    for (const auto& [text, columns] : entries) {
      const bool fits = column > 0 && column + kGap.size() + columns <= width;
      if (column > 0 && !fits) text_ += '\n';
      text_ += fits ? std::string(kGap) : std::string(margin, ' ');
      text_ += text;
      column = (fits ? column + kGap.size() : margin) + columns;
    }
    if (column > 0) text_ += '\n';
  }

  TraceIndex index_;
  const TimelineOptions& options_;
  std::size_t gutter_;
  std::int32_t column_count_;
  Columns columns_;
  std::string shown_;  // letters of directions
  std::string text_;
};

}  // namespace

std::string timeline_text(const Trace& trace, const TimelineOptions& options) {
  return Picture(trace, options).text();
}

}  // namespace steptwin::reports
