#include "reports/metrics.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "model/error.h"
#include "reports/activations.h"
#include "reports/latency.h"
#include "reports/trace_index.h"

namespace steptwin::reports {
namespace {

void add_in_flight(const std::vector<ActivationLife>& lives, RankMetrics& metrics) {
  std::vector<Interval> intervals;
  intervals.reserve(lives.size());
  for (const ActivationLife& life : lives) intervals.push_back(life.whole);
  metrics.in_flight_max = most_at_once(intervals);
  intervals.clear();
  for (const ActivationLife& life : lives) intervals.push_back(life.until_input);
  metrics.in_flight_input_max = most_at_once(intervals);
}

// From its arrival to its end, while nothing of it transfers.
TimeNs waited_ns(const Trace& trace, const TraceKernel& kernel) {
  if (kernel.first_part < 0) return kernel.times.start_ns - kernel.times.ready_ns;
  return occupied(kernel).length_ns() - working(trace, kernel).measure_ns();
}

void add_waits(const TraceIndex& index, RankMetrics& metrics) {
  for (const std::size_t position : index.kernels_of_rank(metrics.rank)) {
    const TraceKernel& kernel = index.kernel(position);
    if (!is_communication(kernel.kind)) continue;
    const TimeNs waited = waited_ns(index.trace(), kernel);
    if (kernel.kind == KernelKind::p2p) metrics.p2p_wait_ns += waited;
    if (is_collective(kernel.kind)) metrics.collective_wait_ns += waited;
  }
}

bool transfers_share_streams(const Trace& trace) {
  using Edge = std::pair<std::vector<std::int32_t>, bool>;      // peers, and whether it sends
  std::map<std::pair<std::int32_t, std::int32_t>, Edge> first;  // of a stream of a rank
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.kind != KernelKind::p2p) continue;
    const bool sends = kernel.step == StepType::fwd_send || kernel.step == StepType::bwd_send;
    const Edge edge{kernel.peers, sends};
    if (first.try_emplace({kernel.rank, kernel.stream}, edge).first->second != edge) return true;
  }
  return false;
}

// A figure adds up what is at most T for every rank, or for every kernel of one.
void refuse_overflow(const TraceIndex& index) {
  auto summands = static_cast<std::size_t>(index.ranks());
  for (std::int32_t rank = 0; rank < index.ranks(); ++rank) {
    summands = std::max(summands, index.kernels_of_rank(rank).size());
  }
  const TimeNs step_time = index.window().length_ns();
  constexpr TimeNs kMost = std::numeric_limits<TimeNs>::max();
  if (summands == 0 || step_time <= kMost / static_cast<TimeNs>(summands)) return;
  throw Error(fmt::format("the step takes {}: its figures add up {} times that, which is more than "
                          "292 years",
                          duration_text(step_time), summands),
              "shorter durations");
}

// Sums over ranks that job figures are ratios of.
struct JobSums {
  TimeNs compute_ns = 0;
  TimeNs most_compute_ns = 0;
  TimeNs longest_span_ns = 0;
  TimeNs communication_ns = 0;
  TimeNs overlapped_ns = 0;
  Dilation dilation;
};

void add_job_figures(const JobSums& sums, Metrics& metrics) {
  const auto ranks = static_cast<TimeNs>(metrics.ranks.size());
  const TimeNs all_time_ns = metrics.step_time_ns * ranks;
  metrics.bubble_ratio = ratio_of(all_time_ns - sums.compute_ns, all_time_ns);
  for (const RankMetrics& rank : metrics.ranks) {
    metrics.bubble_ratio_max = std::max(metrics.bubble_ratio_max, rank.bubble_ratio);
    metrics.gap_by_cause.add(rank.gap_by_cause);
  }
  metrics.bubble_ratio_span =
      ratio_of(sums.longest_span_ns - sums.most_compute_ns, sums.longest_span_ns);
  metrics.bubble_over_ideal =
      ratio_of(metrics.step_time_ns - sums.most_compute_ns, sums.most_compute_ns);
  metrics.overlap_ratio = ratio_of(sums.overlapped_ns, sums.communication_ns);
  metrics.compute_dilation = sums.dilation.ratio();
  metrics.stage_balance = ratio_of(sums.most_compute_ns * ranks, sums.compute_ns);
}

