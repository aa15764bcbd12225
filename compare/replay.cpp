#include "compare/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "compare/recorded_program.h"
#include "model/median.h"
#include "reports/import/pp_summary.h"
#include "reports/import/pp_trace.h"

namespace steptwin::compare {
namespace {

using reports::Interval;
using reports::PpDump;
using reports::PpIteration;
using reports::PpRank;

constexpr TimeNs kHopStep = 1000;

const std::vector<Interval>& spans_of(const PpRank& rank, bool is_forward) {
  return is_forward ? rank.forward : rank.backward;
}

// Of all iterations, by rank; forward, then backward.
using UsualDurations = std::vector<std::array<TimeNs, 2>>;

class Replaying {
 public:
  Replaying(const PpDump& dump, std::int32_t warmup) : recorded_(recorded_program(dump)) {
    for (auto at = static_cast<std::size_t>(warmup); at < dump.iterations.size(); ++at) {
      iterations_.push_back(dump.iterations[at]);
    }
  }

  void run(Replay& result) {
    result.measured_hop_ns = reports::measured_hop_ns(iterations_);
    result.measured_gap_ns = reports::measured_gap_ns(iterations_);
    result.fitted_hop_ns = fitted_hop();
    for (const PpIteration& iteration : iterations_) {
      ReplayedIteration replayed;
      replayed.number = iteration.number;
      replayed.measured_ns = step_time_ns(iteration);
      replayed.dependencies_ns = step_of(iteration, 0);
      replayed.explained_ns = step_of(iteration, result.measured_hop_ns.value_or(0),
                                      result.measured_gap_ns.value_or(0));
      replayed.fitted_ns = step_of(iteration, result.fitted_hop_ns);
      result.iterations.push_back(replayed);
    }
    find_slow(result);
  }

 private:
  TimeNs step_of(const PpIteration& iteration, TimeNs hop_ns, TimeNs gap_ns = 0) {
    set_durations(recorded_, iteration);
    set_hop(recorded_, hop_ns);
    set_gap(recorded_, gap_ns);
    return simulated_step_ns(recorded_);
  }

  bool is_long_enough(TimeNs hop_ns) {
    std::vector<double> errors;
    for (const PpIteration& iteration : iterations_) {
      const auto error = relative_error(step_of(iteration, hop_ns), step_time_ns(iteration));
      if (error) errors.push_back(*error);
    }
    return median(std::move(errors)).value_or(0) >= 0;
  }

  // In a run of several ranks each step has a hop there and one back, so the longest step time is
  // long enough.
  TimeNs fitted_hop() {
    if (recorded_.program.ranks.size() < 2 || is_long_enough(0)) return 0;
    TimeNs longest_ns = 0;
    for (const PpIteration& iteration : iterations_) {
      longest_ns = std::max(longest_ns, step_time_ns(iteration));
    }
    TimeNs short_steps = 0;
    TimeNs long_steps = longest_ns / kHopStep + 1;
    while (long_steps - short_steps > 1) {
      const TimeNs middle = short_steps + (long_steps - short_steps) / 2;
      (is_long_enough(middle * kHopStep) ? long_steps : short_steps) = middle;
    }
    return long_steps * kHopStep;
  }

  UsualDurations usual_durations() const {
    UsualDurations usual(iterations_.front().ranks.size());
    for (std::size_t rank = 0; rank < usual.size(); ++rank) {
      for (const bool is_forward : {true, false}) {
        std::vector<TimeNs> durations;
        for (const PpIteration& iteration : iterations_) {
          for (const Interval& span : spans_of(iteration.ranks[rank], is_forward)) {
            durations.push_back(span.length_ns());
          }
        }
        usual[rank][is_forward ? 0 : 1] = median(std::move(durations)).value_or(0);
      }
    }
    return usual;
  }

  void find_slow(Replay& result) {
    const UsualDurations usual = usual_durations();
    for (std::size_t at = 0; at < iterations_.size(); ++at) {
      ReplayedIteration& replayed = result.iterations[at];
      const std::size_t first = result.slow.size();
      list_slow(iterations_[at], usual, result.slow);
      if (result.slow.size() == first) continue;
      PpIteration all_usual = iterations_[at];
      for (std::size_t index = first; index < result.slow.size(); ++index) {
        SlowOperation& slow = result.slow[index];
        PpIteration as_usual = iterations_[at];
        make_usual(as_usual, slow);
        make_usual(all_usual, slow);
        slow.step_without_ns = step_of(as_usual, result.fitted_hop_ns);
        slow.cost_ns = replayed.fitted_ns - slow.step_without_ns;
      }
      replayed.slow_cost_ns = replayed.fitted_ns - step_of(all_usual, result.fitted_hop_ns);
    }
  }

  static void list_slow(const PpIteration& iteration, const UsualDurations& usual,
                        std::vector<SlowOperation>& slow) {
    for (std::size_t rank = 0; rank < usual.size(); ++rank) {
      for (const bool is_forward : {true, false}) {
        const std::vector<Interval>& spans = spans_of(iteration.ranks[rank], is_forward);
        const TimeNs usual_ns = usual[rank][is_forward ? 0 : 1];
        for (std::size_t micro = 0; micro < spans.size(); ++micro) {
          const TimeNs duration_ns = spans[micro].length_ns();
          if (duration_ns - usual_ns < (usual_ns + 1) / 2 || duration_ns == usual_ns) continue;
          slow.push_back({iteration.number, static_cast<std::int32_t>(rank),
                          static_cast<std::int32_t>(micro), is_forward, duration_ns, usual_ns, 0,
                          0});
        }
      }
    }
  }

  static void make_usual(PpIteration& iteration, const SlowOperation& slow) {
    PpRank& rank = iteration.ranks[static_cast<std::size_t>(slow.rank)];
    std::vector<Interval>& spans = slow.is_forward ? rank.forward : rank.backward;
    Interval& span = spans[static_cast<std::size_t>(slow.micro)];
    span.end_ns = span.begin_ns + slow.usual_ns;
  }

  RecordedProgram recorded_;
  std::vector<PpIteration> iterations_;
};

}  // namespace

Replay replay(const PpDump& dump, std::int32_t warmup) {
  reports::require_iterations(dump, warmup);
  Replay result;
  result.folder = dump.folder;
  result.ranks = dump.ranks;
  result.micro_batches = dump.micro_batches;
  result.warmup = warmup;
  Replaying(dump, warmup).run(result);
  return result;
}

std::optional<double> relative_error(TimeNs simulated_ns, TimeNs measured_ns) {
  if (measured_ns == 0) return std::nullopt;
  return static_cast<double>(simulated_ns - measured_ns) / static_cast<double>(measured_ns);
}

std::optional<double> median_error(const Replay& replay, ReplayedStep step) {
  std::vector<double> errors;
  for (const ReplayedIteration& iteration : replay.iterations) {
    const auto error = relative_error(iteration.*step, iteration.measured_ns);
    if (error) errors.push_back(*error);
  }
  return median(std::move(errors));
}

const ReplayedIteration* worst_iteration(const Replay& replay, ReplayedStep step) {
  const auto off = [step](const ReplayedIteration& iteration) {
    return std::abs(relative_error(iteration.*step, iteration.measured_ns).value_or(0));
  };
  const auto worst = std::max_element(
      replay.iterations.begin(), replay.iterations.end(),
      [&off](const auto& left, const auto& right) { return off(left) < off(right); });
  return worst == replay.iterations.end() ? nullptr : &*worst;
}

}  // namespace steptwin::compare
