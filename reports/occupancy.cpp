#include "reports/occupancy.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace steptwin::reports {
namespace {

// A compute kernel that is wholly under communication or wholly alone, near enough.
struct Sample {
  std::int32_t stage;
  Part part;
  Direction direction;
  bool is_overlapped;
  TimeNs duration_ns;

  auto group() const { return std::tuple(stage, part, direction); }
};

std::vector<Sample> samples_of(const TraceIndex& index, std::int32_t rank,
                               const IntervalSet& communication) {
  std::vector<Sample> samples;
  for (const std::size_t position : index.kernels_of_rank(rank)) {
    const TraceKernel& kernel = index.kernel(position);
    const Interval interval = occupied(kernel);
    if (kernel.kind != KernelKind::compute || interval.length_ns() == 0) continue;
    const TimeNs covered = communication.measure_within_ns(interval);
    const bool is_overlapped = covered > interval.length_ns() - covered;
    if (covered > 0 && !is_overlapped) continue;
    samples.push_back(
        {kernel.stage, kernel.part, kernel.direction, is_overlapped, interval.length_ns()});
  }
  return samples;
}

// Between two of a kernel's parts no bytes may move.
void add_transfers(const Trace& trace, const TraceKernel& kernel, std::vector<Interval>& into) {
  if (kernel.first_part < 0) into.push_back({kernel.times.start_ns, kernel.times.end_ns});
  for (const TracePart& part : parts_of(trace, kernel)) {
    into.push_back({part.start_ns, part.end_ns});
  }
}

}  // namespace

std::optional<double> Dilation::ratio() const {
  if (alone_ns <= 0) return std::nullopt;
  return overlapped_ns / alone_ns;
}

Occupancy occupancy_of(const TraceIndex& index, std::int32_t rank) {
  std::vector<Interval> compute;
  std::vector<Interval> communication;
  std::vector<Interval> transfer;
  std::vector<Interval> collective;
  std::vector<Interval> copies;
  for (const std::size_t position : index.kernels_of_rank(rank)) {
    const TraceKernel& kernel = index.kernel(position);
    const Interval interval = occupied(kernel);
    if (kernel.kind == KernelKind::compute) {
      compute.push_back(interval);
    } else if (kernel.kind == KernelKind::copy) {
      copies.push_back(interval);
    } else {
      communication.push_back(interval);
      add_transfers(index.trace(), kernel, transfer);
      if (is_collective(kernel.kind)) collective.push_back(interval);
    }
  }
  return {IntervalSet(std::move(compute)), IntervalSet(std::move(communication)),
          IntervalSet(std::move(transfer)), IntervalSet(std::move(collective)),
          IntervalSet(std::move(copies))};
}

OccupancyTimes times_of(const Occupancy& occupancy, Interval window) {
  const IntervalSet exposed = subtracted(occupancy.communication, occupancy.compute);
  const IntervalSet busy = united(occupancy.compute, occupancy.communication);
  const IntervalSet active = united(busy, occupancy.copies);
  OccupancyTimes times;
  times.compute_ns = occupancy.compute.measure_ns();
  times.communication_ns = occupancy.communication.measure_ns();
  times.overlapped_ns = intersected(occupancy.communication, occupancy.compute).measure_ns();
  times.exposed_comm_ns = exposed.measure_ns();
  times.exposed_transfer_ns = intersected(exposed, occupancy.transfer).measure_ns();
  times.exposed_wait_ns = subtracted(exposed, occupancy.transfer).measure_ns();
  times.exposed_collective_ns = intersected(exposed, occupancy.collective).measure_ns();
  times.exposed_copy_ns = subtracted(occupancy.copies, busy).measure_ns();
  times.idle_ns = subtracted(IntervalSet({window}), active).measure_ns();
  return times;
}

Dilation dilation_of(const TraceIndex& index, std::int32_t rank, const IntervalSet& communication) {
  std::vector<Sample> samples = samples_of(index, rank, communication);
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& left, const Sample& right) {
    return left.group() < right.group();
  });
  Dilation dilation;
  for (std::size_t first = 0, last = 0; first < samples.size(); first = last) {
    TimeNs alone_ns = 0;
    TimeNs overlapped_ns = 0;
    std::int64_t alone = 0;
    std::int64_t overlapped = 0;
    for (; last < samples.size() && samples[last].group() == samples[first].group(); ++last) {
      const Sample& sample = samples[last];
      (sample.is_overlapped ? overlapped_ns : alone_ns) += sample.duration_ns;
      ++(sample.is_overlapped ? overlapped : alone);
    }
    if (alone == 0 || overlapped == 0) continue;
    dilation.overlapped_ns += static_cast<double>(overlapped_ns);
    dilation.alone_ns += static_cast<double>(alone_ns) * static_cast<double>(overlapped) /
                         static_cast<double>(alone);
  }
  return dilation;
}

std::optional<double> ratio_of(TimeNs part, TimeNs whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace steptwin::reports
