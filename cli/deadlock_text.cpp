#include "cli/deadlock_text.h"

#include <fmt/format.h>
#include <utility>

#include "model/formats/steps_text.h"
#include "reports/paint.h"

namespace steptwin::cli {
namespace {

constexpr std::size_t kMostListed = 40;
constexpr std::size_t kItemIndent = 4;  // of what follows the first line of an item

void write_item(JsonWriter& writer, const sim::BlockedItem& item) {
  writer.StartObject();
  writer.Key("rank");
  writer.Int(item.rank);
  writer.Key(item.is_thread ? "thread" : "stream");
  writer.Int(item.index);
  writer.Key("kernel");
  if (item.kernel < 0) {
    writer.Null();
  } else {
    writer.Int64(item.kernel);
  }
  writer.Key("text");
  writer.String(item.text.c_str());
  writer.EndObject();
}

void write_way_out(JsonWriter& writer, const deadlocks::WayOut& way_out) {
  writer.Key("way_out");
  writer.StartObject();
  writer.Key("text");
  writer.String(deadlocks::way_out_text(way_out).c_str());
  writer.Key("exchange");
  if (way_out.exchange.found) {
    write_exchange(writer, *way_out.exchange.found);
  } else {
    writer.Null();
  }
  writer.Key("exchanges_tried");
  writer.Int(way_out.exchange.tried);
  writer.Key("settings");
  writer.StartArray();
  for (const std::string& setting : way_out.settings) writer.String(setting.c_str());
  writer.EndArray();
  writer.Key("settings_tried");
  writer.Int(way_out.settings_tried);
  writer.Key("cut_short");
  writer.Bool(way_out.was_cut_short);
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

void write_exchange(JsonWriter& writer, const deadlocks::Exchange& exchange) {
  writer.StartObject();
  writer.Key("rank");
  writer.Int(exchange.rank);
  writer.Key("slots");
  writer.StartArray();
  writer.Int64(exchange.first_slot);
  writer.Int64(exchange.second_slot);
  writer.EndArray();
  writer.Key("steps");
  writer.StartArray();
  writer.String(step_text(exchange.first).c_str());
  writer.String(step_text(exchange.second).c_str());
  writer.EndArray();
  writer.EndObject();
}

std::string deadlock_json(const ExplainedDeadlock& found) {
  rapidjson::StringBuffer buffer;
  JsonWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  writer.Key("deadlock");
  write_deadlock(writer, found);
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

void write_deadlock(JsonWriter& writer, const ExplainedDeadlock& found) {
  const sim::Deadlock& deadlock = found.deadlock;
  writer.StartObject();
  writer.Key("at_us");
  const std::string at_us = fmt::format("{}.{:03}", deadlock.at_ns / 1000, deadlock.at_ns % 1000);
  writer.RawValue(at_us.c_str(), at_us.size(), rapidjson::kNumberType);
  writer.Key("cycle_text");
  writer.String(deadlock.cycle_text.c_str());
  writer.Key("cycle");
  writer.StartArray();
  for (const std::int32_t item : deadlock.cycle) writer.Int(item);
  writer.EndArray();
  writer.Key("blocked");
  writer.StartArray();
  for (const sim::BlockedItem& item : deadlock.blocked) write_item(writer, item);
  writer.EndArray();
  write_way_out(writer, found.way_out);
  writer.EndObject();
}

}  // namespace steptwin::cli
