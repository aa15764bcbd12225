#pragma once

#include <cstddef>
#include <cstdint>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <string>
#include <string_view>
#include <utility>

#include "model/error.h"

namespace steptwin::reports {

// Where the event that is being handled stands in a JSON text, for the handler's own errors.
class JsonPlace {
 public:
  JsonPlace(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  // Of the byte at `offset`. Columns count bytes.
  SourcePosition at(std::size_t offset) const;
  // Of the token that ends before `offset`.
  SourcePosition of_token_before(std::size_t offset) const;

 private:
  std::string file_;
  std::string_view text_;
};

// What a JsonReading tells its handler of a value that is no object or array.
struct JsonScalar {
  bool is_number = false;
  double number = 0;      // of a number
  std::string_view text;  // of a string; valid during the event only
};

// Reads a JSON text event by event, without a document in memory. The handler has
//
//   void key(std::string_view name);
//   void scalar(const JsonScalar& value);
//   void begin(bool is_object);   // or an array
//   void end();
//
// and throws what reading.error(...) makes where it does not like the token at hand. Whatever is no
// JSON is an Error at its place. Nesting costs no stack.
template <typename Handler>
class JsonReading {
 public:
  JsonReading(const std::string& file, std::string_view text)
      : place_(file, text), text_(text), stream_(text.data(), text.size()) {}

  void read(Handler& handler) {
    handler_ = &handler;
    constexpr std::string_view kMark = "\xEF\xBB\xBF";  // byte order mark
    if (text_.starts_with(kMark)) {
      for (std::size_t byte = 0; byte < kMark.size(); ++byte) stream_.Take();
    }
    rapidjson::Reader reader;
    constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;
    const rapidjson::ParseResult result = reader.Parse<kFlags>(stream_, *this);
    if (!result.IsError()) return;
    std::string wrong = rapidjson::GetParseError_En(result.Code());
    if (wrong.ends_with('.')) wrong.pop_back();
    throw Error(place_.at(result.Offset()), "this is no JSON: " + wrong, "a JSON text");
  }

  Error error(std::string wrong, std::string expected) const {
    const std::size_t offset = stream_.Tell();
    return Error(at_bracket_ ? place_.at(offset) : place_.of_token_before(offset), std::move(wrong),
                 std::move(expected));
  }

  // What RapidJSON calls.
  // NOLINTBEGIN(readability-identifier-naming): the names that it asks for.
  bool Null() { return scalar({}); }
  bool Bool(bool /*value*/) { return scalar({}); }
  bool Int(int value) { return scalar({true, static_cast<double>(value), {}}); }
  bool Uint(unsigned value) { return scalar({true, static_cast<double>(value), {}}); }
  bool Int64(std::int64_t value) { return scalar({true, static_cast<double>(value), {}}); }
  bool Uint64(std::uint64_t value) { return scalar({true, static_cast<double>(value), {}}); }
  bool Double(double value) { return scalar({true, value, {}}); }
  bool RawNumber(const char* /*text*/, rapidjson::SizeType /*length*/, bool /*copy*/) {
    return false;
  }
  bool String(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    return scalar({false, 0, {text, length}});
  }
  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    at_bracket_ = false;
    handler_->key({text, length});
    return true;
  }
  bool StartObject() { return begin(true); }
  bool StartArray() { return begin(false); }
  bool EndObject(rapidjson::SizeType /*members*/) { return end(); }
  bool EndArray(rapidjson::SizeType /*elements*/) { return end(); }
  // NOLINTEND(readability-identifier-naming)

 private:
  bool scalar(const JsonScalar& value) {
    at_bracket_ = false;
    handler_->scalar(value);
    return true;
  }
  bool begin(bool is_object) {
    at_bracket_ = true;
    handler_->begin(is_object);
    return true;
  }
  bool end() {
    at_bracket_ = true;
    handler_->end();
    return true;
  }

  JsonPlace place_;
  std::string_view text_;
  rapidjson::MemoryStream stream_;
  Handler* handler_ = nullptr;
  bool at_bracket_ = false;  // which is read after its event, all else before
};

}  // namespace steptwin::reports
