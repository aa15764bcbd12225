#pragma once

#include <string_view>

#include "model/formats/toml_table.h"
#include "model/scenario.h"

namespace steptwin {

// What the checks for keys without effect share (refuse_idle_keys of scenario_sections.h).

inline constexpr std::string_view kNoMoeLayer = "no layer is moe";
inline constexpr std::string_view kMoeLayer = "moe layers in layers.per_stage";

struct IdleKeys {
  const TomlTable& document;
  const Scenario& scenario;
  bool has_moe = false;
  bool may_shard = false;  // what is in a schedule file is not known

  // Throws Error at the key if `is_idle`. Nothing if the key is not there: then the value came by
  // another key, or is a default.
  void refuse_if(bool is_idle, std::string_view section, std::string_view key,
                 std::string_view because, std::string_view instead) const;
};

void refuse_idle_streams(const IdleKeys& idle);         // [streams], and pipeline.p2p beside it
void refuse_idle_beside_machine(const IdleKeys& idle);  // what [machine] overrules

}  // namespace steptwin
