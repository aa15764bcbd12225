#include "tests/sim/work_rules.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace steptwin {
namespace {

using Real = long double;
constexpr Real kTolerance = 1e-12L;  // of a nanosecond; a loss is a whole 1e-9, rounding 1e-16

struct Span {
  TimeNs start_ns = 0;
  TimeNs end_ns = 0;

  bool holds(TimeNs time_ns) const { return start_ns <= time_ns && time_ns < end_ns; }
};

struct Port {
  std::int32_t rank = 0;
  bool out = false;
  bool across_nodes = false;

  auto key() const { return std::tie(rank, out, across_nodes); }
  bool operator<(const Port& other) const { return key() < other.key(); }
};

struct Item {
  std::size_t kernel = 0;
  bool computes = false;
  Span span;
  Real duration = 0;
  Real latency = 0;  // before it is on its ports
  std::vector<std::int32_t> ranks;
  std::vector<Port> ports;
  Real done = 0;
  Real last_rate = 0;
};

class Ledger {
 public:
  Ledger(const Program& program, const Trace& trace)
      : program_(program), trace_(trace), contention_(program.contention) {
    for (std::size_t id = 0; id < program.kernels.size(); ++id) enter(id);
  }

  std::string first_fault() {
    std::vector<TimeNs> instants(instants_.begin(), instants_.end());
    for (std::size_t at = 0; at + 1 < instants.size(); ++at) work(instants[at], instants[at + 1]);
    for (const Item& item : items_) {
      const bool is_done = item.done >= item.duration - kTolerance;
      const bool was_not = item.done - item.last_rate < item.duration - kTolerance;
      if (is_done && (was_not || item.duration == 0)) continue;
      return fmt::format("kernel {} from {} to {} did {} of {} ns of work", item.kernel,
                         item.span.start_ns, item.span.end_ns, static_cast<double>(item.done),
                         static_cast<double>(item.duration));
    }
    return "";
  }

 private:
  void enter(std::size_t id) {
    const Kernel& kernel = program_.kernels[id];
    const KernelTimes& times = trace_.kernels[id].times;
    const Span span{times.start_ns, times.end_ns};
    instants_.insert({times.ready_ns, times.start_ns, times.end_ns});
    if (kernel.kind == KernelKind::copy || kernel.kind == KernelKind::compute) {
      items_.push_back({id,
                        kernel.kind == KernelKind::compute,
                        span,
                        static_cast<Real>(kernel.duration_ns),
                        0,
                        {kernel.rank},
                        {}});
      return;
    }
    if (contention_.while_waiting) {
      occupied_[kernel.rank].push_back({times.ready_ns, times.end_ns});
    } else if (kernel.kind != KernelKind::p2p) {
      occupied_[kernel.rank].push_back(span);
    }
    if (kernel.kind == KernelKind::p2p) {
      for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) enter_part(id, offset);
    } else {
      enter_call(id, span);
    }
  }

  void enter_part(std::size_t id, std::int32_t offset) {
    const Kernel& kernel = program_.kernels[id];
    const TraceKernel& traced = trace_.kernels[id];
    const P2pPart& part = program_.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
    Span span{traced.times.start_ns, traced.times.end_ns};
    if (traced.first_part >= 0) {
      const TracePart& own = trace_.parts[static_cast<std::size_t>(traced.first_part + offset)];
      span = {own.start_ns, own.end_ns};
    }
    instants_.insert({span.start_ns, span.end_ns});
    if (!contention_.while_waiting) occupied_[kernel.rank].push_back(span);
    if (!part.is_send) return;
    Item item{id, false, span, static_cast<Real>(part.transfer_ns), 0, {kernel.rank, part.peer},
              {}};
    if (contention_.share_ports) {
      const bool across = node_of(kernel.rank) != node_of(part.peer);
      item.latency = static_cast<Real>(contention_.latency_ns[across ? 1 : 0]);
      item.ports = {{kernel.rank, true, across}, {part.peer, false, across}};
    }
    items_.push_back(item);
  }

