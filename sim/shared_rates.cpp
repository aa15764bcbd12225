#include "sim/shared_rates.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace steptwin::sim {
namespace {

constexpr std::size_t kOut = 0;
constexpr std::size_t kIn = 1;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

WorkUnits rounded_up(WorkUnits dividend, WorkUnits divisor) {
  return (dividend + divisor - 1) / divisor;
}

void remove(std::vector<std::int32_t>& list, std::int32_t item) {
  const auto found = std::find(list.begin(), list.end(), item);
  assert(found != list.end());
  *found = list.back();
  list.pop_back();
}

}  // namespace

SharedRates::SharedRates(const Program& program)
    : program_(&program), contention_(&program.contention), ranks_(program.ranks.size()) {
  assert(contention_->node.size() == ranks_.size() && contention_->host.size() == ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::size_t host = at(contention_->host[rank]);
    if (host >= hosts_.size()) hosts_.resize(host + 1);
    hosts_[host].ranks.push_back(static_cast<std::int32_t>(rank));
  }
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    collective_link_.push_back(
        static_cast<std::uint8_t>(link_of(static_cast<std::int32_t>(index))));
  }
}

void SharedRates::compute(TimeNs from, std::int32_t rank, TimeNs duration_ns,
                          const WorkOwner& owner) {
  Work work;
  work.first = rank;
  work.left = WorkUnits{duration_ns} * kUnit;
  work.owner = owner;
  announce(from, work);
}

void SharedRates::transfer(TimeNs from, std::int32_t sender, std::int32_t receiver,
                           TimeNs duration_ns, const WorkOwner& owner) {
  Work work;
  work.kind = Kind::transfer;
  work.first = sender;
  work.second = receiver;
  const bool within = contention_->node[at(sender)] == contention_->node[at(receiver)];
  work.link = static_cast<std::uint8_t>(within ? kWithinNode : kAcrossNodes);
  const TimeNs latency_ns = std::min(contention_->latency_ns[work.link], duration_ns);
  work.left = WorkUnits{duration_ns} * kUnit;
  if (contention_->share_ports) work.left_on_ports = WorkUnits{duration_ns - latency_ns} * kUnit;
  work.owner = owner;
  announce(from, work);
}

void SharedRates::collective(TimeNs from, std::int32_t communicator, TimeNs duration_ns,
                             const WorkOwner& owner) {
  Work work;
  work.kind = Kind::collective;
  work.first = communicator;
  work.link = collective_link_[at(communicator)];
  work.left = WorkUnits{duration_ns} * kUnit;
  if (contention_->share_ports) work.left_on_ports = work.left;
  work.owner = owner;
  announce(from, work);
}

void SharedRates::occupy(TimeNs from, std::int32_t rank) {
  assert(from >= now_);
  changes_.push({from, Change::Kind::occupy, rank});
}

void SharedRates::vacate(TimeNs from, std::int32_t rank) {
  assert(from >= now_);
  changes_.push({from, Change::Kind::vacate, rank});
}

std::int32_t SharedRates::announce(TimeNs from, const Work& work) {
  assert(from >= now_ && work.left > 0);
  auto index = static_cast<std::int32_t>(works_.size());
  if (free_works_.empty()) {
    works_.push_back(work);
  } else {
    index = free_works_.back();
    free_works_.pop_back();
    const std::uint32_t version = works_[at(index)].version;
    works_[at(index)] = work;
    works_[at(index)].version = version;  // what is still queued of its predecessor stays stale
  }
  changes_.push({from, Change::Kind::begin, index});
  return index;
}

std::optional<TimeNs> SharedRates::next_ns() const {
  std::optional<TimeNs> next;
  if (!changes_.empty()) next = changes_.top().at;
  if (!due_.empty()) next = std::min(next.value_or(due_.top().at), due_.top().at);
  return next;
}

