#include "model/formats/stage_costs_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

#include "model/formats/named_file.h"
#include "model/formats/quoted_text.h"
#include "model/nearest_word.h"

// The library cuts long file names in its own messages on purpose.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#endif
#include <libfccp/csv.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace steptwin {
namespace {

constexpr std::array<std::string_view, 7> kColumns = {
    "stage",           "forward_us",  "backward_input_us", "backward_weight_us", "activation_bytes",
    "parameter_bytes", "output_bytes"};
constexpr std::size_t kRequiredColumns = 4;
constexpr std::string_view kHeader =
    "stage,forward_us,backward_input_us,backward_weight_us"
    "[,activation_bytes,parameter_bytes,output_bytes]";

struct Cell {
  std::string_view text;  // without the blanks around it
  SourcePosition position;
};

[[noreturn]] void refuse(const Cell& cell, const std::string& what, const std::string& expected) {
  throw Error(cell.position, fmt::format("{} {}", what, quoted_text(cell.text)), expected);
}

std::vector<Cell> cells_of(std::string_view line, SourcePosition position) {
  std::vector<Cell> cells;
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::size_t first = begin;
    std::size_t past = end;
    const auto is_blank = [line](std::size_t at) { return line[at] == ' ' || line[at] == '\t'; };
    while (first < past && is_blank(first)) ++first;
    while (past > first && is_blank(past - 1)) --past;
    position.column = static_cast<int>(first) + 1;
    cells.push_back(Cell{line.substr(first, past - first), position});
    begin = end + 1;
  }
  return cells;
}

// Which column each cell of a line is.
std::vector<std::size_t> read_header(const std::vector<Cell>& cells) {
  const std::vector<std::string_view> known(kColumns.begin(), kColumns.end());
  std::vector<std::size_t> columns;
  for (const Cell& cell : cells) {
    const auto found = std::find(known.begin(), known.end(), cell.text);
    if (found == known.end()) {
      // The header of the other tables of costs.
      if (cell.text == "direction" || cell.text == "part") {
        refuse(cell, "costs per operation are not available in this version: column",
               std::string(kHeader));
      }
      const std::string_view nearest = nearest_word(cell.text, known);
      refuse(cell, "unknown column",
             nearest.empty() ? std::string(kHeader)
                             : fmt::format("{}; did you mean {}?", kHeader, nearest));
    }
    const std::size_t column = static_cast<std::size_t>(found - known.begin());
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      refuse(cell, "a second column", "each column once");
    }
    columns.push_back(column);
  }
  for (std::size_t column = 0; column < kRequiredColumns; ++column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      throw Error(cells.front().position, fmt::format("no column {}", kColumns[column]),
                  std::string(kHeader));
    }
  }
  return columns;
}

double duration_of(const Cell& cell) {
  const double most = us_from_nanoseconds(kLongestDuration);
  double value = -1;
  const char* end = cell.text.data() + cell.text.size();
  const auto [stop, code] = std::from_chars(cell.text.data(), end, value);
  // Written so that NaN is refused too.
  if (code != std::errc() || stop != end || !(value >= 0 && value <= most)) {
    refuse(cell, "wrong duration", fmt::format("a number from 0 to {}", most));
  }
  return value + 0.0;  // -0.0 becomes 0.0
}

Bytes size_of(const Cell& cell) {
  const auto bytes = parse_bytes(cell.text);
  if (!bytes) refuse(cell, "wrong size", "bytes from 0 to 2^62, or a text like 64MiB");
  return *bytes;
}

std::size_t stage_of(const Cell& cell, std::int32_t stages) {
  std::int32_t stage = -1;
  const char* end = cell.text.data() + cell.text.size();
  const auto [stop, code] = std::from_chars(cell.text.data(), end, stage);
  if (code != std::errc() || stop != end || stage < 0 || stage >= stages) {
    refuse(cell, "wrong stage", fmt::format("a whole number from 0 to {}", stages - 1));
  }
  return static_cast<std::size_t>(stage);
}

struct Row {
  std::size_t stage = 0;
  std::array<double, 3> times_us{};
  std::array<Bytes, 3> sizes{};
  SourcePosition stage_at;
};

