#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace steptwin {

// One row of a CSV table: cell by column name.
using TableRow = std::map<std::string, std::string>;

inline std::vector<std::string> table_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char character : line) {
    if (character == '"') {
      quoted = !quoted;
    } else if (character == ',' && !quoted) {
      cells.emplace_back();
    } else if (character != '\r') {
      cells.back() += character;
    }
  }
  return cells;
}

// A CSV file with a header line. Cells may be quoted; no quotes inside a cell.
inline std::vector<TableRow> read_table(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  const std::vector<std::string> header = table_cells(line);
  std::vector<TableRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = table_cells(line);
    if (cells.size() != header.size()) throw std::runtime_error("uneven row in " + path);
    TableRow& row = rows.emplace_back();
    for (std::size_t column = 0; column < header.size(); ++column) {
      row[header[column]] = cells[column];
    }
  }
  return rows;
}

// "[4.2, 3.0]" or "4 3": the numbers in a cell.
inline std::vector<double> numbers_in(const std::string& cell) {
  std::vector<double> numbers;
  const std::string digits = "0123456789.";
  for (std::size_t begin = cell.find_first_of(digits); begin != std::string::npos;) {
    const std::size_t end = cell.find_first_not_of(digits, begin);
    numbers.push_back(std::stod(cell.substr(begin, end - begin)));
    begin = end == std::string::npos ? end : cell.find_first_of(digits, end);
  }
  return numbers;
}

}  // namespace steptwin
