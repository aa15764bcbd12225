#include <stdexcept>

#include "hw/cuda/backend.h"

namespace steptwin::hw::cuda {

Probe probe() {
  return {0, "", "steptwin was built without CUDA"};
}

std::unique_ptr<Job> make_job(const Program& /*program*/, const Settings& /*settings*/,
                              Stop& /*stop*/, Team* /*team*/) {
  throw std::runtime_error(probe().reason);
}

}  // namespace steptwin::hw::cuda
