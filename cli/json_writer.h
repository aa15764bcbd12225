#pragma once

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace steptwin::cli {

using JsonWriter = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

}  // namespace steptwin::cli