Row read_row(const std::vector<Cell>& cells, const std::vector<std::size_t>& columns,
             std::int32_t stages) {
  if (cells.size() != columns.size()) {
    const Cell& cell = cells[std::min(cells.size() - 1, columns.size())];
    throw Error(
        cell.position,
        fmt::format("{} {} in a line", cells.size(), cells.size() == 1 ? "value" : "values"),
        fmt::format("{}, one per column of the header", columns.size()));
  }
  Row row;
  for (std::size_t index = 0; index < cells.size(); ++index) {
    const std::size_t column = columns[index];
    if (column == 0) {
      row.stage = stage_of(cells[index], stages);
      row.stage_at = cells[index].position;
    } else if (column < kRequiredColumns) {
      row.times_us[column - 1] = duration_of(cells[index]);
    } else {
      row.sizes[column - kRequiredColumns] = size_of(cells[index]);
    }
  }
  return row;
}

// By stage, each exactly once.
void sort_rows(std::vector<Row>& rows, std::int32_t stages, const std::string& file) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& left, const Row& right) { return left.stage < right.stage; });
  const std::string expected = fmt::format("each stage from 0 to {} once", stages - 1);
  for (std::size_t index = 0; index < static_cast<std::size_t>(stages); ++index) {
    if (index < rows.size() && rows[index].stage == index) continue;
    if (index < rows.size() && rows[index].stage < index) {
      throw Error(rows[index].stage_at, fmt::format("stage {} again", rows[index].stage), expected);
    }
    throw Error(SourcePosition{file, 0, 0}, fmt::format("no line for stage {}", index), expected);
  }
  const auto surplus = static_cast<std::size_t>(stages);
  if (rows.size() > surplus) {
    throw Error(rows[surplus].stage_at, fmt::format("stage {} again", rows[surplus].stage),
                expected);
  }
}

StageCostColumns columns_of(const std::vector<Row>& rows, const std::vector<std::size_t>& columns) {
  StageCostColumns costs;
  const std::array<std::vector<double>*, 3> times = {&costs.forward_us, &costs.backward_input_us,
                                                     &costs.backward_weight_us};
  const std::array<std::vector<Bytes>*, 3> sizes = {&costs.activation_bytes, &costs.parameter_bytes,
                                                    &costs.output_bytes};
  for (const std::size_t column : columns) {
    if (column == 0) continue;
    for (const Row& row : rows) {
      if (column < kRequiredColumns) {
        times[column - 1]->push_back(row.times_us[column - 1]);
      } else {
        sizes[column - kRequiredColumns]->push_back(row.sizes[column - kRequiredColumns]);
      }
    }
  }
  return costs;
}

// What the line reader relies on: no zero bytes, which would end a line early, a last line that is
// ended, and less text than one of its blocks.
std::string prepared(std::string_view text, const std::string& file) {
  if (text.size() > kMostCsvBytes) {
    throw Error(SourcePosition{file, 0, 0}, fmt::format("{} bytes are too many", text.size()),
                fmt::format("at most {} bytes", kMostCsvBytes));
  }
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(zero), '\n');
    throw Error(SourcePosition{file, static_cast<int>(line), 1}, "a zero byte", "text");
  }
  std::string whole(text);
  if (!whole.ends_with('\n')) whole += '\n';
  return whole;
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

}  // namespace

StageCostColumns read_stage_costs(std::string_view text, const std::string& file,
                                  std::int32_t stages) {
  const std::string whole = prepared(text, file);
  io::LineReader lines(file, whole.data(), whole.data() + whole.size());
  std::vector<std::size_t> columns;
  std::vector<Row> rows;
  while (const char* line = lines.next_line()) {
    if (is_blank_or_comment(line)) continue;
    const SourcePosition position{file, static_cast<int>(lines.get_file_line()), 1};
    const std::vector<Cell> cells = cells_of(line, position);
    if (columns.empty()) {
      columns = read_header(cells);
    } else {
      rows.push_back(read_row(cells, columns, stages));
    }
  }
  if (columns.empty()) {
    throw Error(SourcePosition{file, 1, 1}, "no header line", std::string(kHeader));
  }
  sort_rows(rows, stages, file);
  return columns_of(rows, columns);
}

StageCostColumns read_stage_costs_file(const std::string& file, const SourcePosition& named_at,
                                       std::int32_t stages) {
  return read_stage_costs(
      read_named_file(file, named_at, kMostCsvBytes, "a CSV file of costs per stage"), file,
      stages);
}

}  // namespace steptwin
