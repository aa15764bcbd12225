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
    }
  }
  double of(TimeNs part) const { return ratio_of(part, whole_ns).value_or(0); }

  TimeNs whole_ns;
  TimeNs steady_ns = 0;
  TimeNs outside_ns = 0;
};

// "a", "a, or b", "a, b, or c"
std::string either(const std::vector<std::string>& choices) {
  std::string text;
  for (std::size_t index = 0; index < choices.size(); ++index) {
    if (index > 0) text += index + 1 == choices.size() ? ", or " : ", ";
    text += choices[index];
  }
  return text;
}

void hint_on_dependency(const Metrics& metrics, const SettingsOn& on, const Shares& shares,
                        std::vector<Hint>& hints) {
  const double share = shares.of(metrics.gap_by_cause.of(GapCause::dependency) +
                                 metrics.gap_by_cause.of(GapCause::end));
  if (shares.outside_ns >= shares.steady_ns) {
    std::vector<std::string> choices = {
        fmt::format("more micro-batches (there are {})", metrics.micro_batches)};
    if (!on.interleaved) choices.emplace_back("interleaved chunks");
    if (!on.zero_bubble) choices.emplace_back("a zero-bubble schedule");
    hints.push_back({share, "fill and drain: " + either(choices)});
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

void hint_on_collectives(const Metrics& metrics, const SettingsOn& on, const Shares& shares,
                         std::vector<Hint>& hints) {
  std::string keys;
  if (!on.overlap) keys = "pipeline.overlap = \"b_f\"";
  if (on.sequential_overlap) keys = "overlap.execution = \"threads\"";
  if (!on.hooks) keys += fmt::format("{}overlap.hooks = true", keys.empty() ? "" : ", ");
  hints.push_back(
      {shares.of(metrics.gap_by_cause.in_collective_ns),
       keys.empty()
           ? "exposed dispatch and combine, though overlapped: more micro-batches, which are "
             "overlapped longer, fewer bytes, or a faster link"
           : fmt::format("exposed dispatch and combine: overlap them with the other direction's "
                         "compute ({})",
                         keys)});
}

void hint_on_transfers(const Metrics& metrics, const SettingsOn& on, const Shares& shares,
                       std::vector<Hint>& hints) {
  const GapTimes& gaps = metrics.gap_by_cause;
  hints.push_back(
      {shares.of(gaps.of(GapCause::transfer) - gaps.in_collective_ns - gaps.in_gathering_ns -
                 gaps.in_copy_ns),
       fmt::format("exposed transfers: {}send less, or put neighbours on a faster link",
                   on.overlap_p2p ? "" : "overlap them (pipeline.overlap_p2p = true), ")});
}

void hint_on_residency(const Metrics& metrics, const Shares& shares, std::vector<Hint>& hints) {
  const GapTimes& gaps = metrics.gap_by_cause;
  hints.push_back({shares.of(gaps.in_gathering_ns),
                   "compute waits for sharded parameters: gather them on a stream of their own "
                   "(streams.preset = \"per_group\"), or keep more stages (parallel.fsdp_window)"});
  hints.push_back({shares.of(gaps.in_copy_ns),
                   "compute waits for copies to or from the host: offload less "
                   "(parallel.offload_min_gap), or copy faster (network.device_host)"});
}

// Late receives come last: on one queue two ranks may then each wait for the other's.
std::string streams_apart(std::string_view preset, const SettingsOn& on) {
  return fmt::format(
      "(streams.preset = \"{}\"){}", preset,
      on.late_receives ? ""
                       : "; or post receives late (pipeline.recv_placement = \"late\"), which can "
                         "hang where transfers share a stream: steptwin check tells");
}

void hint_on_order(const Metrics& metrics, const SettingsOn& on, const Shares& shares,
                   std::vector<Hint>& hints) {
  const GapTimes& gaps = metrics.gap_by_cause;
  hints.push_back({shares.of(gaps.in_rendezvous_ns),
                   "the threads of an overlap wait for each other at its hooks: let it pair "
                   "stages with the same layers"});
  const TimeNs queued_ns = gaps.of(GapCause::order) - gaps.in_rendezvous_ns;
  const double share = shares.of(queued_ns);
  if (gaps.behind_p2p_ns * 2 > queued_ns) {
    hints.push_back({share, "collectives queue behind transfers: give them a stream of their own " +
                                streams_apart("per_group", on)});
    return;
  }
  if (metrics.transfers_share_streams) {
    hints.push_back({share,
                     "values are there but queue: give each neighbour and direction a "
                     "stream " +
                         streams_apart("per_edge", on)});
    return;
  }
  std::vector<std::string> choices;
  if (on.overlap && !on.sequential_overlap && !on.hooks) {
    choices.emplace_back("let the threads of the overlap take turns (overlap.hooks = true)");
  }
  if (!on.order_by_data) {
    choices.emplace_back("let a transfer wait for its own data only (comm.order = \"data\")");
  }
  if (choices.empty()) return;
  hints.push_back({share, "values are there but wait behind other compute: " + either(choices)});
}

}  // namespace

std::vector<std::string> advice(const Metrics& metrics, const SettingsOn& on, std::size_t most) {
  const Shares shares(metrics);
  std::vector<Hint> hints;
  hint_on_dependency(metrics, on, shares, hints);
  hint_on_balance(metrics, hints);
  hint_on_collectives(metrics, on, shares, hints);
  hint_on_residency(metrics, shares, hints);
  hint_on_transfers(metrics, on, shares, hints);
  hint_on_order(metrics, on, shares, hints);
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
