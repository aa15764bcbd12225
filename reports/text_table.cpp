#include "reports/text_table.h"

#include <algorithm>
#include <string_view>

#include "reports/paint.h"

namespace steptwin::reports {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kBetween = 2;

// The first `columns` columns of a UTF-8 text.
std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size() && columns_of(text.substr(0, end + 1)) <= columns) ++end;
  return text.substr(0, end);
}

std::size_t width_of(const TextTable& table, std::size_t column) {
  std::size_t widest = columns_of(table.columns[column].header);
  for (const std::vector<std::string>& row : table.rows) {
    widest = std::max(widest, columns_of(row[column]));
  }
  return widest;
}

// Which columns are shown, and how wide the first of them is.
struct Layout {
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths;  // of the shown ones
};

Layout laid_out(const TextTable& table, std::size_t width) {
  Layout layout;
  for (int gone = 0;; ++gone) {
    layout = {};
    std::size_t all = kMargin;
    bool may_shrink = false;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const int goes = table.columns[column].goes;
      if (goes > 0 && goes <= gone) continue;
      may_shrink = may_shrink || goes > 0;
      layout.shown.push_back(column);
      layout.widths.push_back(width_of(table, column));
      all += layout.widths.back() + (layout.shown.size() > 1 ? kBetween : 0);
    }
    if (all <= width) return layout;
    if (may_shrink) continue;
    const std::size_t surplus = all - width;
    layout.widths[0] -= std::min(surplus, layout.widths[0] - 1);
    return layout;
  }
}

std::string line_of(const Layout& layout, const std::vector<std::string>& cells) {
  std::string line(kMargin, ' ');
  for (std::size_t place = 0; place < layout.shown.size(); ++place) {
    std::string cell = cells[layout.shown[place]];
    const std::size_t room = layout.widths[place];
    if (columns_of(cell) > room) cell = std::string(first_columns(cell, room - 1)) + "…";
    const std::string padding(room - columns_of(cell), ' ');
    if (place == 0) {
      line.append(cell).append(padding);
    } else {
      line.append(kBetween, ' ').append(padding).append(cell);
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string table_text(const TextTable& table, std::size_t width, bool color) {
  const Layout layout = laid_out(table, width);
  std::vector<std::string> headers;
  for (const TableColumn& column : table.columns) headers.push_back(column.header);
  std::string text = painted(color, tint::kBold, line_of(layout, headers)) + "\n";
  for (const std::vector<std::string>& row : table.rows) text += line_of(layout, row) + "\n";
  return text;
}

}  // namespace steptwin::reports
