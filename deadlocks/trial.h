#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/program.h"
#include "model/scenario.h"
#include "model/schedule.h"
#include "sim/simulate.h"

namespace steptwin::deadlocks {

// What a search may cost: kernels lowered and simulated, all its trials together.
class Effort {
 public:
  explicit Effort(std::size_t most_kernels) : left_(most_kernels) {}

  // Whether there is enough left; if not, nothing more will be.
  bool spend(std::size_t kernels) {
    is_over_ = is_over_ || kernels > left_;
    if (!is_over_) left_ -= kernels;
    return !is_over_;
  }
  bool is_over() const { return is_over_; }

 private:
  std::size_t left_;
  bool is_over_ = false;
};

// What becomes of a schedule in a scenario.
enum class Ending : std::uint8_t {
  runs,       // to its end
  hangs,      // Trial::program and Trial::deadlock say how
  refused,    // by the static checks, or it cannot be lowered: Trial::why
  not_tried,  // it would have been too much effort
};

struct Trial {
  Ending ending = Ending::not_tried;
  std::string why;
  Program program;
  sim::Deadlock deadlock;
};

// Checks, lowers and simulates.
Trial try_out(const Schedule& schedule, const Scenario& scenario, Effort& effort);

}  // namespace steptwin::deadlocks
