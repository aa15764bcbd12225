#include "compare/measured_durations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace steptwin::compare {
namespace {

// What pairs with what has the same label; of several alike on one side the first comes first.
using Label = std::array<std::int32_t, 7>;

struct Labelled {
  Label label{};
  std::int32_t side = 0;  // which member of a collective, or which end of a transfer
  std::size_t index = 0;

  auto order() const { return std::tie(label, side, index); }
};

StepType as_send(StepType step) {
  if (step == StepType::fwd_recv) return StepType::fwd_send;
  if (step == StepType::bwd_recv) return StepType::bwd_send;
  return step == StepType::data_recv ? StepType::data_send : step;
}

std::int32_t sending_stage(const P2pPart& part) {
  const bool is_transfer =
      is_p2p(part.step) || part.step == StepType::data_send || part.step == StepType::data_recv;
  if (part.is_send || !is_transfer) return part.stage;
  return other_stage({part.step, part.stage, part.micro, nullptr});
}

Labelled labelled(const Kernel& kernel, const P2pPart& part, std::size_t index) {
  const std::int32_t sender = part.is_send ? kernel.rank : part.peer;
  const std::int32_t receiver = part.is_send ? part.peer : kernel.rank;
  return {{kernel.communicator, sender, receiver, static_cast<std::int32_t>(as_send(part.step)),
           sending_stage(part), part.micro, 0},
          part.is_send ? 0 : 1,
          index};
}

Labelled labelled(const Kernel& kernel, std::size_t index) {
  return {{kernel.communicator, static_cast<std::int32_t>(kernel.part),
           static_cast<std::int32_t>(kernel.direction), static_cast<std::int32_t>(kernel.step),
           kernel.stage, kernel.micro, kernel.layer},
          kernel.rank,
          index};
}

// Within each label: the n-th of every side get the shortest of their durations. Stages of peers
// are the same, so a label has as many of each side; where it has not, all keep their own.
void share_shortest(std::vector<Labelled> all, std::vector<TimeNs>& durations) {
  std::sort(all.begin(), all.end(), [](const Labelled& left, const Labelled& right) {
    return left.order() < right.order();
  });
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].label == all[begin].label) ++end;
    std::size_t alike = 0;  // of the first side
    while (begin + alike < end && all[begin + alike].side == all[begin].side) ++alike;
    const std::size_t sides = (end - begin) / alike;
    bool is_even = sides * alike == end - begin;
    for (std::size_t at = begin; at < end && is_even; ++at) {
      is_even = all[at].side == all[begin + (at - begin) / alike * alike].side;
    }
    for (std::size_t nth = 0; nth < alike && is_even; ++nth) {
      TimeNs shortest_ns = durations[all[begin + nth].index];
      for (std::size_t at = begin + nth; at < end; at += alike) {
        shortest_ns = std::min(shortest_ns, durations[all[at].index]);
      }
      for (std::size_t at = begin + nth; at < end; at += alike) {
        durations[all[at].index] = shortest_ns;
      }
    }
    begin = end;
  }
}

auto meaning_of(const Kernel& kernel) {
  return std::tuple(kernel.rank, kernel.kind, kernel.part, kernel.step, kernel.stage, kernel.micro,
                    kernel.layer, static_cast<std::size_t>(kernel.part_count));
}

auto meaning_of(const TraceKernel& kernel) {
  return std::tuple(kernel.rank, kernel.kind, kernel.part, kernel.step, kernel.stage, kernel.micro,
                    kernel.layer, kernel.peers.size());
}

template <typename AnyKernel>
std::string words_of(const AnyKernel& kernel, std::size_t transfers) {
  std::string words =
      fmt::format("{} {} of rank {}, {}", name_of(kernel.kind), name_of(kernel.part), kernel.rank,
                  step_label(kernel.step, kernel.stage, kernel.micro));
  if (kernel.layer >= 0) words += fmt::format(" layer {}", kernel.layer + 1);
  if (transfers > 1) words += fmt::format(" with {} transfers", transfers);
  return words;
}

}  // namespace

MeasuredDurations measured_durations(const Program& program, const Trace& measured) {
  MeasuredDurations durations;
  durations.kernel_ns.resize(program.kernels.size());
  durations.transfer_ns.resize(program.p2p_parts.size());
  std::vector<Labelled> calls;
  std::vector<Labelled> transfers;
  for (std::size_t index = 0; index < program.kernels.size(); ++index) {
    const Kernel& kernel = program.kernels[index];
    const TraceKernel& traced = measured.kernels[index];
    const TimeNs span_ns = traced.times.end_ns - traced.times.start_ns;
    if (kernel.kind != KernelKind::p2p) durations.kernel_ns[index] = span_ns;
    if (is_collective(kernel.kind)) calls.push_back(labelled(kernel, index));
    const auto parts = parts_of(measured, traced);
    for (std::size_t offset = 0; offset < static_cast<std::size_t>(kernel.part_count); ++offset) {
      const std::size_t part = static_cast<std::size_t>(kernel.first_part) + offset;
      durations.transfer_ns[part] =
          parts.empty() ? span_ns : parts[offset].end_ns - parts[offset].start_ns;
      transfers.push_back(labelled(kernel, program.p2p_parts[part], part));
    }
  }
  share_shortest(std::move(calls), durations.kernel_ns);
  share_shortest(std::move(transfers), durations.transfer_ns);
  return durations;
}

std::string first_difference(const Program& program, const Trace& trace) {
  const std::size_t common = std::min(program.kernels.size(), trace.kernels.size());
  for (std::size_t index = 0; index < common; ++index) {
    const Kernel& kernel = program.kernels[index];
    const TraceKernel& traced = trace.kernels[index];
    const bool is_same_id = traced.kernel == static_cast<std::int64_t>(index);
    if (is_same_id && meaning_of(kernel) == meaning_of(traced)) continue;
    if (!is_same_id) return fmt::format("kernel {} is missing", index);
    return fmt::format("kernel {} is {} and not {}", index, words_of(traced, traced.peers.size()),
                       words_of(kernel, static_cast<std::size_t>(kernel.part_count)));
  }
  if (program.kernels.size() == trace.kernels.size()) return "";
  return fmt::format("there are {} kernels and not {}", trace.kernels.size(),
                     program.kernels.size());
}

}  // namespace steptwin::compare
