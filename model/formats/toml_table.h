#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

#include "model/error.h"
#include "model/formats/toml_document.h"
#include "model/formats/words.h"
#include "model/units.h"

namespace steptwin {

// Typed access to a TOML tree, strict: a value of another type, out of range or not finite is an
// Error at the value's position, "pipeline.ranks is 0; expected a whole number from 1 to 65536".

// A value and where it stands. `node` is never null and lives as long as its document.
struct TomlValue {
  const toml::node* node;
  std::string name;  // "pipeline.stage_map[2]"
  SourcePosition position;
};

struct TomlTable {
  const toml::table* node;
  std::string name;  // "pipeline", "layers.attention_us"; "" for the whole text
  SourcePosition position;
};

TomlTable whole_document(const toml::table& document, const std::string& file);
TomlTable as_table(const TomlValue& value);

std::optional<TomlValue> find(const TomlTable& table, std::string_view key);
std::optional<TomlTable> find_table(const TomlTable& table, std::string_view key);
// Throws Error at the table's position if the key is not there; `expected` says what it would hold.
TomlValue require(const TomlTable& table, std::string_view key, const std::string& expected);

// Throws Error at the first key, in the order of the text, that is not `known`. A known key that
// ends in _us is also known with _ms.
void refuse_unknown_keys(const TomlTable& table, const std::vector<std::string_view>& known);

// As messages show a value: 5, "a text", a list of 2 values.
std::string described(const TomlValue& value);

[[noreturn]] void refuse(const TomlValue& value, const std::string& expected);

// "overlap.hooks has no effect because pipeline.overlap is "none"; expected the key removed, or
// pipeline.overlap = "b_f""; nothing else but to remove it if `instead` is empty.
[[noreturn]] void refuse_without_effect(const TomlValue& value, std::string_view because,
                                        std::string_view instead);

// "auto, loop, v"
std::string list_text(const std::vector<std::string_view>& words);

// Typed values.
bool flag_of(const TomlValue& value);
std::int64_t integer_of(const TomlValue& value, std::int64_t least, std::int64_t most);
double number_of(const TomlValue& value, double least, double most);
std::string text_of(const TomlValue& value, const std::string& expected);
Bytes bytes_of(const TomlValue& value);          // 4096, "64MiB"
Bandwidth bandwidth_of(const TomlValue& value);  // "50GB/s", "inf"
std::size_t word_index_of(const TomlValue& value, const std::vector<std::string_view>& words);

// Arrays. size_of is 0 for what is not an array.
bool is_array(const TomlValue& value);
std::size_t size_of(const TomlValue& array);
TomlValue item_of(const TomlValue& array, std::size_t index);

// A duration: key "forward_us" stands for both "forward_us" and "forward_ms". Never both.
struct TomlDuration {
  TomlValue value;
  double us_per_unit = 1;
};
std::optional<TomlDuration> find_duration(const TomlTable& table, std::string_view key_us);
double duration_us_of(const TomlValue& value, double us_per_unit);

// Each reads a key into `into`, or leaves it alone if the key is not there.
void read_flag(const TomlTable& table, std::string_view key, bool& into);
void read_int32(const TomlTable& table, std::string_view key, std::int32_t least, std::int32_t most,
                std::int32_t& into);
void read_number(const TomlTable& table, std::string_view key, double least, double most,
                 double& into);
void read_duration_us(const TomlTable& table, std::string_view key_us, double& into);
void read_bytes(const TomlTable& table, std::string_view key, Bytes& into);
void read_bandwidth(const TomlTable& table, std::string_view key, Bandwidth& into);
template <typename Value, std::size_t kCount>
void read_word(const TomlTable& table, std::string_view key, const Words<Value, kCount>& words,
               Value& into) {
  if (const auto value = find(table, key)) {
    into = words[word_index_of(*value, texts_of(words))].value;
  }
}

}  // namespace steptwin
