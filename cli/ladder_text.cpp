#include "cli/ladder_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "model/units.h"
#include "reports/compare_text.h"
#include "reports/paint.h"
#include "reports/text_table.h"

namespace steptwin::cli {
namespace {

using compare::Rung;
using compare::RungKind;
namespace json = reports::json;

constexpr std::size_t kLeastWidth = 40;

std::string_view words_of(RungKind kind) {
  switch (kind) {
    case RungKind::ideal:
      return "costs of the scenario";
    case RungKind::means:
      return "measured means of a part";
    case RungKind::kernels:
      return "measured kernel by kernel";
    case RungKind::transfers:
      return "and measured transfers";
    case RungKind::measured:
      break;
  }
  return "the measurement";
}

std::string_view worth_of(RungKind kind) {
  switch (kind) {
    case RungKind::ideal:
      return "";
    case RungKind::means:
      return "costs off on average";
    case RungKind::kernels:
      return "variation of kernels";
    case RungKind::transfers:
      return "the network";
    case RungKind::measured:
      break;
  }
  return "host, waits, order";
}

std::string signed_duration(TimeNs duration_ns) {
  if (duration_ns == 0) return "0";
  return (duration_ns < 0 ? "-" : "+") +
         duration_text(duration_ns < 0 ? -duration_ns : duration_ns);
}

}  // namespace

std::string ladder_text(const std::vector<Rung>& rungs, std::size_t width, bool color) {
  reports::TextTable table;
  table.columns = {{"simulated with"}, {"step"}, {"error", 2}, {"change"}, {"which is", 1}};
  std::string notes;
  for (const Rung& rung : rungs) {
    table.rows.push_back(
        {std::string(words_of(rung.kind)), rung.step_ns ? duration_text(*rung.step_ns) : "n/a",
         reports::signed_percent(rung.error),
         rung.change_ns ? signed_duration(*rung.change_ns) : "", std::string(worth_of(rung.kind))});
    if (rung.step_ns) continue;
    notes += reports::wrapped(fmt::format("        {}: {}", words_of(rung.kind), rung.why_not),
                              std::max(width, kLeastWidth), 10) +
             "\n";
  }
  return reports::table_text(table, std::max(width, kLeastWidth), color) + notes;
}

void write_ladder(json::Writer& writer, const std::vector<Rung>& rungs) {
  writer.StartArray();
  for (const Rung& rung : rungs) {
    writer.StartObject();
    json::text(writer, "rung", name_of(rung.kind));
    json::duration(writer, "step_time_us", rung.step_ns);
    json::duration(writer, "change_us", rung.change_ns);
    json::ratio(writer, "error", rung.error);
    json::text_or_nothing(writer, "why_not", rung.why_not);
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace steptwin::cli
