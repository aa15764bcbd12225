#include "cli/deadlock_text.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace steptwin::cli {
namespace {

constexpr std::size_t kMostListed = 40;

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void write_item(Writer& writer, const sim::BlockedItem& item) {
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

std::string deadlock_text(const sim::Deadlock& deadlock) {
  std::string text =
      fmt::format("Deadlock: nothing can happen after {}.\n\n", duration_text(deadlock.at_ns));
  if (deadlock.cycle.empty()) {
    text += "Something waits for what never comes:\n";
  } else {
    text += deadlock.cycle_text + "\n\nEverything that hangs:\n";
  }
  for (std::size_t item = 0; item < deadlock.blocked.size(); ++item) {
    if (item == kMostListed) {
      text += fmt::format("  ... and {} more\n", deadlock.blocked.size() - item);
      break;
    }
    text += "  " + deadlock.blocked[item].text + "\n";
  }
  return text;
}

std::string deadlock_json(const sim::Deadlock& deadlock) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  writer.Key("deadlock");
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
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace steptwin::cli
