#include "model/formats/idle_keys.h"

namespace steptwin {

void IdleKeys::refuse_if(bool is_idle, std::string_view section, std::string_view key,
                         std::string_view because, std::string_view instead) const {
  if (!is_idle) return;
  const auto table = find_table(document, section);
  if (!table) return;
  if (key.ends_with("_us")) {
    if (const auto duration = find_duration(*table, key)) {
      refuse_without_effect(duration->value, because, instead);
    }
  } else if (const auto value = find(*table, key)) {
    refuse_without_effect(*value, because, instead);
  }
}

// Real kernels take from each other what the machine was measured to let them.
void refuse_idle_beside_machine(const IdleKeys& idle) {
  const MachineKeys& machine = idle.scenario.machine;
  if (!machine.given || machine.kernels != MachineKernels::real) return;
  const ContentionKeys& keys = idle.scenario.contention;
  for (const auto& [key, differs] : {std::pair("compute_loss", keys.compute_loss > 0),
                                     {"comm_loss", keys.comm_loss > 0},
                                     {"while_waiting", !keys.while_waiting},
                                     {"host_cores", keys.host_cores > 0}}) {
    idle.refuse_if(differs, "contention", key, "machine.file says what its kernels lose",
                   "machine.kernels = \"timed\"");
  }
}

}  // namespace steptwin
