#include "reports/grid.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace steptwin::reports {
namespace {

// How a kind of step is shown.
struct Look {
  StepType type;
  char letter;
  std::string_view color;
  std::string_view meaning;
};
constexpr std::array kLooks = {
    Look{StepType::fwd, 'F', "\x1b[34m", "F forward"},
    Look{StepType::bwd, 'B', "\x1b[32m", "B backward"},
    Look{StepType::bwd_input, 'I', "\x1b[36m", "I backward (input gradient)"},
    Look{StepType::bwd_weight, 'W', "\x1b[33m", "W backward (weight gradient)"},
};
constexpr std::string_view kColorEnd = "\x1b[0m";

// A cell's text, its width without colour codes.
struct Cell {
  std::string text;
  std::size_t width = 0;
};
using Row = std::vector<Cell>;

const Look& look_of(StepType type) {
  return *std::find_if(std::begin(kLooks), std::end(kLooks),
                       [type](const Look& look) { return look.type == type; });
}

bool computes(const Step& step) {
  return is_compute(step.type) || is_overlap(step.type);
}

// a, b, ... z; beyond that .26, .27, ...
std::string chunk_text(std::size_t chunk) {
  if (chunk < 26) return std::string(1, static_cast<char>('a' + chunk));
  return fmt::format(".{}", chunk);
}

// Position of each stage among the stages of its rank.
std::vector<std::size_t> chunks_of(const StageMap& stages) {
  std::vector<std::size_t> held(static_cast<std::size_t>(stages.ranks), 0);
  std::vector<std::size_t> chunks;
  chunks.reserve(stages.rank_of_stage.size());
  for (const std::int32_t rank : stages.rank_of_stage) {
    chunks.push_back(held[static_cast<std::size_t>(rank)]++);
  }
  return chunks;
}

class GridPrinter {
 public:
  GridPrinter(const Schedule& schedule, const GridOptions& options)
      : options_(options), chunks_(chunks_of(schedule.stages)) {
    most_chunks_ = chunks_.empty() ? 0 : *std::max_element(chunks_.begin(), chunks_.end()) + 1;
    for (const StepList& list : schedule.ranks) rows_.push_back(row_of(list));
    set_columns();
  }

  std::string text() {
    std::string text;
    std::size_t begin = 0;
    do {
      const std::size_t end = block_end(begin);
      if (begin > 0) text += '\n';
      append_block(text, begin, end);
      begin = end;
    } while (begin < columns_.size());
    return text + legend();
  }

 private:
  Row row_of(const StepList& list) {
    Row row;
    for (const Slot& slot : list) {
      if (!slot) {
        row.push_back({});
      } else if (computes(*slot)) {
        row.push_back(cell_of(*slot));
      }
    }
    return row;
  }

  Cell cell_of(const Step& step) {
    Cell cell;
    for_each_leaf(step, [&](const Step& leaf) {
      if (cell.width > 0) {
        cell.text += '|';
        ++cell.width;
      }
      assert(leaf.stage < static_cast<std::int32_t>(chunks_.size()));
      const Look& look = look_of(leaf.type);
      used_[static_cast<std::size_t>(&look - kLooks.data())] = true;
      std::string name = fmt::format("{}{}", look.letter, leaf.micro);
      if (most_chunks_ > 1) name += chunk_text(chunks_[static_cast<std::size_t>(leaf.stage)]);
      cell.width += name.size();
      cell.text += options_.color ? fmt::format("{}{}{}", look.color, name, kColorEnd) : name;
    });
    return cell;
  }

  void set_columns() {
    for (const Row& row : rows_) {
      if (row.size() > columns_.size()) columns_.resize(row.size(), 0);
      for (std::size_t column = 0; column < row.size(); ++column) {
        columns_[column] = std::max(columns_[column], row[column].width);
      }
    }
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string number = fmt::to_string(column);
      columns_[column] = std::max(columns_[column], number.size());
      header_.push_back({number, number.size()});
    }
    label_width_ = fmt::format("rank{}", std::max<std::size_t>(rows_.size(), 1) - 1).size();
  }

  // One past the last column of the block that starts with column `begin`.
  std::size_t block_end(std::size_t begin) const {
    std::size_t used = label_width_;
    for (std::size_t column = begin; column < columns_.size(); ++column) {
      used += kGap + (column == begin ? 1 : 0) + columns_[column];
      const bool fits = options_.width == 0 || used <= options_.width;
      if (!fits && column > begin) return column;
    }
    return columns_.size();
  }

  void append_block(std::string& text, std::size_t begin, std::size_t end) const {
    append_line(text, "slot", header_, begin, end);
    for (std::size_t rank = 0; rank < rows_.size(); ++rank) {
      append_line(text, fmt::format("rank{}", rank), rows_[rank], begin, end);
    }
  }

  // Blanks are written only before a cell that has text, so no line ends with one.
  void append_line(std::string& text, const std::string& label, const Row& row, std::size_t begin,
                   std::size_t end) const {
    text += label;
    std::size_t due = label_width_ - label.size() + 1;
    for (std::size_t column = begin; column < std::min(end, row.size()); ++column) {
      due += kGap;
      if (row[column].width > 0) {
        text.append(due, ' ');
        text += row[column].text;
        due = columns_[column] - row[column].width;
      } else {
        due += columns_[column];
      }
    }
    text += '\n';
  }

  std::string legend() const {
    std::string text;
    for (std::size_t index = 0; index < kLooks.size(); ++index) {
      if (!used_[index]) continue;
      text += (text.empty() ? "\n" : ", ") + std::string(kLooks[index].meaning);
    }
    if (text.empty()) return text;
    if (most_chunks_ > 1) {
      text += fmt::format("; a{} {}: the rank's stages in order", most_chunks_ == 2 ? "," : " to",
                          chunk_text(most_chunks_ - 1));
    }
    return text + '\n';
  }

  static constexpr std::size_t kGap = 1;

  GridOptions options_;
  std::vector<std::size_t> chunks_;
  std::size_t most_chunks_ = 0;
  Row header_;
  std::vector<Row> rows_;
  std::vector<std::size_t> columns_;  // widths
  std::size_t label_width_ = 0;
  std::array<bool, kLooks.size()> used_ = {};
};

}  // namespace

std::string grid_text(const Schedule& schedule, const GridOptions& options) {
  return GridPrinter(schedule, options).text();
}

}  // namespace steptwin::reports
