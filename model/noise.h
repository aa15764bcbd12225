#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"
#include "model/scenario.h"

namespace steptwin {

// By how much the kernels of a rank differ from their cost. Every factor is a function of the seed
// and of what the kernel is (its rank, step, stage, micro-batch, layer and part), and of nothing
// else: two schedules of the same work meet the same noise, kernel by kernel.
//
//   compute    exp(sigma z - sigma^2 / 2), z standard normal in [-6, 6]: lognormal of mean 1
//   straggler  every compute kernel of one world rank takes `factor` times as long
//   routing    tokens are dealt out unevenly among the E peers of a MoE layer, anew for every
//              micro-batch: peer p gets load_p = E w_p / (w_1 + ... + w_E), w lognormal with sigma
//              moe_imbalance. Its experts take load_p times as long, and the all-to-alls of the
//              layer as long as its most loaded peer needs. The backward has the load of its
//              forward.
class Noise {
 public:
  explicit Noise(const Scenario& scenario);

  // 1 exactly where there is no noise. `kernel` must say its step, stage, micro-batch, layer and
  // part; `rank` is that of the Program, `peer` its number among the peers of `pipeline_rank`.
  double factor(const Kernel& kernel, std::int32_t rank, std::int32_t pipeline_rank,
                std::int32_t peer) const;

  // The largest factor there can be.
  static double largest_factor(const Scenario& scenario);

 private:
  std::vector<double> loads(const Kernel& kernel, std::int32_t pipeline_rank) const;

  NoiseKeys keys_;
  std::int32_t peers_;
  bool quiet_;
};

// Whether the peers of a pipeline rank may take different times: then they cannot be folded.
bool peers_differ(const Scenario& scenario);

}  // namespace steptwin
