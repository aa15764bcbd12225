#include "model/size_limit.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/costs.h"
#include "model/error.h"
#include "model/program.h"
#include "model/trace.h"
#include "model/usable_memory.h"

namespace steptwin {
namespace {

constexpr double kSlotsPerCell = 7;  // of one (stage, micro-batch): F, B, W, four transfers
constexpr double kDataSlots = 3;
constexpr double kShardSlots = 2;
constexpr double kOffloadSlots = 4;
constexpr double kCommandsPerKernel = 3;
constexpr double kStateBytesPerKernel = 160;  // stream entries, events, command times

double slots_per_cell(const Scenario& scenario) {
  return kSlotsPerCell + (scenario.pipeline.data_steps ? kDataSlots : 0) +
         (scenario.parallel.fsdp ? kShardSlots : 0) +
         (scenario.parallel.offload ? kOffloadSlots : 0);
}

double kernels_per_cell(const Scenario& scenario) {
  if (!scenario.layers.given) return slots_per_cell(scenario);
  std::size_t most_layers = 0;
  for (const auto& layers : scenario.layers.stages) {
    most_layers = std::max(most_layers, layers.size());
  }
  const double parts_of_layer = 5;  // attention, counts, dispatch, experts, combine
  return slots_per_cell(scenario) + 3 * parts_of_layer * static_cast<double>(most_layers);
}

double cells_of(const Scenario& scenario) {
  return static_cast<double>(scenario.stages()) *
         static_cast<double>(scenario.pipeline.micro_batches);
}

}  // namespace

double estimated_kernels(const Scenario& scenario) {
  return cells_of(scenario) * kernels_per_cell(scenario) * simulated_peers(scenario);
}

double estimated_bytes(const Scenario& scenario) {
  const double per_kernel = static_cast<double>(sizeof(Kernel) + sizeof(P2pPart) +
                                                sizeof(KernelTimes) + sizeof(TraceKernel)) +
                            kCommandsPerKernel * static_cast<double>(sizeof(Command)) +
                            kStateBytesPerKernel;
  return cells_of(scenario) * slots_per_cell(scenario) * static_cast<double>(sizeof(Slot)) +
         estimated_kernels(scenario) * per_kernel;
}

void refuse_if_too_large(const Scenario& scenario) {
  const double estimate = estimated_bytes(scenario);
  const double usable = usable_memory_bytes();
  if (estimate <= usable) return;
  throw Error(
      scenario.pipeline.micro_batches_at,
      fmt::format("{} stages with {} micro-batches would take about {:.1f} GB of memory; "
                  "{:.1f} GB can be used here",
                  scenario.stages(), scenario.pipeline.micro_batches, estimate / 1e9, usable / 1e9),
      "fewer micro-batches or stages");
}

}  // namespace steptwin
