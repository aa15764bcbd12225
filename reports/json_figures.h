#pragma once

#include <cstdint>
#include <optional>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <string>
#include <string_view>

#include "model/units.h"

namespace steptwin::reports::json {

// Figures as members of a JSON object: durations in microseconds with up to three decimals, exact;
// ratios with up to six; numbers, which must be finite, with as many digits as tell them from any
// other double; what is not there is null.
using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void key(Writer& writer, std::string_view name);
void duration(Writer& writer, std::string_view name, std::optional<TimeNs> value_ns);
void ratio(Writer& writer, std::string_view name, std::optional<double> value);
void number(Writer& writer, std::string_view name, double value);
void count(Writer& writer, std::string_view name, std::int64_t value);
void truth(Writer& writer, std::string_view name, bool value);
void text(Writer& writer, std::string_view name, std::string_view value);
void text_or_nothing(Writer& writer, std::string_view name, std::string_view value);  // "": null
void nothing(Writer& writer, std::string_view name);

// What the writer wrote, with a line feed behind it.
std::string text_of(const rapidjson::StringBuffer& buffer);

}  // namespace steptwin::reports::json
