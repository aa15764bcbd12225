#include <doctest/doctest.h>
#include <random>
#include <string>

#include "sim/simulate.h"
#include "tests/property_count.h"
#include "tests/sim/naive_simulator.h"
#include "tests/sim/program_text.h"
#include "tests/sim/random_program.h"
#include "tests/sim/simulator_difference.h"
#include "tests/sim/work_rules.h"

namespace steptwin {
namespace {

void compare_on(const RandomProgramOptions& options, int count, std::uint64_t first_seed) {
  for (int offset = 0; offset < property_count(count); ++offset) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(offset);
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Program program = random_program(random, options);
    const std::string differs = difference_of(sim::simulate(program), naive_simulate(program));
    INFO(program_text(program));
    REQUIRE_MESSAGE(differs.empty(), differs);
  }
}

TEST_CASE("the engine agrees with the naive simulator to the nanosecond, deadlocks included") {
  compare_on({}, 4000, 1'000'000);
}

TEST_CASE("the engine agrees with the naive simulator where two threads race") {
  RandomProgramOptions options;
  options.overlaps = 1.0;
  options.wrong_overlaps = 0.4;
  options.max_ranks = 2;
  compare_on(options, 4000, 2'000'000);
}

TEST_CASE("the engine agrees with the naive simulator on larger programs") {
  RandomProgramOptions options;
  options.max_ranks = 8;
  options.max_operations = 250;
  compare_on(options, 300, 3'000'000);
}

TEST_CASE("the engine agrees with the naive simulator on eager sends") {
  RandomProgramOptions options;
  options.eager = 1.0;
  compare_on(options, 3000, 7'000'000);
}

TEST_CASE("the engine agrees with the naive simulator under contention, each kind alone and more") {
  RandomProgramOptions options;
  options.contention = 1.0;
  options.eager = 0.3;
  compare_on(options, 4000, 8'000'000);
}

TEST_CASE("the engine agrees with the naive simulator on larger programs under contention") {
  RandomProgramOptions options;
  options.contention = 1.0;
  options.eager = 0.3;
  options.max_ranks = 8;
  options.max_operations = 250;
  compare_on(options, 150, 9'000'000);
}

TEST_CASE("no work is lost, with and without contention") {
  int finished = 0;
  for (int offset = 0; offset < property_count(2000); ++offset) {
    const std::uint64_t seed = 10'000'000 + static_cast<std::uint64_t>(offset);
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    RandomProgramOptions options;
    options.contention = 0.9;
    options.eager = 0.3;
    options.perturbed = 0;
    const Program program = random_program(random, options);
    const auto outcome = sim::simulate(program);
    const Trace* trace = std::get_if<Trace>(&outcome);
    if (trace == nullptr) continue;
    ++finished;
    INFO(program_text(program));
    REQUIRE(lost_work(program, *trace) == "");
  }
  CHECK(finished > 0);
}

TEST_CASE("both simulators refuse calls that differ in size") {
  RandomProgramOptions options;
  options.size_mismatch = true;
  options.perturbed = 0;
  options.wrong_overlaps = 0;
  options.eager = 0.3;
  int refused = 0;
  for (int offset = 0; offset < property_count(300); ++offset) {
    const std::uint64_t seed = 4'000'000 + static_cast<std::uint64_t>(offset);
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Program program = random_program(random, options);
    bool naive_refuses = false;
    bool fast_refuses = false;
    try {
      naive_simulate(program);
    } catch (const std::exception&) {
      naive_refuses = true;
    }
    try {
      sim::simulate(program);
    } catch (const std::exception&) {
      fast_refuses = true;
    }
    CHECK(naive_refuses == fast_refuses);
    refused += fast_refuses ? 1 : 0;
  }
  CHECK(refused > 0);
}

}  // namespace
}  // namespace steptwin
