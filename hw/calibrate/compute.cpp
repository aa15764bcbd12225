#include "hw/calibrate/compute.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "hw/calibrate/fit.h"
#include "hw/host/clock.h"
#include "hw/host/products.h"

namespace steptwin::hw {
namespace {

constexpr double kSecond = 1e-9;

double seconds_of(Products& products, double flops, const Stop& stop) {
  const TimeNs begin = host_now_ns();
  products.perform(flops, stop);
  return static_cast<double>(std::max<TimeNs>(host_now_ns() - begin, 1)) * kSecond;
}

// The middle 90 % of a fixed piece of work, as a share of its median.
void judge_noise(Machine& machine, Products& products, int rounds, const Stop& stop) {
  constexpr double kTooMuch = 0.15;
  const int products_timed = 10 * rounds;
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(products_timed));
  for (int round = 0; round < products_timed; ++round) {
    seconds.push_back(seconds_of(products, 4 * kProductFlops, stop));
  }
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&seconds](double share) {
    return seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
  };
  const double spread = (at(0.95) - at(0.05)) / at(0.5);
  if (spread > kTooMuch) {
    machine.noise = fmt::format(
        "the same product takes {:.0f} % more or less from one time to the next (5th to 95th "
        "percentile); at most {:.0f} % are to be trusted",
        spread * 100, kTooMuch * 100);
  }
}

// How often per second all the threads together do their work.
template <typename MakeWork>
std::vector<double> rates_together(std::size_t threads, MakeWork&& make) {
  constexpr std::chrono::milliseconds kLong{200};
  std::atomic<std::size_t> ready{0};
  std::vector<double> rates(threads, 0);
  const auto measure = [&](std::size_t index) {
    auto work = make(index);
    work();
    ++ready;
    while (ready < threads) std::this_thread::yield();
    const Clock::time_point begin = Clock::now();
    int done = 0;
    while (Clock::now() - begin < kLong) {
      work();
      ++done;
    }
    rates[index] = done / std::chrono::duration<double>(Clock::now() - begin).count();
  };
  std::vector<std::jthread> running;
  try {
    for (std::size_t index = 0; index < threads; ++index) running.emplace_back(measure, index);
  } catch (...) {
    ready = threads;  // those that run wait for nobody who does not come
    throw;
  }
  running.clear();
  return rates;
}

// A product, or a copy of a MiB, as threads of a job do them.
using Work = std::function<void()>;

std::function<Work(std::size_t)> product_or_copy(const Stop& stop, std::size_t copies) {
  return [&stop, copies](std::size_t index) -> Work {
    if (index >= copies) {
      auto products = std::make_shared<Products>();
      return [products, &stop] { products->perform(kProductFlops, stop); };
    }
    constexpr std::size_t kBytes = 1 << 20U;
    auto from = std::make_shared<std::vector<char>>(kBytes, 'a');
    auto to = std::make_shared<std::vector<char>>(kBytes, 'b');
    return [from, to] { std::copy(from->begin(), from->end(), to->begin()); };
  };
}

void measure_contention(Machine& machine, const Stop& stop) {
  const auto cores = static_cast<std::size_t>(std::max(machine.cores, 1));
  const double alone = rates_together(1, product_or_copy(stop, 0))[0];
  const double copy_alone = rates_together(1, product_or_copy(stop, 1))[0];
  double together = 0;
  for (const double rate : rates_together(cores, product_or_copy(stop, 0))) together += rate;
  machine.effective_cores = together / alone;
  const std::vector<double> mixed = rates_together(2, product_or_copy(stop, 1));
  constexpr double kMost = 0.99;
  machine.comm_loss = std::clamp(1 - mixed[0] / copy_alone, 0.0, kMost);
  machine.compute_loss = std::clamp(1 - mixed[1] / alone, 0.0, kMost);
}

}  // namespace

void measure_compute(Machine& machine, int rounds) {
  const Stop stop;
  Products products;
  std::vector<Sample> samples;
  for (const double count : {0.25, 1.0, 4.0, 16.0, 64.0}) {
    const double flops = count * kProductFlops;
    seconds_of(products, flops, stop);
    for (int round = 0; round < rounds; ++round) {
      samples.push_back({flops, seconds_of(products, flops, stop)});
    }
  }
  machine.product = fit_line(samples);
  judge_noise(machine, products, rounds, stop);
  measure_contention(machine, stop);
}

}  // namespace steptwin::hw
