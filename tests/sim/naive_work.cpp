#include <algorithm>
#include <cassert>

#include "tests/sim/naive_state.h"

namespace steptwin::naive {
namespace {

constexpr Units kNanosecond = Units{1} << 60;

struct Place {
  std::int32_t rank = 0;
  bool out = false;
};

const Kernel& kernel_of(const State& state, std::int32_t id) {
  return state.program->kernels[at(id)];
}

const P2pPart& part_of(const State& state, const ArrivedPart& arrived) {
  return state.program->p2p_parts[at(kernel_of(state, arrived.kernel).first_part + arrived.part)];
}

// The ranks that a communication takes part on, with the ports it would be on.
std::vector<Place> places_of(const State& state, const Work& work) {
  std::vector<Place> places;
  if (work.kind == Work::Kind::transfer) {
    places.push_back({kernel_of(state, work.send.kernel).rank, true});
    places.push_back({part_of(state, work.send).peer, false});
  }
  for (const std::int32_t call : work.calls) {
    places.push_back({kernel_of(state, call).rank, true});
    places.push_back({kernel_of(state, call).rank, false});
  }
  return places;
}

bool crosses_nodes(const State& state, const Work& work) {
  const Contention& contention = state.program->contention;
  if (work.kind == Work::Kind::collective && contention.collectives_cross_nodes) return true;
  const std::vector<Place> places = places_of(state, work);
  return std::any_of(places.begin(), places.end(), [&](const Place& place) {
    return contention.node[at(place.rank)] != contention.node[at(places.front().rank)];
  });
}

bool is_on_ports(const Work& work) {
  return work.left_on_ports > 0 && work.left <= work.left_on_ports;
}

bool computes(const State& state, std::int32_t rank) {
  return std::any_of(state.works.begin(), state.works.end(), [&](const Work& work) {
    return work.kind == Work::Kind::device &&
           kernel_of(state, work.kernel).kind == KernelKind::compute &&
           kernel_of(state, work.kernel).rank == rank;
  });
}

bool transfers(const State& state, std::int32_t kernel) {
  return std::any_of(state.works.begin(), state.works.end(), [&](const Work& work) {
    if (work.kind == Work::Kind::collective) {
      return std::find(work.calls.begin(), work.calls.end(), kernel) != work.calls.end();
    }
    if (work.kind == Work::Kind::device) return false;
    return work.send.kernel == kernel || (work.receive && work.receive->kernel == kernel);
  });
}

bool is_occupied(const State& state, std::int32_t rank) {
  for (const StreamState& stream : state.ranks[at(rank)].streams) {
    if (stream.passed == stream.entries.size() || stream.entries[stream.passed].is_wait) continue;
    const std::int32_t head = stream.entries[stream.passed].index;
    if (!is_communication(kernel_of(state, head).kind)) continue;
    if (state.kernels[at(head)].times.ready_ns == kNever) continue;
    if (state.program->contention.while_waiting || transfers(state, head)) return true;
  }
  return false;
}

// Flows on the port of the place, within nodes or across them.
std::int64_t flows(const State& state, const Place& place, bool across) {
  std::int64_t count = 0;
  for (const Work& work : state.works) {
    if (work.kind == Work::Kind::device || !is_on_ports(work)) continue;
    if (crosses_nodes(state, work) != across) continue;
    for (const Place& used : places_of(state, work)) {
      if (used.rank == place.rank && used.out == place.out) ++count;
    }
  }
  return count;
}

std::int64_t computing_on_host(const State& state, std::int32_t rank) {
  const std::vector<std::int32_t>& host = state.program->contention.host;
  std::int64_t count = 0;
  for (const Work& work : state.works) {
    if (work.kind != Work::Kind::device) continue;
    const Kernel& kernel = kernel_of(state, work.kernel);
    if (kernel.kind == KernelKind::compute && host[at(kernel.rank)] == host[at(rank)]) ++count;
  }
  return count;
}

Units units_per_ns(Units numerator, Units denominator) {
  const Units product = numerator * kNanosecond;
  return product / denominator + (product % denominator == 0 ? 0 : 1);
}

Units device_rate(const State& state, const Kernel& kernel) {
  const Contention& contention = state.program->contention;
  if (kernel.kind == KernelKind::copy || !contention.is_on()) return kNanosecond;
  Units numerator = 1'000'000'000;
  Units denominator = 1'000'000'000;
  if (is_occupied(state, kernel.rank)) numerator -= contention.compute_loss;
  const Units devices =
      static_cast<Units>(contention.devices) * computing_on_host(state, kernel.rank);
  if (contention.host_cores > 0 && devices > contention.host_cores) {
    numerator *= contention.host_cores;
    denominator *= devices;
  }
  return units_per_ns(numerator, denominator);
}

Units communication_rate(const State& state, const Work& work) {
  const Contention& contention = state.program->contention;
  if (!contention.is_on()) return kNanosecond;
  Units numerator = 1'000'000'000;
  std::int64_t fullest = 1;
  const std::vector<Place> places = places_of(state, work);
  const bool beside_compute = std::any_of(places.begin(), places.end(), [&](const Place& place) {
    return computes(state, place.rank);
  });
  if (beside_compute) numerator -= contention.comm_loss;
  if (is_on_ports(work)) {
    const bool across = crosses_nodes(state, work);
    for (const Place& place : places) fullest = std::max(fullest, flows(state, place, across));
  }
  return units_per_ns(numerator, Units{1'000'000'000} * fullest);
}

Units rate_of(const State& state, const Work& work) {
  if (work.kind == Work::Kind::device) return device_rate(state, kernel_of(state, work.kernel));
  return communication_rate(state, work);
}

void end_part(State& state, const ArrivedPart& arrived) {
  KernelState& kernel = state.kernels[at(arrived.kernel)];
  kernel.part_ends_ns[at(arrived.part)] = state.now_ns;
  const auto first = std::min_element(kernel.part_ends_ns.begin(), kernel.part_ends_ns.end());
  if (*first != kNever) kernel.end_ns = state.now_ns;
}

void begin_part(State& state, const ArrivedPart& arrived) {
  KernelState& kernel = state.kernels[at(arrived.kernel)];
  kernel.part_starts_ns[at(arrived.part)] = state.now_ns;
  if (kernel.times.start_ns == kNever) kernel.times.start_ns = state.now_ns;
}

}  // namespace

void begin_kernel(State& state, std::int32_t id) {
  state.kernels[at(id)].times.start_ns = state.now_ns;
  Work work;
  work.kernel = id;
  work.left = kernel_of(state, id).duration_ns * kNanosecond;
  state.works.push_back(work);
}

void begin_transfer(State& state, const ArrivedPart& send, std::optional<ArrivedPart> receive) {
  begin_part(state, send);
  if (receive) begin_part(state, *receive);
  Work work;
  work.kind = Work::Kind::transfer;
  work.send = send;
  work.receive = receive;
  const TimeNs transfer_ns = part_of(state, send).transfer_ns;
  work.left = transfer_ns * kNanosecond;
  const Contention& contention = state.program->contention;
  if (contention.share_ports) {
    const TimeNs latency_ns = contention.latency_ns[crosses_nodes(state, work) ? 1 : 0];
    work.left_on_ports = std::max<TimeNs>(transfer_ns - latency_ns, 0) * kNanosecond;
  }
  state.works.push_back(work);
}

void begin_call(State& state, const std::vector<std::int32_t>& kernels) {
  Work work;
  work.kind = Work::Kind::collective;
  work.calls = kernels;
  work.left = kernel_of(state, kernels.front()).duration_ns * kNanosecond;
  if (state.program->contention.share_ports) work.left_on_ports = work.left;
  for (const std::int32_t id : kernels) state.kernels[at(id)].times.start_ns = state.now_ns;
  state.works.push_back(work);
}

void receive_eagerly(State& state, const ArrivedPart& send, const ArrivedPart& receive) {
  begin_part(state, receive);
  for (Work& work : state.works) {
    if (work.kind != Work::Kind::transfer) continue;
    if (work.send.kernel != send.kernel || work.send.part != send.part) continue;
    work.receive = receive;
    return;
  }
  end_part(state, receive);
}

void end_works(State& state) {
  for (const Work& work : state.works) {
    if (work.left > 0) continue;
    if (work.kind == Work::Kind::device) state.kernels[at(work.kernel)].end_ns = state.now_ns;
    if (work.kind == Work::Kind::transfer) end_part(state, work.send);
    if (work.receive) end_part(state, *work.receive);
    for (const std::int32_t id : work.calls) state.kernels[at(id)].end_ns = state.now_ns;
  }
  std::erase_if(state.works, [](const Work& work) { return work.left <= 0; });
}

std::optional<TimeNs> next_of_works(const State& state) {
  std::optional<TimeNs> next_ns;
  for (const Work& work : state.works) {
    const Units rate = rate_of(state, work);
    const bool before_ports = work.left > work.left_on_ports;
    const Units to_do = before_ports ? work.left - work.left_on_ports : work.left;
    const Units whole = to_do / rate + (to_do % rate == 0 ? 0 : 1);
    const TimeNs then_ns = state.now_ns + static_cast<TimeNs>(whole);
    next_ns = std::min(then_ns, next_ns.value_or(then_ns));
  }
  return next_ns;
}

void let_time_pass(State& state, TimeNs until_ns) {
  std::vector<Units> rates;
  for (const Work& work : state.works) rates.push_back(rate_of(state, work));
  for (std::size_t work = 0; work < rates.size(); ++work) {
    state.works[work].left -= rates[work] * (until_ns - state.now_ns);
  }
  state.now_ns = until_ns;
}

}  // namespace steptwin::naive