RankMetrics rank_metrics(const TraceIndex& index, std::int32_t rank, JobSums& sums) {
  const Occupancy occupancy = occupancy_of(index, rank);
  const TimeNs window_ns = index.window().length_ns();
  RankMetrics metrics;
  metrics.rank = rank;
  metrics.times = times_of(occupancy, index.window());
  metrics.bubble_ratio = ratio_of(window_ns - metrics.times.compute_ns, window_ns);
  metrics.overlap_ratio = ratio_of(metrics.times.overlapped_ns, metrics.times.communication_ns);
  const Dilation dilation = dilation_of(index, rank, occupancy.communication);
  metrics.compute_dilation = dilation.ratio();
  metrics.compute_span_ns = compute_span_ns(occupancy.compute);
  const IntervalSet gaps = subtracted(IntervalSet({index.window()}), occupancy.compute);
  metrics.phases = phase_gaps_of(index, rank, gaps);
  add_waits(index, metrics);

  sums.compute_ns += metrics.times.compute_ns;
  sums.most_compute_ns = std::max(sums.most_compute_ns, metrics.times.compute_ns);
  sums.longest_span_ns = std::max(sums.longest_span_ns, metrics.compute_span_ns);
  sums.communication_ns += metrics.times.communication_ns;
  sums.overlapped_ns += metrics.times.overlapped_ns;
  sums.dilation.overlapped_ns += dilation.overlapped_ns;
  sums.dilation.alone_ns += dilation.alone_ns;
  return metrics;
}

}  // namespace

Metrics compute_metrics(const Trace& trace) {
  const TraceIndex index(trace);
  const GapCauses gap_causes(index);
  const std::vector<std::vector<ActivationLife>> lives = activation_lives(index);
  const std::vector<RendezvousTimes> rendezvous = rendezvous_times(trace);
  const std::vector<std::optional<MemoryPeak>> memory = memory_peaks(trace);
  Metrics metrics;
  metrics.window = index.window();
  metrics.from_release = trace.begin_ns.has_value();
  metrics.step_time_ns = metrics.window.length_ns();
  refuse_overflow(index);
  metrics.kernels = static_cast<std::int64_t>(trace.kernels.size());
  for (const TraceKernel& kernel : trace.kernels) {
    metrics.micro_batches = std::max(metrics.micro_batches, kernel.micro + 1);
  }
  JobSums sums;
  for (std::int32_t rank = 0; rank < index.ranks(); ++rank) {
    const auto position = static_cast<std::size_t>(rank);
    RankMetrics figures = rank_metrics(index, rank, sums);
    figures.gap_by_cause = gap_causes.of_rank(rank);
    if (!trace.host.empty()) figures.rendezvous = rendezvous[position];
    add_in_flight(lives[position], figures);
    figures.memory = memory[position];
    metrics.ranks.push_back(figures);
  }
  add_job_figures(sums, metrics);
  metrics.transfers_share_streams = transfers_share_streams(trace);
  const std::vector<TimeNs> latencies = micro_batch_latencies(index);
  metrics.latency_p50_ns = percentile(latencies, 50);
  metrics.latency_p99_ns = percentile(latencies, 99);
  return metrics;
}

std::string broken_identity(const Metrics& metrics) {
  for (const RankMetrics& rank : metrics.ranks) {
    const OccupancyTimes& times = rank.times;
    const TimeNs sum =
        times.compute_ns + times.exposed_comm_ns + times.exposed_copy_ns + times.idle_ns;
    if (sum != metrics.step_time_ns) {
      return fmt::format(
          "rank {}: compute, exposed communication, exposed copies and idle add up "
          "to {} ns, the window to {} ns",
          rank.rank, sum, metrics.step_time_ns);
    }
    const TimeNs gaps = metrics.step_time_ns - times.compute_ns;
    if (rank.gap_by_cause.sum_ns() != gaps) {
      return fmt::format("rank {}: the causes of gaps add up to {} ns, the gaps to {} ns",
                         rank.rank, rank.gap_by_cause.sum_ns(), gaps);
    }
  }
  return "";
}

}  // namespace steptwin::reports
