#include "hw/collective.h"

namespace steptwin::hw {

std::size_t brought_blocks(KernelKind kind, std::size_t members) {
  return kind == KernelKind::all_gather ? 1 : members;
}

std::size_t result_blocks(KernelKind kind, std::size_t members) {
  return kind == KernelKind::reduce_scatter ? 1 : members;
}

std::size_t brought_blocks(const Collective& call) {
  return brought_blocks(call.kind, call.members.size());
}

std::size_t result_blocks(const Collective& call) {
  return result_blocks(call.kind, call.members.size());
}

Pattern brought_pattern(const Collective& call, std::size_t block) {
  const bool gathers = call.kind == KernelKind::all_gather;
  return block_pattern(*call.kernel, call.kernel->rank,
                       gathers ? call.place : static_cast<std::int32_t>(block));
}

Pattern result_pattern(const Collective& call, std::size_t block) {
  const auto place = static_cast<std::int32_t>(block);
  const Kernel& kernel = *call.kernel;
  if (call.kind == KernelKind::all_to_all) {
    return block_pattern(kernel, call.members[block], call.place);
  }
  if (call.kind == KernelKind::all_gather) return block_pattern(kernel, call.members[block], place);
  const bool scatters = call.kind == KernelKind::reduce_scatter;
  return sum_pattern(kernel, call.members, scatters ? call.place : place);
}

}  // namespace steptwin::hw
