#include <doctest/doctest.h>
#include <random>
#include <string>
#include <variant>

#include "model/validate.h"
#include "sim/engine.h"
#include "sim/simulate.h"
#include "tests/property_count.h"
#include "tests/sim/naive_simulator.h"
#include "tests/sim/program_text.h"
#include "tests/sim/random_program.h"

namespace steptwin {
namespace {

std::string times_text(const KernelTimes& times) {
  return std::to_string(times.enqueue_ns) + " " + std::to_string(times.ready_ns) + " " +
         std::to_string(times.start_ns) + " " + std::to_string(times.end_ns);
}

// "" or the first kernel whose times differ.
std::string kernel_difference(const std::vector<KernelTimes>& fast,
                              const std::vector<KernelTimes>& naive) {
  for (std::size_t kernel = 0; kernel < naive.size(); ++kernel) {
    if (fast[kernel] == naive[kernel]) continue;
    return "kernel " + std::to_string(kernel) + ": " + times_text(fast[kernel]) + " but naive " +
           times_text(naive[kernel]);
  }
  return "";
}

// "" or the first completed command whose times differ.
std::string host_difference(const std::vector<HostRecord>& fast,
                            const std::vector<HostRecord>& naive) {
  if (fast.size() != naive.size()) return "different numbers of host records";
  for (std::size_t at = 0; at < naive.size(); ++at) {
    const HostRecord& left = fast[at];
    const HostRecord& right = naive[at];
    const bool same = left.rank == right.rank && left.thread == right.thread &&
                      left.command == right.command && left.begin_ns == right.begin_ns &&
                      left.end_ns == right.end_ns;
    if (!same) return "host record " + std::to_string(at);
  }
  return "";
}

std::string blocked_difference(const sim::Deadlock& deadlock, const NaiveResult& naive) {
  std::vector<NaiveBlockedThread> threads;
  std::vector<NaiveBlockedStream> streams;
  for (const sim::BlockedItem& item : deadlock.blocked) {
    if (item.is_thread) {
      threads.push_back({item.rank, item.index, item.command});
    } else {
      streams.push_back({item.rank, item.index, item.kernel});
    }
  }
  if (threads != naive.blocked_threads) return "different blocked threads";
  if (streams != naive.blocked_streams) return "different blocked streams";
  return "";
}

// "" or how the two simulators differ on the program.
std::string difference(const Program& program) {
  const NaiveResult naive = naive_simulate(program);
  const auto outcome = sim::simulate(program);
  if (const auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
    if (!naive.deadlocked) return "a deadlock that the naive simulator does not have";
    const std::string kernels = kernel_difference(deadlock->times, naive.times);
    return kernels.empty() ? blocked_difference(*deadlock, naive) : kernels;
  }
  if (naive.deadlocked) return "no deadlock, but the naive simulator has one";
  const Trace& trace = std::get<Trace>(outcome);
  std::vector<KernelTimes> times;
  for (const TraceKernel& kernel : trace.kernels) times.push_back(kernel.times);
  const std::string kernels = kernel_difference(times, naive.times);
  return kernels.empty() ? host_difference(trace.host, naive.host) : kernels;
}

void compare_on(const RandomProgramOptions& options, int count, std::uint64_t first_seed) {
  for (int offset = 0; offset < property_count(count); ++offset) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(offset);
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Program program = random_program(random, options);
    const std::string differs = difference(program);
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

TEST_CASE("both simulators refuse calls that differ in size") {
  RandomProgramOptions options;
  options.size_mismatch = true;
  options.perturbed = 0;
  options.wrong_overlaps = 0;
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
