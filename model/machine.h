#pragma once

#include <cstdint>
#include <string>

#include "model/program.h"

namespace steptwin {

// What a machine was measured to be: the machine file as a value.

// duration = latency + amount / rate, of bytes or floating-point operations. The residual is the
// median of |measured - fitted| / measured over the samples.
struct MachineFit {
  double latency_us = 0;
  double per_second = 0;  // bytes or operations; 0: the amount does not matter
  double residual = 0;
  std::int32_t samples = 0;
};

// One figure: the median of the samples, and the median of their distances from it.
struct MachineFigure {
  double us = 0;
  double residual_us = 0;
  std::int32_t samples = 0;
};

struct Machine {
  std::string name;
  std::string date;  // 2026-11-30
  std::string backend = "host";
  std::int32_t cores = 0;

  // What host threads pay.
  MachineFigure launch;
  MachineFigure event;
  MachineFigure rendezvous;
  MachineFigure wake;
  MachineFigure fork;    // until the forked thread begins
  MachineFigure resume;  // from then until the thread that forked it goes on

  MachineFit product;      // a compute kernel of so many floating-point operations
  MachineFit copy;         // between two buffers
  MachineFit transfer;     // from the end of what is sent to the beginning of what waits for it
  MachineFit collective;   // the same for an all-to-all of two members, by bytes handed out
  MachineFigure lateness;  // by which a timed kernel ends after its time

  // Kernels at the same time: how many cores' worth of products the machine performs at most, and
  // what of its rate a product loses beside a copy, and a copy beside a product.
  double effective_cores = 0;
  double compute_loss = 0;
  double comm_loss = 0;

  // Too noisy to trust: why, or "".
  std::string noise;
};

enum class MachineKernels : std::uint8_t { timed, real };

// The Program as the machine would run it: its own host costs on top of those of the Program,
// transfers and collectives by what they take here, and kernels that share its cores. It launches
// a kernel once, whatever it stands for: the modelled time of its other launches is host work
// before it, outside the launch lock.
//
// The forked thread of an overlap begins first: whoever forked it goes on `resume` later, which is
// host work in the Program that is returned.
//
//   timed   compute and copy: + lateness. Transfers, collectives: at least what their bytes take,
//           + the latency of handing on
//   real    compute as modelled (products are sized by the measured rate). Host costs, transfers,
//           collectives and copies: the machine's alone, since nothing is emulated;
//           effective_cores shared
// Throws Error if the durations together come to more than can be added up.
Program calibrated(Program program, const Machine& machine, MachineKernels kernels);

}  // namespace steptwin
