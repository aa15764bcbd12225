#include "reports/gap_causes.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

namespace steptwin::reports {

std::string_view name_of(GapCause cause) {
  constexpr std::array<std::string_view, 5> kNames = {"dependency", "transfer", "order", "host",
                                                      "end"};
  return kNames[static_cast<std::size_t>(cause)];
}

TimeNs GapTimes::sum_ns() const {
  return std::accumulate(by_cause_ns.begin(), by_cause_ns.end(), TimeNs{0});
}

void GapTimes::add(const GapTimes& other) {
  for (const GapCause cause : kGapCauses) of(cause) += other.of(cause);
  in_collective_ns += other.in_collective_ns;
  in_gathering_ns += other.in_gathering_ns;
  in_copy_ns += other.in_copy_ns;
  in_rendezvous_ns += other.in_rendezvous_ns;
  behind_p2p_ns += other.behind_p2p_ns;
}

// What is left of a gap. Causes take it from the front; one that is over already takes nothing.
class GapCauses::Gap {
 public:
  Gap(Interval interval, GapTimes& times) : rest_(interval), times_(&times) {}

  void take(GapCause cause, TimeNs until) {
    const TimeNs cut = std::min(until, rest_.end_ns);
    if (cut <= rest_.begin_ns) return;
    times_->of(cause) += cut - rest_.begin_ns;
    rest_.begin_ns = cut;
  }

  void take_collective(TimeNs end) {
    const TimeNs before = times_->of(GapCause::transfer);
    take(GapCause::transfer, end);
    times_->in_collective_ns += times_->of(GapCause::transfer) - before;
  }

  // Up to the instant at which a kernel of a stream that transfers occupy at times is its head.
  void take_queued(const IntervalSet& p2p, TimeNs ready) {
    const TimeNs cut = std::min(ready, rest_.end_ns);
    if (cut <= rest_.begin_ns) return;
    times_->behind_p2p_ns += p2p.measure_within_ns({rest_.begin_ns, cut});
    take(GapCause::order, cut);
  }

  // Up to the start of a kernel that gatherings and copies may hold up.
  void take_held_up(const IntervalSet& gathered, const IntervalSet& copied, TimeNs start) {
    const TimeNs cut = std::min(start, rest_.end_ns);
    if (cut <= rest_.begin_ns) return;
    const Interval piece{rest_.begin_ns, cut};
    const TimeNs gathering_ns = gathered.measure_within_ns(piece);
    const TimeNs copy_ns = united(gathered, copied).measure_within_ns(piece) - gathering_ns;
    times_->in_gathering_ns += gathering_ns;
    times_->in_copy_ns += copy_ns;
    times_->of(GapCause::transfer) += gathering_ns + copy_ns;
    times_->of(GapCause::order) += piece.length_ns() - gathering_ns - copy_ns;
    rest_.begin_ns = cut;
  }

  // Up to the enqueuing of a kernel whose thread is held in a rendezvous at times.
  void take_unlaunched(const IntervalSet& held, TimeNs enqueue) {
    const TimeNs cut = std::min(enqueue, rest_.end_ns);
    if (cut <= rest_.begin_ns) return;
    const TimeNs held_ns = held.measure_within_ns({rest_.begin_ns, cut});
    times_->of(GapCause::order) += held_ns;
    times_->in_rendezvous_ns += held_ns;
    times_->of(GapCause::host) += cut - rest_.begin_ns - held_ns;
    rest_.begin_ns = cut;
  }

 private:
  Interval rest_;
  GapTimes* times_;
};

namespace {

std::vector<std::size_t> compute_by_start(const TraceIndex& index, std::int32_t rank) {
  std::vector<std::size_t> computes;
  for (const std::size_t position : index.kernels_of_rank(rank)) {
    if (index.kernel(position).kind == KernelKind::compute) computes.push_back(position);
  }
  std::sort(computes.begin(), computes.end(), [&index](std::size_t left, std::size_t right) {
    const KernelTimes& first = index.kernel(left).times;
    const KernelTimes& second = index.kernel(right).times;
    return std::tie(first.start_ns, first.end_ns, left) <
           std::tie(second.start_ns, second.end_ns, right);
  });
  return computes;
}

using RankStream = std::pair<std::int32_t, std::int32_t>;

std::map<RankStream, IntervalSet> p2p_beside_collectives(const Trace& trace) {
  std::map<RankStream, std::vector<Interval>> pieces;
  for (const TraceKernel& kernel : trace.kernels) {
    if (is_collective(kernel.kind)) pieces.try_emplace({kernel.rank, kernel.stream});
  }
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.kind != KernelKind::p2p) continue;
    const auto found = pieces.find({kernel.rank, kernel.stream});
    if (found != pieces.end()) found->second.push_back(occupied(kernel));
  }
  std::map<RankStream, IntervalSet> sets;
  for (auto& [stream, intervals] : pieces) sets.emplace(stream, IntervalSet(std::move(intervals)));
  return sets;
}

using RankStage = std::pair<std::int32_t, std::int32_t>;

std::map<RankStage, IntervalSet> gatherings(const Trace& trace) {
  std::map<RankStage, std::vector<Interval>> pieces;
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.part != Part::unshard) continue;
    pieces[{kernel.rank, kernel.stage}].push_back({kernel.times.start_ns, kernel.times.end_ns});
  }
  std::map<RankStage, IntervalSet> sets;
  for (auto& [stage, intervals] : pieces) sets.emplace(stage, IntervalSet(std::move(intervals)));
  return sets;
}

