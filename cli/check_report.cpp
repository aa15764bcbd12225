#include "cli/check_report.h"

#include <fmt/format.h>

#include "cli/transport_table_text.h"
#include "reports/json_figures.h"
#include "reports/paint.h"

namespace steptwin::cli {
namespace {

namespace json = reports::json;

std::string findings_text(const CheckResult& result, bool quiet) {
  std::string text;
  for (const Finding& finding : result.findings) text += finding_text(finding) + "\n";
  if (quiet) return text;
  const std::size_t count = result.findings.size();
  return text + fmt::format("{} finding{}{}; {}\n", count, count == 1 ? "" : "s",
                            count == kMostFindings ? " or more" : "",
                            result.why_not_simulated.empty() ? "simulated" : "not simulated");
}

std::string nothing_found_text(const CheckResult& result) {
  if (!result.why_not_simulated.empty()) {
    return fmt::format("No static findings; not simulated: {}", result.why_not_simulated);
  }
  if (result.transfers_unchecked) {
    return "No findings: the schedule is complete. It has no transfers, so what its ranks wait for "
           "from each other is not checked.";
  }
  return "No findings: the schedule is complete and runs to its end.";
}

void number_or_null(json::Writer& writer, const char* key, std::int64_t number) {
  json::key(writer, key);
  if (number < 0) {
    writer.Null();
  } else {
    writer.Int64(number);
  }
}

void write_finding(json::Writer& writer, const Finding& finding) {
  writer.StartObject();
  number_or_null(writer, "rank", finding.rank);
  number_or_null(writer, "slot", finding.position);
  json::text_or_nothing(writer, "step", finding.step);
  json::text(writer, "text", finding.text);
  writer.EndObject();
}

Finding as_finding(const ExplainedDeadlock& found) {
  const sim::Deadlock& deadlock = found.deadlock;
  const std::string& first = deadlock.blocked[static_cast<std::size_t>(deadlock.first)].text;
  return {found.place.rank, found.place.slot, found.place.step,
          "deadlock: " + (deadlock.cycle.empty() ? first : deadlock.cycle_text)};
}

}  // namespace

bool has_findings(const CheckResult& result) {
  return !result.findings.empty() || result.deadlock.has_value();
}

std::string check_text(const CheckResult& result, bool quiet, std::size_t width) {
  std::string text;
  if (!result.findings.empty()) text = findings_text(result, quiet);
  if (!result.findings.empty() && result.deadlock) text += "\n";
  if (result.deadlock) text += deadlock_text(*result.deadlock, width);
  if (quiet) return text;
  if (text.empty()) text = reports::wrapped(nothing_found_text(result), width, 2) + "\n";
  if (result.table) text += "\n" + transport_table_text(*result.table, width);
  return text;
}

std::string check_json(const CheckResult& result) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  json::key(writer, "findings");
  writer.StartArray();
  for (const Finding& finding : result.findings) write_finding(writer, finding);
  if (result.deadlock) write_finding(writer, as_finding(*result.deadlock));
  writer.EndArray();
  json::truth(writer, "left_out", result.findings.size() == kMostFindings);
  json::truth(writer, "simulated", result.why_not_simulated.empty());
  json::text_or_nothing(writer, "why_not_simulated", result.why_not_simulated);
  json::key(writer, "deadlock");
  if (result.deadlock) {
    write_deadlock(writer, *result.deadlock);
  } else {
    writer.Null();
  }
  json::key(writer, "transports");
  if (result.table) {
    write_transport_table(writer, *result.table);
  } else {
    writer.Null();
  }
  writer.EndObject();
  return json::text_of(buffer);
}

}  // namespace steptwin::cli
