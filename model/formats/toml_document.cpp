#include "model/formats/toml_document.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

#include "model/formats/quoted_text.h"

namespace steptwin {
namespace {

constexpr std::size_t kMostDescriptionBytes = 180;
constexpr std::string_view kOverridePrefix = "--set ";

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// What the parser says, on one line: it quotes the text, control characters and all. Cut after at
// most kMostDescriptionBytes of it, not inside a code point.
std::string one_line(std::string_view text) {
  if (text.size() > kMostDescriptionBytes) {
    std::size_t most = kMostDescriptionBytes;
    while (most > 0 && continues_code_point(text[most])) --most;
    text = text.substr(0, most);
  }
  constexpr unsigned char kDelete = 0x7f;
  std::string line;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < ' ' || byte == kDelete) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += character;
    }
  }
  return line;
}

// The end of the string that opens at `begin`: one past its closing quotes, or where it breaks off.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string triple(3, quote);
  const bool many_lines = text.substr(begin, 3) == triple;
  std::size_t at = begin + (many_lines ? 3 : 1);
  while (at < text.size()) {
    if (quote == '"' && text[at] == '\\') {
      at += 2;
    } else if (many_lines && text.substr(at, 3) == triple) {
      return at + 3;
    } else if (!many_lines && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else {
      ++at;
    }
  }
  return text.size();
}

SourcePosition position_at(std::string_view text, std::size_t offset, const std::string& file) {
  SourcePosition position{file, 1, 1};
  for (const char byte : text.substr(0, offset)) {
    if (byte == '\n') {
      ++position.line;
      position.column = 1;
    } else if (!continues_code_point(byte)) {
      ++position.column;
    }
  }
  return position;
}

void refuse_long_keys(std::string_view text, const std::string& file) {
  int parts = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    const char byte = text[at];
    if (byte == '"' || byte == '\'') {
      at = end_of_string(text, at);
      continue;
    }
    if (byte == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (byte == '.') {
      ++parts;
    } else if (std::string_view("\n=,{}[]").find(byte) != std::string_view::npos) {
      parts = 1;
    }
    if (parts > kMostKeyParts) {
      throw Error(position_at(text, at, file),
                  fmt::format("a key of more than {} parts", kMostKeyParts),
                  "at most section.table.key");
    }
    ++at;
  }
}

toml::table parsed(std::string_view text, const std::string& file) {
  if (text.size() > kMostTomlBytes) {
    throw Error(SourcePosition{file, 0, 0}, fmt::format("{} bytes are too many", text.size()),
                fmt::format("a scenario of at most {} bytes; costs per stage may be in a CSV file",
                            kMostTomlBytes));
  }
  refuse_long_keys(text, file);
  try {
    return toml::parse(text, std::string_view(file));
  } catch (const toml::parse_error& error) {
    throw Error(position_of(error.source(), file), one_line(error.description()), "valid TOML");
  }
}

bool is_key(std::string_view key) {
  bool part_is_empty = true;
  for (const char byte : key) {
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool in_part = letter || (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
    if (!in_part && (byte != '.' || part_is_empty)) return false;
    part_is_empty = !in_part;
  }
  return !part_is_empty && std::count(key.begin(), key.end(), '.') < kMostKeyParts;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// A number as people write it, whether TOML takes it or not.
bool is_decimal(std::string_view text) {
  const auto skip_sign = [&text] {
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  };
  const auto skip_digits = [&text] {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789_"), text.size());
    text.remove_prefix(digits);
    return digits > 0;
  };
  skip_sign();
  if (!skip_digits()) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!skip_digits()) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    skip_sign();
    if (!skip_digits()) return false;
  }
  return text.empty();
}

// The override as a document of its own: dotted keys make its sections.
toml::table parsed_override(std::string_view override_text) {
  const std::size_t equals = override_text.find('=');
  const std::string_view key = without_blanks(override_text.substr(0, equals));
  if (equals == std::string_view::npos || !is_key(key)) {
    throw Error(SourcePosition{"--set", 0, 0}, quoted_text(override_text) + " is not an override",
                "key=value, like pipeline.micro_batches=16");
  }
  const std::string_view value = without_blanks(override_text.substr(equals + 1));
  const std::string source = position_of_override(override_text).file;
  // A line break would let the value begin another key.
  if (value.find_first_of("\r\n") == std::string_view::npos) {
    try {
      return toml::parse(fmt::format("{} = {}", key, value), source);
    } catch (const toml::parse_error& error) {
      if (is_decimal(value)) {
        throw Error(SourcePosition{source, 0, 0}, one_line(error.description()),
                    "a number that fits into 64 bits");
      }
      // Not TOML: a string, below.
    }
  }
  return parsed(fmt::format("{} = {}", key, toml_string(value)), source);
}

// Moves the entries of `overlay` into `into`. Sections merge; anything else replaces.
void merge(toml::table& into, toml::table&& overlay) {
  for (auto&& [key, node] : overlay) {
    toml::table* inner = node.as_table();
    toml::table* section = into[key].as_table();
    if (inner != nullptr && !inner->is_inline() && section != nullptr) {
      merge(*section, std::move(*inner));
      continue;
    }
    const toml::key moved_key = key;  // a copy of a key keeps its source; so does a moved value
    into.erase(moved_key.str());
    node.visit([&](auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      into.emplace<Value>(moved_key, std::move(value));
    });
  }
}

}  // namespace

toml::table toml_document(std::string_view text, const std::string& file,
                          const std::vector<std::string>& overrides) {
  toml::table document = parsed(text, file);
  for (const std::string& override_text : overrides) {
    merge(document, parsed_override(override_text));
  }
  return document;
}

SourcePosition position_of(const toml::source_region& region, const std::string& file) {
  const bool elsewhere = region.path && region.path->starts_with(kOverridePrefix);
  if (elsewhere) return SourcePosition{*region.path, 0, 0};
  return SourcePosition{file, static_cast<int>(region.begin.line),
                        static_cast<int>(region.begin.column)};
}

SourcePosition position_of_override(std::string_view override_text) {
  const std::string_view key = without_blanks(override_text.substr(0, override_text.find('=')));
  return SourcePosition{std::string(kOverridePrefix) + std::string(key), 0, 0};
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    const unsigned code = static_cast<unsigned char>(byte);
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += byte;
    } else if (code < 0x20U || code == 0x7FU) {
      quoted += fmt::format("\\u{:04X}", code);
    } else {
      quoted += byte;
    }
  }
  return quoted + "\"";
}

}  // namespace steptwin