  // A call is entered once, with its lowest member.
  void enter_call(std::size_t id, const Span& span) {
    const Kernel& kernel = program_.kernels[id];
    const std::vector<std::int32_t>& members =
        program_.communicators[static_cast<std::size_t>(kernel.communicator)].ranks;
    if (members.front() != kernel.rank) return;
    Item item{id, false, span, static_cast<Real>(kernel.duration_ns), 0, members, {}};
    if (contention_.share_ports) {
      bool across = contention_.collectives_cross_nodes;
      for (const std::int32_t rank : members) {
        across = across || node_of(rank) != node_of(members.front());
      }
      for (const std::int32_t rank : members) {
        item.ports.push_back({rank, true, across});
        item.ports.push_back({rank, false, across});
      }
    }
    items_.push_back(item);
  }

  std::int32_t node_of(std::int32_t rank) const {
    return contention_.node[static_cast<std::size_t>(rank)];
  }

  // Within [from, to) nothing starts or ends; but a latency may be over.
  void work(TimeNs from_ns, TimeNs to_ns) {
    while (from_ns < to_ns) {
      std::vector<Item*> active;
      for (Item& item : items_) {
        if (item.span.holds(from_ns)) active.push_back(&item);
      }
      take_stock(active, from_ns);
      TimeNs until_ns = to_ns;
      for (Item* item : active) {
        item->last_rate = rate_of(*item);
        if (item->ports.empty() || is_on_ports(*item)) continue;
        const Real wait = (item->latency - item->done) / item->last_rate - kTolerance;
        until_ns = std::min(until_ns, from_ns + std::max<TimeNs>(1, std::llround(std::ceil(wait))));
      }
      for (Item* item : active) {
        item->done += item->last_rate * static_cast<Real>(until_ns - from_ns);
      }
      from_ns = until_ns;
    }
  }

  static bool is_on_ports(const Item& item) { return item.done >= item.latency - kTolerance; }

  // Counts what goes on.
  void take_stock(const std::vector<Item*>& active, TimeNs now_ns) {
    now_ns_ = now_ns;
    flows_.clear();
    computing_.clear();
    computing_on_host_.clear();
    for (const Item* item : active) {
      if (item->computes) {
        computing_.insert(item->ranks.front());
        if (!contention_.host.empty()) {
          ++computing_on_host_[contention_.host[static_cast<std::size_t>(item->ranks.front())]];
        }
      }
      if (!is_on_ports(*item)) continue;
      for (const Port& port : item->ports) ++flows_[port];
    }
  }

  Real rate_of(const Item& item) {
    const auto loses = [](std::int64_t loss) { return 1 - static_cast<Real>(loss) / 1e9L; };
    if (!item.computes) {
      if (program_.kernels[item.kernel].kind == KernelKind::copy) return 1;
      Real rate = 1;
      for (const std::int32_t rank : item.ranks) {
        if (computing_.count(rank) > 0) rate = loses(contention_.comm_loss);
      }
      int most = 1;
      if (is_on_ports(item)) {
        for (const Port& port : item.ports) most = std::max(most, flows_[port]);
      }
      return rate / static_cast<Real>(most);
    }
    const std::int32_t rank = item.ranks.front();
    Real rate = 1;
    for (const Span& span : occupied_[rank]) {
      if (span.holds(now_ns_)) rate = loses(contention_.compute_loss);
    }
    if (contention_.host_cores == 0) return rate;
    const Real devices =
        static_cast<Real>(contention_.devices) *
        static_cast<Real>(computing_on_host_[contention_.host[static_cast<std::size_t>(rank)]]);
    return rate * std::min<Real>(1, static_cast<Real>(contention_.host_cores) / devices);
  }

  const Program& program_;
  const Trace& trace_;
  const Contention& contention_;
  std::vector<Item> items_;
  std::set<TimeNs> instants_;
  std::map<std::int32_t, std::vector<Span>> occupied_;
  TimeNs now_ns_ = 0;
  std::map<Port, int> flows_;
  std::set<std::int32_t> computing_;
  std::map<std::int32_t, int> computing_on_host_;
};

}  // namespace

std::string lost_work(const Program& program, const Trace& trace) {
  return Ledger(program, trace).first_fault();
}

}  // namespace steptwin
