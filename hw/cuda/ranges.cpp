#include "hw/cuda/ranges.h"

#include "model/formats/torch_cell.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace steptwin::hw::cuda {

#if __has_include(<nvtx3/nvToolsExt.h>)
void begin_range(const std::string& name) {
  nvtxRangePushA(name.c_str());
}

void end_range() {
  nvtxRangePop();
}
#else
void begin_range(const std::string& /*name*/) {}

void end_range() {}
#endif

std::vector<std::string> range_names(const Program& program, std::int32_t rank) {
  std::vector<std::string> names;
  for (const Kernel& kernel : program.kernels) {
    if (kernel.rank != rank) continue;
    std::string name = "PP:";
    if (is_torch_action(kernel.step)) {
      Step step;
      step.type = kernel.step;
      step.stage = kernel.stage;
      step.micro = kernel.micro;
      append_torch_cell(name, step);
    } else {
      name += step_label(kernel);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace steptwin::hw::cuda
