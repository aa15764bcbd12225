#include "hw/calibrate/links.h"

#include <algorithm>
#include <array>
#include <vector>

#include "hw/calibrate/chain.h"
#include "hw/calibrate/fit.h"
#include "hw/executor.h"
#include "hw/host/clock.h"

namespace steptwin::hw {
namespace {

constexpr double kSecond = 1e-9;
constexpr std::array<Bytes, 6> kSizes = {64, 64 << 10U, 256 << 10U, 1 << 20U, 4 << 20U, 16 << 20U};

// Long enough that threads sleep meanwhile, as they do behind a kernel of a training step.
constexpr TimeNs kCompute = 2'000'000;

template <typename MakeChain>
MachineFit fit_of(MakeChain&& make, int rounds) {
  constexpr int kHops = 8;
  std::vector<Sample> samples;
  for (const Bytes bytes : kSizes) {
    for (const Trace& trace : traces_of(make(kHops, kCompute, bytes), rounds)) {
      for (const double seconds : handovers(trace)) {
        samples.push_back({static_cast<double>(bytes), seconds});
      }
    }
  }
  return fit_line(samples);
}

MachineFit copy_fit(int rounds) {
  std::vector<Sample> samples;
  for (const Bytes bytes : kSizes) {
    std::vector<std::byte> from(static_cast<std::size_t>(bytes), std::byte{1});
    std::vector<std::byte> to(from.size());
    for (int round = 0; round <= rounds; ++round) {
      const TimeNs begin = host_now_ns();
      std::copy(from.begin(), from.end(), to.begin());
      const TimeNs took = std::max<TimeNs>(host_now_ns() - begin, 1);
      if (round > 0) {
        samples.push_back({static_cast<double>(bytes), static_cast<double>(took) * kSecond});
      }
    }
  }
  return fit_line(samples);
}

MachineFigure lateness_of(int rounds) {
  constexpr int kHops = 8;
  std::vector<double> late;
  for (const Trace& trace : traces_of(transfer_chain(kHops, kCompute, 64), rounds)) {
    for (const TraceKernel& kernel : trace.kernels) {
      if (kernel.kind != KernelKind::compute) continue;
      const TimeNs took = kernel.times.end_ns - kernel.times.start_ns;
      late.push_back(static_cast<double>(took - kCompute) * kSecond);
    }
  }
  return figure_of(std::move(late));
}

}  // namespace

void measure_links(Machine& machine, int rounds) {
  machine.transfer = fit_of(transfer_chain, rounds);
  machine.collective = fit_of(collective_chain, rounds);
  machine.copy = copy_fit(4 * rounds);
  machine.lateness = lateness_of(2 * rounds);
}

}  // namespace steptwin::hw
