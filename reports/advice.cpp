#include "reports/advice.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace steptwin::reports {
namespace {

constexpr double kWorthSaying = 0.01;  // of the ranks' time
constexpr double kUnbalanced = 1.05;   // most compute of a rank over the mean
constexpr double kPercent = 100.0;

struct Hint {
  double share = 0;  // of the ranks' time that it is about
  std::string text;
};

// Sums over ranks as shares of T * ranks.
struct Shares {
  explicit Shares(const Metrics& metrics)
      : whole_ns(metrics.step_time_ns * static_cast<TimeNs>(metrics.ranks.size())) {
    for (const RankMetrics& rank : metrics.ranks) {
      steady_ns += rank.phases.steady_ns;
      outside_ns += rank.phases.warmup_ns + rank.phases.drain_ns;
      exposed_ns += rank.times.exposed_comm_ns;
      collective_ns += rank.times.exposed_collective_ns;
    }
  }
  double of(TimeNs part) const { return ratio_of(part, whole_ns).value_or(0); }

  TimeNs whole_ns;
  TimeNs steady_ns = 0;
  TimeNs outside_ns = 0;
  TimeNs exposed_ns = 0;
  TimeNs collective_ns = 0;
};

void hint_on_dependency(const Metrics& metrics, const Shares& shares, std::vector<Hint>& hints) {
  const double share = shares.of(metrics.gap_by_cause.of(GapCause::dependency) +
                                 metrics.gap_by_cause.of(GapCause::end));
  if (shares.outside_ns >= shares.steady_ns) {
    hints.push_back({share, fmt::format("fill and drain: more micro-batches (there are {}), "
                                        "interleaved chunks, or a zero-bubble schedule",
                                        metrics.micro_batches)});
  } else {
    hints.push_back({share,
                     "stages wait for each other in the steady phase: even out their times, or "
                     "let more micro-batches into flight"});
  }
}

void hint_on_balance(const Metrics& metrics, std::vector<Hint>& hints) {
  const double balance = metrics.stage_balance.value_or(1);
  if (balance <= kUnbalanced) return;
  const double share = (balance - 1) * (1 - metrics.bubble_ratio.value_or(0));
  hints.push_back({share, fmt::format("balance: the busiest rank computes {:.0f} % more than the "
                                      "mean; move layers off it",
                                      (balance - 1) * kPercent)});
}

void hint_on_transfer(const Metrics& metrics, const Shares& shares, std::vector<Hint>& hints) {
  const double share = shares.of(metrics.gap_by_cause.of(GapCause::transfer));
  if (shares.collective_ns * 2 > shares.exposed_ns) {
    hints.push_back({share,
                     "exposed dispatch and combine: overlap them with the other direction's "
                     "compute (pipeline.overlap = \"b_f\", overlap.hooks = true)"});
  } else {
    hints.push_back({share,
                     "exposed transfers: overlap them (pipeline.overlap_p2p = true), send less, "
                     "or put neighbours on a faster link"});
  }
}

// Late receives come last: on one queue two ranks may then each wait for the other's.
void hint_on_order(const Metrics& metrics, const Shares& shares, std::vector<Hint>& hints) {
  constexpr std::string_view kLate =
      "; or post receives late (pipeline.recv_placement = \"late\"), which can hang where "
      "transfers "
      "share a stream: steptwin check tells";
  const GapTimes& gaps = metrics.gap_by_cause;
  hints.push_back({shares.of(gaps.in_rendezvous_ns),
                   "the threads of an overlap wait for each other at its hooks: let it pair "
                   "stages with the same layers"});
  const TimeNs queued_ns = gaps.of(GapCause::order) - gaps.in_rendezvous_ns;
  const double share = shares.of(queued_ns);
  if (gaps.behind_p2p_ns * 2 > queued_ns) {
    hints.push_back({share, fmt::format("collectives queue behind transfers: give them a stream "
                                        "of their own (streams.preset = \"per_group\"){}",
                                        kLate)});
  } else if (metrics.transfers_share_streams) {
    hints.push_back({share, fmt::format("values are there but queue: give each neighbour and "
                                        "direction a stream (streams.preset = \"per_edge\"){}",
                                        kLate)});
  } else {
    hints.push_back({share,
                     "values are there but wait behind other compute: let a transfer wait for its "
                     "own data only (comm.order = \"data\")"});
  }
}

}  // namespace

std::vector<std::string> advice(const Metrics& metrics, std::size_t most) {
  const Shares shares(metrics);
  std::vector<Hint> hints;
  hint_on_dependency(metrics, shares, hints);
  hint_on_balance(metrics, hints);
  hint_on_transfer(metrics, shares, hints);
  hint_on_order(metrics, shares, hints);
  hints.push_back({shares.of(metrics.gap_by_cause.of(GapCause::host)),
                   "the host launches too late: fewer and larger launches, or CUDA graphs"});
  std::stable_sort(hints.begin(), hints.end(),
                   [](const Hint& left, const Hint& right) { return left.share > right.share; });
  std::vector<std::string> texts;
  for (Hint& hint : hints) {
    if (hint.share < kWorthSaying || texts.size() == most) break;
    texts.push_back(std::move(hint.text));
  }
  return texts;
}

}  // namespace steptwin::reports
