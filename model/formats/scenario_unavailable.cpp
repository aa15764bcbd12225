#include <fmt/format.h>

#include "model/formats/scenario_sections.h"

namespace steptwin {

void read_unavailable_sections(const TomlTable& document) {
  for (const std::string_view key : {"model", "cluster"}) {
    if (const auto section = find(document, key)) {
      throw Error(section->position, fmt::format("[{}] is not available in this version", key),
                  "the costs in [stage] or [layers], the links in [network]");
    }
  }
}

}  // namespace steptwin
