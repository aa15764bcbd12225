#include "reports/memory_csv.h"

#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <ostream>
#include <string_view>
#include <utility>

#include "model/formats/quoted_text.h"
#include "reports/csv_rows.h"
#include "reports/output_text.h"

namespace steptwin::reports {
namespace {

MemoryClass memory_class_in(const CsvRows& rows, std::size_t column) {
  for (std::size_t memory = 0; memory < kMemoryClasses; ++memory) {
    const auto named = static_cast<MemoryClass>(memory);
    if (name_of(named) == rows.text(column)) return named;
  }
  throw rows.error_at(column, fmt::format("class {} is unknown", quoted_text(rows.text(column))),
                      fmt::format("one like \"{}\"", name_of(MemoryClass::parameters)));
}

}  // namespace

void write_memory_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress) {
  OutputText output(out);
  output.text = "rank,at_ns,class,bytes\n";
  std::size_t written = 0;
  for (const MemoryRecord& record : trace.memory) {
    append_last_fields(output.text, record.rank, record.at_ns, name_of(record.memory),
                       record.bytes);
    ++written;
    if (!output.is_long()) continue;
    output.flush();
    if (progress) progress(written, trace.memory.size());
  }
  output.flush();
}

std::vector<MemoryRecord> read_memory_csv(const std::string& file, std::size_t ranks) {
  constexpr std::array<std::string_view, 4> kColumns = {"rank", "at_ns", "class", "bytes"};
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;
  CsvRows rows(file);
  rows.expect(kColumns);
  std::vector<MemoryRecord> records;
  while (rows.next()) {
    MemoryRecord record;
    const auto last_rank = static_cast<std::int64_t>(ranks) - 1;
    record.rank = static_cast<std::int32_t>(rows.integer(0, 0, last_rank));
    record.at_ns = rows.integer(1, -kLongestDuration, kLongestDuration);
    record.memory = memory_class_in(rows, 2);
    record.bytes = rows.integer(3, -kMostBytes, kMostBytes);
    const bool ascends = records.empty() || std::pair(records.back().rank, records.back().at_ns) <=
                                                std::pair(record.rank, record.at_ns);
    if (!ascends) throw rows.error_at(1, "the change comes after a later one", "ascending times");
    records.push_back(record);
  }
  return records;
}

}  // namespace steptwin::reports
