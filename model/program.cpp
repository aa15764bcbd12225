#include "model/program.h"

#include <array>

namespace steptwin {
namespace {

constexpr std::array<std::string_view, 7> kKernelKinds = {
    "compute", "p2p", "all_to_all", "all_gather", "reduce_scatter", "all_reduce", "copy"};
constexpr std::array<std::string_view, 15> kParts = {
    "chunk", "embedding", "attention", "counts",  "dispatch",    "experts", "combine", "mlp",
    "head",  "p2p",       "data",      "unshard", "reduce_grad", "offload", "load"};
constexpr std::array<std::string_view, 5> kDirections = {"none", "forward", "backward",
                                                         "backward_input", "backward_weight"};
constexpr std::array<std::string_view, 10> kCommandTypes = {
    "launch",     "record", "wait",   "host_wait", "host_work",
    "rendezvous", "notify", "depart", "fork",      "join"};
constexpr std::array<std::string_view, kMemoryClasses> kMemory = {
    "parameters", "gradients", "optimizer", "gathered", "activations", "p2p_buffers"};
constexpr std::array<std::string_view, 6> kHooks = {"-", "A", "B", "C", "D", "D_LAST"};

}  // namespace

std::string_view name_of(KernelKind kind) {
  return kKernelKinds[static_cast<std::size_t>(kind)];
}
std::string_view name_of(MemoryClass memory) {
  return kMemory[static_cast<std::size_t>(memory)];
}
std::string_view name_of(Part part) {
  return kParts[static_cast<std::size_t>(part)];
}
std::string_view name_of(Direction direction) {
  return kDirections[static_cast<std::size_t>(direction)];
}
std::string_view name_of(CommandType type) {
  return kCommandTypes[static_cast<std::size_t>(type)];
}
std::string_view name_of(Role role) {
  return role == Role::comm ? "comm" : "compute";
}
std::string_view name_of(Hook hook) {
  return kHooks[static_cast<std::size_t>(hook)];
}

std::string step_label(const Kernel& kernel) {
  return step_label(kernel.step, kernel.stage, kernel.micro);
}

}  // namespace steptwin
