#include "cli/deadlock_text.h"

#include <fmt/format.h>

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

}  // namespace

std::string deadlock_text(const sim::Deadlock& deadlock, std::size_t width) {
  const auto line = [width](const std::string& text, std::size_t indent) {
    return reports::wrapped(text, width, indent) + "\n";
  };
  std::string text =
      line(fmt::format("Deadlock: nothing can happen after {}.", duration_text(deadlock.at_ns)), 0);
  text += '\n';
  if (deadlock.cycle.empty()) {
    text += "Something waits for what never comes:\n";
  } else {
    text += line(deadlock.cycle_text, 0) + "\nEverything that hangs:\n";
  }
  for (std::size_t item = 0; item < deadlock.blocked.size(); ++item) {
    if (item == kMostListed) {
      text += fmt::format("  ... and {} more\n", deadlock.blocked.size() - item);
      break;
    }
    text += line("  " + deadlock.blocked[item].text, kItemIndent);
  }
  return text;
}

std::string deadlock_json(const sim::Deadlock& deadlock) {
  rapidjson::StringBuffer buffer;
  JsonWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  writer.Key("deadlock");
  write_deadlock(writer, deadlock);
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

void write_deadlock(JsonWriter& writer, const sim::Deadlock& deadlock) {
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
  writer.EndObject();
}

}  // namespace steptwin::cli
