#include "reports/csv_rows.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <utility>

#include "model/formats/quoted_text.h"

namespace steptwin::reports {
namespace {

std::string listed(std::span<const std::string_view> columns) {
  std::string text = "the columns ";
  for (const std::string_view column : columns) {
    text += text.back() == ' ' ? "" : ",";
    text += column;
  }
  return text;
}

}  // namespace

CsvRows::CsvRows(std::string file) : file_(std::move(file)) {
  lines_ = std::make_unique<std::ifstream>(file_, std::ios::binary);
  if (!*lines_) throw Error(SourcePosition{file_, 0, 0}, "cannot open it", "a readable file");
}

CsvRows::CsvRows(std::string file, std::string_view text)
    : file_(std::move(file)), lines_(std::make_unique<std::istringstream>(std::string(text))) {}

CsvRows::~CsvRows() = default;

void CsvRows::expect(std::span<const std::string_view> columns) {
  columns_.assign(columns.begin(), columns.end());
  const std::string header = listed(columns);
  if (!next_line()) throw error(1, "there is no header line", header);
  place_of_column_.assign(columns.size(), field_count_);
  for (std::size_t place = 0; place < field_count_; ++place) {
    const Field& field = fields_[place];
    const auto found = std::find(columns.begin(), columns.end(), field.text);
    if (found == columns.end()) {
      throw error(field.column, fmt::format("there is no column {}", quoted_text(field.text)),
                  header);
    }
    std::size_t& known = place_of_column_[static_cast<std::size_t>(found - columns.begin())];
    if (known != field_count_) {
      throw error(field.column, fmt::format("column \"{}\" is there twice", field.text), header);
    }
    known = place;
  }
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (place_of_column_[column] == field_count_) {
      throw error(1, fmt::format("column \"{}\" is missing", columns[column]), header);
    }
  }
}

bool CsvRows::next() {
  if (!next_line()) return false;
  if (field_count_ != columns_.size()) {
    throw error(1, fmt::format("the row has {} fields", field_count_),
                fmt::format("{}, as the header has", columns_.size()));
  }
  return true;
}

std::int64_t CsvRows::integer(std::size_t column, std::int64_t least, std::int64_t most) const {
  const std::string& digits = text(column);
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value);
  if (code != std::errc() || stop != end || value < least || value > most) {
    throw error_at(column, fmt::format("{} is {}", columns_[column], quoted_text(digits)),
                   fmt::format("a whole number from {} to {}", least, most));
  }
  return value;
}

Error CsvRows::error_at(std::size_t column, std::string wrong, std::string expected) const {
  return error(field(column).column, std::move(wrong), std::move(expected));
}

bool CsvRows::next_line() {
  while (std::getline(*lines_, text_of_line_)) {
    ++line_;
    if (line_ == 1 && text_of_line_.starts_with("\xEF\xBB\xBF")) text_of_line_.erase(0, 3);
    if (text_of_line_.ends_with('\r')) text_of_line_.pop_back();
    if (text_of_line_.empty() || text_of_line_.front() == '#') continue;
    split(text_of_line_.c_str());
    return true;
  }
  return false;
}

void CsvRows::split(const char* line) {
  field_count_ = 0;
  const char* cursor = line;
  while (true) {
    if (field_count_ == fields_.size()) fields_.emplace_back();
    Field& field = fields_[field_count_++];
    field.text.clear();
    field.column = static_cast<int>(cursor - line) + 1;
    if (*cursor == '"') {
      cursor = take_quoted(line, cursor, field);
    } else {
      const char* begin = cursor;
      while (*cursor != ',' && *cursor != '\0') ++cursor;
      field.text.assign(begin, cursor);
    }
    if (*cursor == '\0') return;
    ++cursor;
  }
}

// `quote` is the opening one; returns what is behind the closing one.
const char* CsvRows::take_quoted(const char* line, const char* quote, Field& field) const {
  const char* cursor = quote + 1;
  while (*cursor != '\0' && !(cursor[0] == '"' && cursor[1] != '"')) {
    if (*cursor == '"') ++cursor;
    field.text += *cursor++;
  }
  if (*cursor == '\0') {
    throw error(field.column, "the quoted field has no end", "a closing quote");
  }
  ++cursor;
  if (*cursor != ',' && *cursor != '\0') {
    throw error(static_cast<int>(cursor - line) + 1, "text follows a quoted field",
                "a comma or the end of the line");
  }
  return cursor;
}

Error CsvRows::error(int column, std::string wrong, std::string expected) const {
  return Error(SourcePosition{file_, line_, column}, std::move(wrong), std::move(expected));
}

}  // namespace steptwin::reports
