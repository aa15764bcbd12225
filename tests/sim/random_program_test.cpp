#include "tests/sim/random_program.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/validate.h"
#include "tests/property_count.h"
#include "tests/sim/naive_simulator.h"
#include "tests/sim/program_text.h"
#include "tests/sim/trace_rules.h"

namespace steptwin {
namespace {

const int kPrograms = property_count(3000);

Program program_of_seed(int seed, const RandomProgramOptions& options = {}) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  return random_program(random, options);
}

TEST_CASE("random programs are valid, end, and finished ones keep the rules of a trace") {
  int deadlocks = 0;
  std::size_t kernels = 0;
  std::size_t overlaps = 0;
  for (int seed = 0; seed < kPrograms; ++seed) {
    CAPTURE(seed);
    const Program program = program_of_seed(seed);
    INFO(program_text(program));
    REQUIRE_NOTHROW(validate(program));
    NaiveResult result;
    REQUIRE_NOTHROW(result = naive_simulate(program));
    kernels += program.kernels.size();
    for (const RankProgram& rank : program.ranks) overlaps += rank.threads.size() - 1;
    if (result.deadlocked) {
      ++deadlocks;
      continue;
    }
    const std::vector<std::string> broken = broken_rules(program, result.times);
    INFO((broken.empty() ? std::string() : broken.front()));
    REQUIRE(broken.empty());
  }
  MESSAGE("programs " << kPrograms << ", kernels " << kernels << ", overlaps " << overlaps
                      << ", deadlocks " << deadlocks);
  CHECK(deadlocks >= kPrograms * 15 / 100);
  CHECK(deadlocks <= kPrograms * 30 / 100);
}

TEST_CASE("in order and with one thread a rank, random programs never deadlock") {
  RandomProgramOptions options;
  options.overlaps = 0;
  options.perturbed = 0;
  for (int seed = 0; seed < kPrograms; ++seed) {
    CAPTURE(seed);
    const Program program = program_of_seed(seed, options);
    INFO(program_text(program));
    REQUIRE_FALSE(naive_simulate(program).deadlocked);
  }
}

TEST_CASE("a size mismatch is an error, unless the run never comes to it") {
  RandomProgramOptions options;
  options.size_mismatch = true;
  options.perturbed = 0;
  int errors = 0;
  for (int seed = 0; seed < kPrograms; ++seed) {
    CAPTURE(seed);
    const Program program = program_of_seed(seed, options);
    INFO(program_text(program));
    REQUIRE_NOTHROW(validate(program));
    try {
      naive_simulate(program);
    } catch (const Error& error) {
      ++errors;
      REQUIRE(std::string(error.what()).find(" meets ") != std::string::npos);
    }
  }
  MESSAGE("programs " << kPrograms << ", errors " << errors);
  CHECK(errors >= kPrograms / 2);
}

TEST_CASE("a seed means one program") {
  CHECK(program_text(program_of_seed(7)) == program_text(program_of_seed(7)));
  CHECK(program_text(program_of_seed(7)) != program_text(program_of_seed(8)));
}

}  // namespace
}  // namespace steptwin