std::vector<IntervalSet> copies(const Trace& trace) {
  std::vector<std::vector<Interval>> pieces(trace.ranks.size());
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.kind != KernelKind::copy) continue;
    pieces[static_cast<std::size_t>(kernel.rank)].push_back(
        {kernel.times.start_ns, kernel.times.end_ns});
  }
  std::vector<IntervalSet> sets;
  sets.reserve(pieces.size());
  for (std::vector<Interval>& of_rank : pieces) sets.emplace_back(std::move(of_rank));
  return sets;
}

}  // namespace

GapCauses::GapCauses(const TraceIndex& index)
    : index_(&index),
      transfers_(index),
      held_(held_in_rendezvous(index.trace())),
      thread_begins_(thread_begins(index.trace())),
      p2p_(p2p_beside_collectives(index.trace())),
      gathered_(gatherings(index.trace())),
      copied_(copies(index.trace())) {}

GapTimes GapCauses::of_rank(std::int32_t rank) const {
  const Interval window = index_->window();
  GapTimes times;
  TimeNs computed_until = window.begin_ns;
  for (const std::size_t position : compute_by_start(*index_, rank)) {
    const KernelTimes& kernel = index_->kernel(position).times;
    if (kernel.start_ns > computed_until) {
      Gap gap({computed_until, kernel.start_ns}, times);
      explain(position, gap);
    }
    computed_until = std::max(computed_until, kernel.end_ns);
  }
  Gap tail({computed_until, window.end_ns}, times);
  tail.take(GapCause::end, window.end_ns);
  return times;
}

void GapCauses::explain(std::size_t kernel, Gap& gap) const {
  const Chunk& chunk = index_->chunk_of(kernel);
  const std::span<const std::size_t> members = index_->kernels_of(chunk);
  const auto self = std::lower_bound(members.begin(), members.end(), kernel);
  auto first_input = self;
  while (first_input != members.begin() &&
         index_->kernel(*(first_input - 1)).kind != KernelKind::compute) {
    --first_input;
  }
  if (first_input == members.begin()) {
    explain_forward_before(chunk, gap);
    const std::optional<Transfer> transfer = transfers_.into(chunk);
    if (transfer) explain_transfer(*transfer, gap);
  }
  for (auto input = first_input; input != self; ++input) {
    const TraceKernel& candidate = index_->kernel(*input);
    if (is_collective(candidate.kind)) explain_collective(candidate, gap);
  }
  const TraceKernel& ended_by = index_->kernel(kernel);
  explain_unlaunched(ended_by, ended_by.times.enqueue_ns, gap);
  const IntervalSet none;
  const auto gathered = gathered_.find({ended_by.rank, ended_by.stage});
  gap.take_held_up(gathered == gathered_.end() ? none : gathered->second,
                   copied_[static_cast<std::size_t>(ended_by.rank)], ended_by.times.start_ns);
}

// A forward may end in a collective, which only who consumes it waits for.
void GapCauses::explain_forward_before(const Chunk& chunk, Gap& gap) const {
  const bool is_forward = chunk.step == StepType::fwd;
  if (!is_forward && chunk.step != StepType::bwd && chunk.step != StepType::bwd_input) return;
  const Chunk* before = index_->find(StepType::fwd, is_forward ? chunk.stage - 1 : chunk.stage,
                                     chunk.micro, chunk.rank);
  if (before == nullptr) return;
  const std::span<const std::size_t> members = index_->kernels_of(*before);
  auto first = members.end();
  while (first != members.begin() && is_collective(index_->kernel(*(first - 1)).kind)) --first;
  for (; first != members.end(); ++first) explain_collective(index_->kernel(*first), gap);
}

void GapCauses::explain_transfer(const Transfer& transfer, Gap& gap) const {
  const TraceKernel& receive = index_->kernel(transfer.receive);
  if (transfer.producer != Transfer::kNoKernel) {
    gap.take(GapCause::dependency, index_->kernel(transfer.producer).times.end_ns);
  }
  explain_unlaunched(receive, std::min(receive.times.enqueue_ns, transfer.receiving.begin_ns), gap);
  if (transfer.send != Transfer::kNoKernel) {
    const TraceKernel& send = index_->kernel(transfer.send);
    explain_unlaunched(send, std::min(send.times.enqueue_ns, transfer.receiving.begin_ns), gap);
  }
  gap.take(GapCause::order, transfer.receiving.begin_ns);
  gap.take(GapCause::transfer, transfer.receiving.end_ns);
}

void GapCauses::explain_collective(const TraceKernel& collective, Gap& gap) const {
  explain_unlaunched(collective, collective.times.enqueue_ns, gap);
  gap.take_queued(p2p_.at({collective.rank, collective.stream}), collective.times.ready_ns);
  gap.take(GapCause::dependency, collective.times.start_ns);
  gap.take_collective(collective.times.end_ns);
}

void GapCauses::explain_unlaunched(const TraceKernel& kernel, TimeNs until, Gap& gap) const {
  const auto rank = static_cast<std::size_t>(kernel.rank);
  const HeldInRendezvous& held = held_[rank];
  if (kernel.thread == 0) return gap.take_unlaunched(held.main, until);
  const TimeNs forked = thread_begins_[rank][static_cast<std::size_t>(kernel.thread)];
  gap.take_unlaunched(held.main, std::min(forked, until));
  gap.take_unlaunched(held.forked, until);
}

}  // namespace steptwin::reports
