#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <sstream>
#include <tuple>

#include "reports/activations.h"
#include "reports/metrics.h"
#include "reports/summary_json.h"
#include "reports/timeline_text.h"
#include "reports/trace_csv.h"
#include "tests/reports/random_trace.h"

namespace steptwin::reports {
namespace {

constexpr std::uint64_t kSeed = 7001;
constexpr int kRounds = 2000;

bool is_busy(const Trace& trace, std::int32_t rank, TimeNs instant, auto&& counts) {
  return std::any_of(trace.kernels.begin(), trace.kernels.end(), [&](const TraceKernel& kernel) {
    const Interval interval = occupied(kernel);
    return kernel.rank == rank && counts(kernel) && interval.begin_ns <= instant &&
           instant < interval.end_ns;
  });
}

// Whether any communication kernel, or any part of one that has several, moves bytes.
bool transfers(const Trace& trace, std::int32_t rank, TimeNs t) {
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.rank != rank || !is_communication(kernel.kind)) continue;
    const bool whole = kernel.first_part < 0;
    if (whole && kernel.times.start_ns <= t && t < kernel.times.end_ns) return true;
    for (const TracePart& part : parts_of(trace, kernel)) {
      if (part.start_ns <= t && t < part.end_ns) return true;
    }
  }
  return false;
}

TEST_CASE("occupancy agrees with looking at every nanosecond") {
  std::mt19937_64 random(kSeed);
  CAPTURE(kSeed);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const Trace trace = random_trace(random);
    const Metrics metrics = compute_metrics(trace);
    for (const RankMetrics& rank : metrics.ranks) {
      OccupancyTimes counted;
      for (TimeNs t = metrics.window.begin_ns; t < metrics.window.end_ns; ++t) {
        const bool compute = is_busy(trace, rank.rank, t, [](const TraceKernel& kernel) {
          return kernel.kind == KernelKind::compute;
        });
        const bool communication = is_busy(trace, rank.rank, t, [](const TraceKernel& kernel) {
          return is_communication(kernel.kind);
        });
        const bool copy = is_busy(trace, rank.rank, t, [](const TraceKernel& kernel) {
          return kernel.kind == KernelKind::copy;
        });
        counted.compute_ns += compute;
        counted.communication_ns += communication;
        counted.overlapped_ns += compute && communication;
        counted.exposed_comm_ns += communication && !compute;
        counted.exposed_copy_ns += copy && !compute && !communication;
        const bool transfer = communication && !compute && transfers(trace, rank.rank, t);
        counted.exposed_transfer_ns += transfer;
        counted.exposed_wait_ns += communication && !compute && !transfer;
        counted.idle_ns += !compute && !communication && !copy;
      }
      REQUIRE(rank.times.compute_ns == counted.compute_ns);
      REQUIRE(rank.times.communication_ns == counted.communication_ns);
      REQUIRE(rank.times.overlapped_ns == counted.overlapped_ns);
      REQUIRE(rank.times.exposed_comm_ns == counted.exposed_comm_ns);
      REQUIRE(rank.times.exposed_transfer_ns == counted.exposed_transfer_ns);
      REQUIRE(rank.times.exposed_wait_ns == counted.exposed_wait_ns);
      REQUIRE(rank.times.exposed_copy_ns == counted.exposed_copy_ns);
      REQUIRE(rank.times.idle_ns == counted.idle_ns);
    }
  }
}

TEST_CASE("the identity, the causes and the phases add up on any trace") {
  std::mt19937_64 random(kSeed);
  CAPTURE(kSeed);
  for (int round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    const Metrics metrics = compute_metrics(random_trace(random));
    REQUIRE(broken_identity(metrics) == "");
    GapTimes all;
    for (const RankMetrics& rank : metrics.ranks) {
      const PhaseGaps& phases = rank.phases;
      REQUIRE(phases.warmup_ns + phases.steady_ns + phases.drain_ns ==
              metrics.step_time_ns - rank.times.compute_ns);
      REQUIRE(rank.times.exposed_wait_ns + rank.times.exposed_transfer_ns ==
              rank.times.exposed_comm_ns);
      REQUIRE(rank.times.exposed_collective_ns <= rank.times.exposed_comm_ns);
      for (const TimeNs time : rank.gap_by_cause.by_cause_ns) REQUIRE(time >= 0);
      const GapTimes& gaps = rank.gap_by_cause;
      REQUIRE(gaps.in_collective_ns >= 0);
      REQUIRE(gaps.in_collective_ns <= gaps.of(GapCause::transfer));
      REQUIRE(gaps.in_rendezvous_ns + gaps.behind_p2p_ns <= gaps.of(GapCause::order));
      REQUIRE(rank.in_flight_input_max <= rank.in_flight_max);
      for (const GapCause cause : kGapCauses) all.of(cause) += rank.gap_by_cause.of(cause);
    }
    REQUIRE(all.by_cause_ns == metrics.gap_by_cause.by_cause_ns);
  }
}

