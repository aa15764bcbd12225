#include "cli/deadlock_text.h"

#include <fmt/format.h>
#include <utility>

#include "model/formats/steps_text.h"
#include "reports/decimal.h"
#include "reports/paint.h"

namespace steptwin::cli {
namespace {

namespace json = reports::json;

constexpr std::size_t kMostListed = 40;
constexpr std::size_t kItemIndent = 4;  // of what follows the first line of an item

void write_item(json::Writer& writer, const sim::BlockedItem& item) {
  writer.StartObject();
  json::count(writer, "rank", item.rank);
  json::count(writer, item.is_thread ? "thread" : "stream", item.index);
  json::key(writer, "kernel");
  if (item.kernel < 0) {
    writer.Null();
  } else {
    writer.Int64(item.kernel);
  }
  json::text(writer, "text", item.text);
  writer.EndObject();
}

void write_way_out(json::Writer& writer, const deadlocks::WayOut& way_out) {
  json::key(writer, "way_out");
  writer.StartObject();
  json::text(writer, "text", deadlocks::way_out_text(way_out));
  json::key(writer, "exchange");
  if (way_out.exchange.found) {
    write_exchange(writer, *way_out.exchange.found);
  } else {
    writer.Null();
  }
  json::count(writer, "exchanges_tried", way_out.exchange.tried);
  json::key(writer, "settings");
  writer.StartArray();
  for (const std::string& setting : way_out.settings) writer.String(setting.c_str());
  writer.EndArray();
  json::count(writer, "settings_tried", way_out.settings_tried);
  json::truth(writer, "cut_short", way_out.was_cut_short);
  writer.EndObject();
}

}  // namespace

ExplainedDeadlock explained(const Schedule& schedule, const Scenario& scenario,
                            const Program& program, sim::Deadlock&& deadlock,
                            const deadlocks::MakeSchedule& make) {
  ExplainedDeadlock found;
  found.way_out = deadlocks::find_way_out({schedule, scenario, program, deadlock}, make);
  found.place = deadlocks::place_of(schedule, program, deadlock);
  found.deadlock = std::move(deadlock);
  return found;
}

std::string deadlock_text(const ExplainedDeadlock& found, std::size_t width) {
  const sim::Deadlock& deadlock = found.deadlock;
  const auto line = [width](const std::string& text, std::size_t indent) {
    return reports::wrapped(text, width, indent) + "\n";
  };
  std::string text =
      line(fmt::format("Deadlock: nothing can happen after {}.", duration_text(deadlock.at_ns)), 0);
  text += '\n';
  const std::string& first = deadlock.blocked[static_cast<std::size_t>(deadlock.first)].text;
  text += line(deadlock.cycle.empty() ? first + "." : deadlock.cycle_text, 0) + "\n";
  if (found.place.slot >= 0) {
    text += line(fmt::format("It begins on rank {} in slot {}, {}.", found.place.rank,
                             found.place.slot, found.place.step),
                 0);
  }
  text += line(deadlocks::way_out_text(found.way_out), 0) + "\nEverything that hangs:\n";
  for (std::size_t item = 0; item < deadlock.blocked.size(); ++item) {
    if (item == kMostListed) {
      text += fmt::format("  ... and {} more\n", deadlock.blocked.size() - item);
      break;
    }
    text += line("  " + deadlock.blocked[item].text, kItemIndent);
  }
  return text;
}

void write_exchange(json::Writer& writer, const deadlocks::Exchange& exchange) {
  writer.StartObject();
  json::count(writer, "rank", exchange.rank);
  json::key(writer, "slots");
  writer.StartArray();
  writer.Int64(exchange.first_slot);
  writer.Int64(exchange.second_slot);
  writer.EndArray();
  json::key(writer, "steps");
  writer.StartArray();
  writer.String(step_text(exchange.first).c_str());
  writer.String(step_text(exchange.second).c_str());
  writer.EndArray();
  writer.EndObject();
}

std::string deadlock_json(const ExplainedDeadlock& found) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  json::key(writer, "deadlock");
  write_deadlock(writer, found);
  writer.EndObject();
  return json::text_of(buffer);
}

void write_deadlock(json::Writer& writer, const ExplainedDeadlock& found) {
  const sim::Deadlock& deadlock = found.deadlock;
  writer.StartObject();
  json::key(writer, "at_us");
  const std::string at_us = reports::microseconds_fixed(deadlock.at_ns);
  writer.RawValue(at_us.c_str(), at_us.size(), rapidjson::kNumberType);
  json::text(writer, "cycle_text", deadlock.cycle_text);
  json::key(writer, "cycle");
  writer.StartArray();
  for (const std::int32_t item : deadlock.cycle) writer.Int(item);
  writer.EndArray();
  json::key(writer, "blocked");
  writer.StartArray();
  for (const sim::BlockedItem& item : deadlock.blocked) write_item(writer, item);
  writer.EndArray();
  write_way_out(writer, found.way_out);
  writer.EndObject();
}

}  // namespace steptwin::cli
