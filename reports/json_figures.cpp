#include "reports/json_figures.h"

#include "reports/decimal.h"

namespace steptwin::reports::json {
namespace {

void write_digits(Writer& writer, const std::string& digits) {
  writer.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}

}  // namespace

void key(Writer& writer, std::string_view name) {
  writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

void duration(Writer& writer, std::string_view name, std::optional<TimeNs> value_ns) {
  if (!value_ns) return nothing(writer, name);
  key(writer, name);
  write_digits(writer, microseconds_text(*value_ns));
}

void ratio(Writer& writer, std::string_view name, std::optional<double> value) {
  if (!value) return nothing(writer, name);
  key(writer, name);
  write_digits(writer, ratio_text(*value));
}

void number(Writer& writer, std::string_view name, double value) {
  key(writer, name);
  writer.Double(value);
}

void count(Writer& writer, std::string_view name, std::int64_t value) {
  key(writer, name);
  writer.Int64(value);
}

void truth(Writer& writer, std::string_view name, bool value) {
  key(writer, name);
  writer.Bool(value);
}

void text(Writer& writer, std::string_view name, std::string_view value) {
  key(writer, name);
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void text_or_nothing(Writer& writer, std::string_view name, std::string_view value) {
  if (value.empty()) return nothing(writer, name);
  text(writer, name, value);
}

void nothing(Writer& writer, std::string_view name) {
  key(writer, name);
  writer.Null();
}

std::string text_of(const rapidjson::StringBuffer& buffer) {
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace steptwin::reports::json
