#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace steptwin::reports {

// A table for the terminal: two columns of margin, a line of headers, two columns between columns.
// The first column is text and begins at the left, the others are right-aligned.
struct TableColumn {
  std::string header;
  int goes = 0;  // where there is no room: columns of 1 first, then those of 2, ...; of 0 never
};

struct TextTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;  // one cell for each column
};

// No line is longer than `width`: what does not fit of the first column, once only columns of 0 are
// left, is cut, with a "…" behind it.
std::string table_text(const TextTable& table, std::size_t width, bool color);

}  // namespace steptwin::reports
