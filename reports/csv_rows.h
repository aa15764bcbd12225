#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace steptwin::reports {

// A CSV file row by row, for files too big for a table in memory. The header line is required;
// columns may come in any order, but all of them and no others. Lines that are empty or begin with
// '#' are skipped; LF or CRLF, with or without a byte order mark. A field in double quotes may
// hold commas, and a quote as two. Whatever is wrong is an Error with line and column.
class CsvRows {
 public:
  explicit CsvRows(std::string file);                // from the file
  CsvRows(std::string file, std::string_view text);  // from memory; file is for messages
  ~CsvRows();

  // Reads the header. Fields are then asked for by their position in `columns`.
  void expect(std::span<const std::string_view> columns);
  bool next();  // false at the end

  const std::string& text(std::size_t column) const { return field(column).text; }
  std::int64_t integer(std::size_t column, std::int64_t least, std::int64_t most) const;

  // For the caller's own checks.
  Error error_at(std::size_t column, std::string wrong, std::string expected) const;

 private:
  struct Field {
    std::string text;
    int column = 0;  // in the line, from 1
  };

  const Field& field(std::size_t column) const { return fields_[place_of_column_[column]]; }
  bool next_line();  // splits the next line that counts
  void split(const char* line);
  const char* take_quoted(const char* line, const char* quote, Field& field) const;
  Error error(int column, std::string wrong, std::string expected) const;

  std::string file_;
  std::unique_ptr<std::istream> lines_;
  std::string text_of_line_;
  int line_ = 0;
  std::vector<std::string_view> columns_;
  std::vector<std::size_t> place_of_column_;
  std::vector<Field> fields_;
  std::size_t field_count_ = 0;  // fields_ keeps its strings from line to line
};

}  // namespace steptwin::reports
