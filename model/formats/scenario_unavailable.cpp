#include <fmt/format.h>

#include "model/formats/scenario_sections.h"

namespace steptwin {
namespace {

// Keys with a single value that this version can honour: the neutral one.
void accept_number(const TomlTable& section, std::string_view key, double least, double most,
                   double neutral) {
  double number = neutral;
  read_number(section, key, least, most, number);
  if (number != neutral) refuse_unavailable(*find(section, key), fmt::format("{}", neutral));
}

void accept_integer(const TomlTable& section, std::string_view key, std::int32_t least,
                    std::int32_t most, std::int32_t neutral) {
  std::int32_t number = neutral;
  read_int32(section, key, least, most, number);
  if (number != neutral) refuse_unavailable(*find(section, key), fmt::format("{}", neutral));
}

}

}  // namespace

void read_unavailable_sections(const TomlTable& document) {
  for (const std::string_view key : {"model", "cluster", "machine"}) {
    if (const auto section = find(document, key)) {
      throw Error(section->position, fmt::format("[{}] is not available in this version", key),
                  "the costs in [stage] or [layers], the links in [network]");
    }
  }
}

}  // namespace steptwin