const std::vector<WorkOwner>& SharedRates::advance() {
  now_ = *next_ns();
  ended_.clear();
  while (!due_.empty() && due_.top().at == now_) {
    const std::int32_t index = due_.top().work;
    due_.pop();
    come_due(index);
    drop_stale();
  }
  while (!changes_.empty() && changes_.top().at == now_) {
    const Change change = changes_.top();
    changes_.pop();
    apply(change);
  }
  for (const std::int32_t index : dirty_) {
    if (works_[at(index)].is_dirty) find_rate(index);
  }
  dirty_.clear();
  drop_stale();
  return ended_;
}

// Keeps the top of due_ true.
void SharedRates::drop_stale() {
  while (!due_.empty() && works_[at(due_.top().work)].version != due_.top().version) due_.pop();
}

void SharedRates::apply(const Change& change) {
  switch (change.kind) {
    case Change::Kind::begin:
      return begin(change.index);
    case Change::Kind::occupy:
      return occupy_by(change.index, 1);
    case Change::Kind::vacate:
      return occupy_by(change.index, -1);
  }
}

template <typename Visit>
void SharedRates::for_each_participant(const Work& work, Visit&& visit) {
  if (work.kind != Kind::collective) {
    visit(work.first);
    if (work.kind == Kind::transfer) visit(work.second);
    return;
  }
  for (const std::int32_t rank : program_->communicators[at(work.first)].ranks) visit(rank);
}

void SharedRates::begin(std::int32_t index) {
  Work& work = works_[at(index)];
  work.as_of = now_;
  mark(index);
  if (work.kind == Kind::compute) return compute_by(work.first, index, true);
  for_each_participant(work, [&](std::int32_t rank) {
    ranks_[at(rank)].communications.push_back(index);
    if (!ranks_[at(rank)].computes.empty()) ++work.computing;
  });
  if (work.left_on_ports == work.left) flow_by(index, 1);
}

void SharedRates::end(std::int32_t index) {
  Work& work = works_[at(index)];
  ++work.version;
  work.is_dirty = false;
  ended_.push_back(work.owner);
  if (work.kind == Kind::compute) {
    compute_by(work.first, index, false);
  } else {
    if (work.on_ports) flow_by(index, -1);
    for_each_participant(
        work, [&](std::int32_t rank) { remove(ranks_[at(rank)].communications, index); });
    work.is_dirty = false;  // its own flow ended with it
  }
  free_works_.push_back(index);
}

// The work has come to its end, or its latency has.
void SharedRates::come_due(std::int32_t index) {
  Work& work = works_[at(index)];
  settle(work);
  if (work.left <= 0) return end(index);
  assert(!work.on_ports && work.left <= work.left_on_ports);
  ++work.version;
  flow_by(index, 1);
  mark(index);
}

// What begins and ends at one instant may be told in the other order: then it is -1 between the
// two.
void SharedRates::occupy_by(std::int32_t rank, std::int32_t more) {
  Rank& changed = ranks_[at(rank)];
  const bool was_occupied = changed.occupied > 0;
  changed.occupied += more;
  if (was_occupied == (changed.occupied > 0)) return;
  for (const std::int32_t work : changed.computes) mark(work);
}

void SharedRates::compute_by(std::int32_t rank, std::int32_t work, bool begins) {
  Rank& changed = ranks_[at(rank)];
  const bool did_compute = !changed.computes.empty();
  if (begins) {
    changed.computes.push_back(work);
  } else {
    remove(changed.computes, work);
  }
  if (did_compute != !changed.computes.empty()) {
    for (const std::int32_t communication : changed.communications) {
      works_[at(communication)].computing += begins ? 1 : -1;
      mark(communication);
    }
  }
  if (contention_->host_cores == 0) return;
  Host& host = hosts_[at(contention_->host[at(rank)])];
  host.computing += begins ? 1 : -1;
  for (const std::int32_t other : host.ranks) {
    for (const std::int32_t beside : ranks_[at(other)].computes) mark(beside);
  }
}