TEST_CASE("counts over time agree with counting at every nanosecond") {
  std::mt19937_64 random(kSeed);
  CAPTURE(kSeed);
  std::uniform_int_distribution<TimeNs> instant(0, 40);
  for (int round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    std::vector<Interval> intervals;
    for (TimeNs count = instant(random) / 4; count > 0; --count) {
      intervals.push_back({instant(random), instant(random)});
    }
    std::int64_t most = 0;
    for (TimeNs t = 0; t < 40; ++t) {
      most = std::max<std::int64_t>(
          most, std::count_if(intervals.begin(), intervals.end(), [t](const Interval& interval) {
            return interval.begin_ns <= t && t < interval.end_ns;
          }));
    }
    REQUIRE(most_at_once(intervals) == most);
    const std::vector<CountChange> changes = count_over_time(intervals);
    REQUIRE((changes.empty() || changes.back().count == 0));
  }
}

// Everything a trace.csv and host.csv tell, with names for numbers.
auto told(const Trace& trace, const TraceKernel& kernel) {
  const TraceRank& rank = trace.ranks[static_cast<std::size_t>(kernel.rank)];
  return std::tuple(
      kernel.kernel, kernel.rank, rank.threads.at(static_cast<std::size_t>(kernel.thread)),
      rank.streams.at(static_cast<std::size_t>(kernel.stream)), kernel.kind, kernel.part,
      kernel.direction, kernel.step, kernel.stage, kernel.micro, kernel.layer, kernel.peers,
      kernel.bytes, kernel.times.enqueue_ns, kernel.times.ready_ns, kernel.times.start_ns,
      kernel.times.end_ns, kernel.first_part);
}
auto told(const Trace& trace, const HostRecord& record) {
  const TraceRank& rank = trace.ranks[static_cast<std::size_t>(record.rank)];
  return std::tuple(record.rank, rank.threads.at(static_cast<std::size_t>(record.thread)),
                    record.command, record.role, record.hook, record.layer, record.kernel,
                    record.begin_ns, record.end_ns);
}

TEST_CASE("a trace comes back from its CSV files") {
  std::mt19937_64 random(kSeed);
  CAPTURE(kSeed);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    Trace trace = random_trace(random);
    trace.ranks[0].streams[2] = "a \"quoted\", odd name";
    std::ostringstream kernels;
    std::ostringstream host;
    write_trace_csv(trace, kernels);
    write_host_csv(trace, host);
    const std::string kernel_text = kernels.str();
    const std::string host_text = host.str();
    const Trace back = parse_trace_csv({"trace.csv", kernel_text}, {"host.csv", host_text});
    REQUIRE(back.kernels.size() == trace.kernels.size());
    REQUIRE(back.host.size() == trace.host.size());
    REQUIRE(back.parts == trace.parts);
    if (back.ranks.size() == trace.ranks.size()) {  // a rank without kernels is not in the files
      REQUIRE(summary_json(compute_metrics(back)) == summary_json(compute_metrics(trace)));
    }
    for (std::size_t kernel = 0; kernel < trace.kernels.size(); ++kernel) {
      REQUIRE(told(back, back.kernels[kernel]) == told(trace, trace.kernels[kernel]));
    }
    for (std::size_t record = 0; record < trace.host.size(); ++record) {
      REQUIRE(told(back, back.host[record]) == told(trace, trace.host[record]));
    }
  }
}

TEST_CASE("a timeline has its width, whatever the trace") {
  std::mt19937_64 random(kSeed);
  CAPTURE(kSeed);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const Trace trace = random_trace(random);
    std::istringstream lines(timeline_text(trace, {false, true, 60, true, 32}));
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) {
      ++count;
      REQUIRE(line.size() <= 60);
    }
    // Below the ranks an axis, the directions that occur, and two lines for the second rows.
    const bool computes =
        std::any_of(trace.kernels.begin(), trace.kernels.end(),
                    [](const TraceKernel& kernel) { return kernel.kind == KernelKind::compute; });
    REQUIRE(count == 2 * static_cast<int>(trace.ranks.size()) + 3 + (computes ? 1 : 0));
  }
}

}  // namespace
}  // namespace steptwin::reports
