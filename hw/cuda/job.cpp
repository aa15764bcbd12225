#include "hw/cuda/job.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "hw/cuda/check.h"
#include "hw/cuda/meetings.h"
#include "hw/cuda/patience.h"
#include "hw/cuda/probe.h"
#include "hw/host/clock.h"

namespace steptwin::hw::cuda {
namespace {

void require_devices(const Program& program) {
  const Probe found = probe_devices();
  if (found.devices == 0) throw std::runtime_error("no GPU can be used: " + found.reason);
  const std::size_t ranks = program.ranks.size();
  if (static_cast<std::size_t>(found.devices) >= ranks) return;
  throw std::runtime_error(
      fmt::format("{} ranks want a GPU each, and this machine has {}", ranks, found.devices));
}

void require_rendezvous(const Program& program) {
  if (program.eager_bytes == 0) return;
  throw std::runtime_error(
      "network.eager_bytes: on a GPU no send ends without its receiver; expected 0");
}

}  // namespace

CudaJob::CudaJob(const Program& program, const Settings& settings, Stop& stop)
    : program_(program), settings_(settings), stop_(stop), needs_(needs_of(program)) {
  require_devices(program);
  require_rendezvous(program);
  try {
    set_up();
  } catch (...) {
    abort_all();
    throw;
  }
}

void CudaJob::set_up() {
  for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
    ranks_.push_back(static_cast<std::int32_t>(rank));
    devices_.push_back(
        std::make_unique<CudaDevice>(program_, ranks_.back(), needs_, settings_, stop_));
  }
  join_all();
  try_all();
  for (const auto& device : devices_) device->warm_up();
  await(patience(), "setting up", [this] {
    return std::all_of(devices_.begin(), devices_.end(),
                       [](const auto& device) { return device->is_idle(); });
  });
  for (const auto& device : devices_) device->begin_watch();
}

CudaJob::~CudaJob() {
  for (const auto& device : devices_) device->end_watch();
  try {
    if (!stop_.requested()) leave_all();
  } catch (const std::exception&) {
    abort_all();
  }
}

// Side by side: a member may wait for the others to have aborted, too.
void CudaJob::abort_all() noexcept {
  std::vector<std::jthread> threads;
  for (const auto& device : devices_) {
    try {
      threads.emplace_back([&device] { device->abort(); });
    } catch (const std::system_error&) {
      device->abort();  // no more threads: those that there are go on meanwhile
    }
  }
}

// One communicator after the other, in the same order everywhere.
void CudaJob::join_all() {
  for (std::size_t index = 0; index < program_.communicators.size(); ++index) {
    const auto communicator = static_cast<std::int32_t>(index);
    const std::vector<std::int32_t>& members = program_.communicators[index].ranks;
    ncclUniqueId id{};
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    for (const std::int32_t rank : members) at(rank).join(communicator, id);
    settle(communicator, members);
  }
}

// Peers connect when they are first used, and wait for each other when they do. Here the order
// lets none wait for ever.
void CudaJob::try_all() {
  for (std::size_t index = 0; index < program_.communicators.size(); ++index) {
    const auto communicator = static_cast<std::int32_t>(index);
    const std::vector<std::int32_t>& members = program_.communicators[index].ranks;
    for (const auto& [sender, receiver] : needs_.communicators[index].edges) {
      at(sender).try_edge(communicator, receiver, true);
      at(receiver).try_edge(communicator, sender, false);
      settle(communicator, std::vector<std::int32_t>{sender, receiver});
    }
    for (const KernelKind kind : needs_.communicators[index].collectives) {
      for (const std::int32_t rank : members) at(rank).try_collective(communicator, kind);
      settle(communicator, members);
    }
  }
}

void CudaJob::settle(std::int32_t communicator, std::span<const std::int32_t> ranks) {
  const std::string& name = program_.communicators[static_cast<std::size_t>(communicator)].name;
  await(patience(), fmt::format("setting up communicator {}", name), [&] {
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](std::int32_t rank) { return at(rank).is_settled(communicator); });
  });
}

void CudaJob::leave_all() {
  for (const auto& device : devices_) device->communicators().leave();
  await(patience(), "leaving the communicators", [this] {
    return std::all_of(devices_.begin(), devices_.end(),
                       [](const auto& device) { return device->communicators().have_left(); });
  });
  for (const auto& device : devices_) device->communicators().destroy();
}

TimeNs CudaJob::now_ns() const {
  return host_now_ns();
}

void CudaJob::complete(Stamps& stamps) {
  std::vector<std::vector<std::int64_t>> order;
  for (const auto& device : devices_) order.push_back(device->communications());
  find_starts(program_, order, stamps);
}

}  // namespace steptwin::hw::cuda
