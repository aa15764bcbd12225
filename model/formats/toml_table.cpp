#include "model/formats/toml_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "model/formats/quoted_text.h"
#include "model/nearest_word.h"

namespace steptwin {
namespace {

constexpr Bytes kMostBytes = Bytes{1} << 62U;

std::string name_in(const TomlTable& table, std::string_view key) {
  return table.name.empty() ? std::string(key) : fmt::format("{}.{}", table.name, key);
}

// The name of the file comes from the table: a node does not know it where it came from a string.
TomlValue value_in(std::string name, const toml::node& node, const SourcePosition& parent) {
  return TomlValue{&node, std::move(name), position_of(node.source(), parent.file)};
}

std::string number_text(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string described(const toml::node& node) {
  if (const auto* text = node.as_string()) return quoted_text(text->get());
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return number_text(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* array = node.as_array()) {
    return fmt::format("a list of {} {}", array->size(), array->size() == 1 ? "value" : "values");
  }
  return node.is_table() ? "a table" : "a date or time";
}

// "ms" keys beside the "us" ones: launch_us, launch_ms.
std::string with_ms(std::string_view key_us) {
  assert(key_us.ends_with("_us"));
  return std::string(key_us.substr(0, key_us.size() - 2)) + "ms";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_word(word, known);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

}  // namespace

TomlTable whole_document(const toml::table& document, const std::string& file) {
  return TomlTable{&document, "", SourcePosition{file, 1, 1}};
}

TomlTable as_table(const TomlValue& value) {
  if (!value.node->is_table()) refuse(value, "a table");
  return TomlTable{value.node->as_table(), value.name, value.position};
}

std::optional<TomlValue> find(const TomlTable& table, std::string_view key) {
  const toml::node* node = table.node->get(key);
  if (node == nullptr) return std::nullopt;
  return value_in(name_in(table, key), *node, table.position);
}

std::optional<TomlTable> find_table(const TomlTable& table, std::string_view key) {
  const auto value = find(table, key);
  if (!value) return std::nullopt;
  return as_table(*value);
}

TomlValue require(const TomlTable& table, std::string_view key, const std::string& expected) {
  if (auto value = find(table, key)) return *std::move(value);
  throw Error(table.position, fmt::format("{} is missing", name_in(table, key)), expected);
}

void refuse_unknown_keys(const TomlTable& table, const std::vector<std::string_view>& known) {
  std::vector<std::string> ms_keys;
  for (const std::string_view key : known) {
    if (key.ends_with("_us")) ms_keys.push_back(with_ms(key));
  }
  std::vector<std::string_view> accepted = known;
  accepted.insert(accepted.end(), ms_keys.begin(), ms_keys.end());

  const toml::key* first = nullptr;
  const auto place = [](const toml::key& key) {
    return std::pair(key.source().begin.line, key.source().begin.column);
  };
  for (auto&& [key, node] : *table.node) {
    const bool is_known = std::find(accepted.begin(), accepted.end(), key.str()) != accepted.end();
    if (!is_known && (first == nullptr || place(key) < place(*first))) first = &key;
  }
  if (first == nullptr) return;
  const std::string where = table.name.empty() ? "" : fmt::format(" in [{}]", table.name);
  throw Error(position_of(first->source(), table.position.file),
              fmt::format("unknown key {}{}", quoted_text(first->str()), where),
              fmt::format("one of {}{}", list_text(known), did_you_mean(first->str(), accepted)));
}

std::string described(const TomlValue& value) {
  return described(*value.node);
}

void refuse(const TomlValue& value, const std::string& expected) {
  throw Error(value.position, fmt::format("{} is {}", value.name, described(value)), expected);
}

void refuse_without_effect(const TomlValue& value, std::string_view because,
                           std::string_view instead) {
  throw Error(value.position, fmt::format("{} has no effect because {}", value.name, because),
              fmt::format("the key removed{}{}", instead.empty() ? "" : ", or ", instead));
}

std::string list_text(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

bool flag_of(const TomlValue& value) {
  const auto* flag = value.node->as_boolean();
  if (flag == nullptr) refuse(value, "true or false");
  return flag->get();
}

std::int64_t integer_of(const TomlValue& value, std::int64_t least, std::int64_t most) {
  const auto* integer = value.node->as_integer();
  if (integer == nullptr || integer->get() < least || integer->get() > most) {
    refuse(value, fmt::format("a whole number from {} to {}", least, most));
  }
  return integer->get();
}

double number_of(const TomlValue& value, double least, double most) {
  const auto number = value.node->is_number() ? value.node->value<double>() : std::nullopt;
  // Written so that NaN is refused too.
  if (!number || !(*number >= least && *number <= most)) {
    refuse(value, fmt::format("a number from {} to {}", least, most));
  }
  return *number + 0.0;  // -0.0 becomes 0.0
}

std::string text_of(const TomlValue& value, const std::string& expected) {
  const auto* text = value.node->as_string();
  if (text == nullptr) refuse(value, expected);
  return text->get();
}

Bytes bytes_of(const TomlValue& value) {
  constexpr std::string_view kExpected = "bytes from 0 to 2^62, or a text like \"64MiB\"";
  if (const auto* integer = value.node->as_integer()) {
    if (integer->get() < 0 || integer->get() > kMostBytes) refuse(value, std::string(kExpected));
    return integer->get();
  }
  const auto* text = value.node->as_string();
  const auto bytes = text == nullptr ? std::nullopt : parse_bytes(text->get());
  if (!bytes) refuse(value, std::string(kExpected));
  return *bytes;
}

Bandwidth bandwidth_of(const TomlValue& value) {
  if (const auto* number = value.node->as_floating_point()) {
    if (std::isinf(number->get()) && number->get() > 0) return Bandwidth{};
  }
  const auto* text = value.node->as_string();
  const auto bandwidth = text == nullptr ? std::nullopt : parse_bandwidth(text->get());
  if (!bandwidth) refuse(value, "a text like \"50GB/s\", \"400Gbit/s\" or \"inf\"");
  return *bandwidth;
}

std::size_t word_index_of(const TomlValue& value, const std::vector<std::string_view>& words) {
  const auto* text = value.node->as_string();
  const std::string expected = "one of " + list_text(words);
  if (text == nullptr) refuse(value, expected);
  const auto found = std::find(words.begin(), words.end(), text->get());
  if (found == words.end()) refuse(value, expected + did_you_mean(text->get(), words));
  return static_cast<std::size_t>(found - words.begin());
}

bool is_array(const TomlValue& value) {
  return value.node->is_array();
}

std::size_t size_of(const TomlValue& array) {
  return is_array(array) ? array.node->as_array()->size() : 0;
}

TomlValue item_of(const TomlValue& array, std::size_t index) {
  assert(index < size_of(array));
  return value_in(fmt::format("{}[{}]", array.name, index), *array.node->as_array()->get(index),
                  array.position);
}

std::optional<TomlDuration> find_duration(const TomlTable& table, std::string_view key_us) {
  const auto in_us = find(table, key_us);
  const auto in_ms = find(table, with_ms(key_us));
  if (in_us && in_ms) {
    throw Error(in_ms->position, fmt::format("{} and {} are both given", in_us->name, in_ms->name),
                "one of them");
  }
  if (in_ms) return TomlDuration{*in_ms, 1000.0};
  if (in_us) return TomlDuration{*in_us, 1.0};
  return std::nullopt;
}

double duration_us_of(const TomlValue& value, double us_per_unit) {
  const double most_us = us_from_nanoseconds(kLongestDuration);
  return number_of(value, 0, most_us / us_per_unit) * us_per_unit;
}

void read_flag(const TomlTable& table, std::string_view key, bool& into) {
  if (const auto value = find(table, key)) into = flag_of(*value);
}

void read_int32(const TomlTable& table, std::string_view key, std::int32_t least, std::int32_t most,
                std::int32_t& into) {
  if (const auto value = find(table, key)) {
    into = static_cast<std::int32_t>(integer_of(*value, least, most));
  }
}

void read_number(const TomlTable& table, std::string_view key, double least, double most,
                 double& into) {
  if (const auto value = find(table, key)) into = number_of(*value, least, most);
}

void read_duration_us(const TomlTable& table, std::string_view key_us, double& into) {
  if (const auto found = find_duration(table, key_us)) {
    into = duration_us_of(found->value, found->us_per_unit);
  }
}

void read_bytes(const TomlTable& table, std::string_view key, Bytes& into) {
  if (const auto value = find(table, key)) into = bytes_of(*value);
}

void read_bandwidth(const TomlTable& table, std::string_view key, Bandwidth& into) {
  if (const auto value = find(table, key)) into = bandwidth_of(*value);
}

}  // namespace steptwin