// The work's flow begins or ends on its ports.
void SharedRates::flow_by(std::int32_t index, std::int32_t more) {
  Work& work = works_[at(index)];
  work.on_ports = more > 0;
  if (!contention_->share_ports) return;
  if (work.kind == Kind::transfer) {
    port_by(work.first, work.link, kOut, more);
    return port_by(work.second, work.link, kIn, more);
  }
  for_each_participant(work, [&](std::int32_t rank) {
    port_by(rank, work.link, kOut, more);
    port_by(rank, work.link, kIn, more);
  });
}

void SharedRates::port_by(std::int32_t rank, std::size_t link, std::size_t way, std::int32_t more) {
  Rank& changed = ranks_[at(rank)];
  changed.flows[link][way] += more;
  for (const std::int32_t index : changed.communications) {
    const Work& work = works_[at(index)];
    if (work.on_ports && work.link == link) mark(index);
  }
}

void SharedRates::mark(std::int32_t work) {
  Work& marked = works_[at(work)];
  if (marked.is_dirty) return;
  marked.is_dirty = true;
  dirty_.push_back(work);
}

void SharedRates::settle(Work& work) const {
  work.left -= WorkUnits{work.rate} * (now_ - work.as_of);
  work.as_of = now_;
}

void SharedRates::find_rate(std::int32_t index) {
  Work& work = works_[at(index)];
  work.is_dirty = false;
  const std::int64_t rate = rate_of(work);
  settle(work);
  work.rate = rate;
  ++work.version;
  const WorkUnits next = work.on_ports || work.kind == Kind::compute ? 0 : work.left_on_ports;
  const WorkUnits wait = rounded_up(work.left - next, rate);
  const WorkUnits most = std::numeric_limits<TimeNs>::max() - now_;
  due_.push({now_ + static_cast<TimeNs>(std::min(wait, most)), index, work.version});
}

std::int64_t SharedRates::rate_of(const Work& work) const {
  WorkUnits share = 1;  // of `shares`
  WorkUnits shares = 1;
  std::int64_t loss = 0;
  if (work.kind == Kind::compute) {
    if (ranks_[at(work.first)].occupied > 0) loss = contention_->compute_loss;
    const Host& host = hosts_[at(contention_->host[at(work.first)])];
    const std::int64_t devices = std::int64_t{host.computing} * contention_->devices;
    if (contention_->host_cores > 0 && devices > contention_->host_cores) {
      share = contention_->host_cores;
      shares = devices;
    }
  } else {
    if (work.computing > 0) loss = contention_->comm_loss;
    shares = flows_beside(work);
  }
  return static_cast<std::int64_t>(
      rounded_up(share * (kWholeRate - loss) * kUnit, shares * kWholeRate));
}

// The most on one of the work's ports, its own flow counted.
std::int32_t SharedRates::flows_beside(const Work& work) const {
  if (!contention_->share_ports || !work.on_ports) return 1;
  if (work.kind == Kind::transfer) {
    return std::max(ranks_[at(work.first)].flows[work.link][kOut],
                    ranks_[at(work.second)].flows[work.link][kIn]);
  }
  std::int32_t most = 1;
  for (const std::int32_t rank : program_->communicators[at(work.first)].ranks) {
    const auto& flows = ranks_[at(rank)].flows[work.link];
    most = std::max({most, flows[kOut], flows[kIn]});
  }
  return most;
}

std::size_t SharedRates::link_of(std::int32_t communicator) const {
  if (contention_->collectives_cross_nodes) return kAcrossNodes;
  const std::vector<std::int32_t>& members = program_->communicators[at(communicator)].ranks;
  const auto elsewhere = [&](std::int32_t rank) {
    return contention_->node[at(rank)] != contention_->node[at(members.front())];
  };
  return std::any_of(members.begin(), members.end(), elsewhere) ? kAcrossNodes : kWithinNode;
}

}  // namespace steptwin::sim
