#include "tests/sim/random_program.h"

#include <doctest/doctest.h>
#include <random>

#include "model/error.h"
#include "model/validate.h"
#include "tests/sim/naive_simulator.h"
#include "tests/sim/program_text.h"

namespace steptwin {
namespace {

constexpr int kPrograms = 3000;

TEST_CASE("random programs are valid, and most run to the end") {
  int deadlocks = 0;
  int kernels = 0;
  for (int seed = 0; seed < kPrograms; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const Program program = random_program(random);
    INFO(program_text(program));
    REQUIRE_NOTHROW(validate(program));
    NaiveResult result;
    REQUIRE_NOTHROW(result = naive_simulate(program));
    kernels += static_cast<int>(program.kernels.size());
    if (result.deadlocked) ++deadlocks;
  }
  MESSAGE("programs " << kPrograms << ", kernels " << kernels << ", deadlocks " << deadlocks);
}

}  // namespace
}  // namespace steptwin
