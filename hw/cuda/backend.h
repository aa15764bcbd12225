#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "hw/device.h"
#include "hw/kernel_mode.h"
#include "hw/stop.h"
#include "hw/team.h"
#include "model/program.h"

namespace steptwin::hw::cuda {

// GPUs as devices: CUDA streams and events, cuBLAS products, NCCL for all communication. Ranks have
// a GPU each, and are threads of this process or processes of their own. No link is emulated, and
// no send ends without its receiver: transfers and collectives take what they take.

// What there is to run on; without devices, why. Asks the driver, which may be absent.
struct Probe {
  std::int32_t devices = 0;
  std::string name;  // of the first
  std::string reason;
};

struct Settings {
  KernelMode kernels = KernelMode::real;
  // For whatever a healthy machine does at once.
  std::chrono::nanoseconds deadline = std::chrono::seconds(30);
};

// The toolkit is not part of the program: it is loaded when it is asked for, so that everything
// else starts quickly and on machines without it.
Probe probe();

// All ranks of the Program in this process, rank r on GPU r; with a team, whose processes all make
// it, the rank of this process's number, on the GPU of its place on the machine. Throws
// std::runtime_error if there are too few devices or the Program asks for what they cannot do, and
// when one of them fails.
std::unique_ptr<Job> make_job(const Program& program, const Settings& settings, Stop& stop,
                              Team* team = nullptr);

}  // namespace steptwin::hw::cuda
