#include "hw/cuda/module.h"

#include "hw/cuda/job.h"
#include "hw/cuda/probe.h"

namespace {

using namespace steptwin;

std::unique_ptr<hw::Job> make_cuda_job(const Program& program, const hw::cuda::Settings& settings,
                                       hw::Stop& stop, hw::Team* team) {
  return std::make_unique<hw::cuda::CudaJob>(program, settings, stop, team);
}

}  // namespace

// The one name that the program looks up.
extern "C" const hw::cuda::Module* steptwin_cuda_module() {
  static const hw::cuda::Module kModule{&hw::cuda::probe_devices, &make_cuda_job};
  return &kModule;
}
