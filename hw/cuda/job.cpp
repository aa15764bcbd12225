#include "hw/cuda/job.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <span>
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

void require_devices(const Program& program, const Team* team) {
  const Probe found = probe_devices();
  if (found.devices == 0) throw std::runtime_error("no GPU can be used: " + found.reason);
  const auto ranks = team == nullptr ? static_cast<std::int32_t>(program.ranks.size())
                                     : team->process_on_machine() + 1;
  if (found.devices >= ranks) return;
  throw std::runtime_error(
      fmt::format("{} ranks want a GPU each, and this machine has {}", ranks, found.devices));
}

void require_rendezvous(const Program& program) {
  if (program.eager_bytes == 0) return;
  throw std::runtime_error(
      "network.eager_bytes: on a GPU no send ends without its receiver; expected 0");
}

}  // namespace

CudaJob::CudaJob(const Program& program, const Settings& settings, Stop& stop, Team* team)
    : program_(program), settings_(settings), stop_(stop), team_(team), needs_(needs_of(program)) {
  require_devices(program, team);
  require_rendezvous(program);
  try {
    set_up();
  } catch (...) {
    abort_all();
    throw;
  }
}

void CudaJob::set_up() {
  const auto ranks = static_cast<std::int32_t>(program_.ranks.size());
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (team_ != nullptr && rank != team_->process()) continue;
    const std::int32_t gpu = team_ == nullptr ? rank : team_->process_on_machine();
    ranks_.push_back(rank);
    devices_.push_back(std::make_unique<CudaDevice>(program_, rank, gpu, needs_, settings_, stop_));
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
    const std::int32_t first = members.front();
    if (find(first) != nullptr) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    if (team_ != nullptr) team_->broadcast(std::as_writable_bytes(std::span(&id, 1)), first);
    for (const std::int32_t rank : members) {
      if (CudaDevice* own = find(rank)) own->join(communicator, id);
    }
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
      if (CudaDevice* own = find(sender)) own->try_edge(communicator, receiver, true);
      if (CudaDevice* own = find(receiver)) own->try_edge(communicator, sender, false);
      settle(communicator, std::vector<std::int32_t>{sender, receiver});
    }
    for (const KernelKind kind : needs_.communicators[index].collectives) {
      for (const std::int32_t rank : members) {
        if (CudaDevice* own = find(rank)) own->try_collective(communicator, kind);
      }
      settle(communicator, members);
    }
  }
}

void CudaJob::settle(std::int32_t communicator, std::span<const std::int32_t> ranks) {
  const std::string& name = program_.communicators[static_cast<std::size_t>(communicator)].name;
  await(patience(), fmt::format("setting up communicator {}", name), [&] {
    return std::all_of(ranks.begin(), ranks.end(), [&](std::int32_t rank) {
      CudaDevice* own = find(rank);
      return own == nullptr || own->is_settled(communicator);
    });
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
  find_starts(program_, stamps);
}

CudaDevice* CudaJob::find(std::int32_t rank) {
  const auto place = std::find(ranks_.begin(), ranks_.end(), rank);
  if (place == ranks_.end()) return nullptr;
  return devices_[static_cast<std::size_t>(place - ranks_.begin())].get();
}

}  // namespace steptwin::hw::cuda
