#include "hw/cuda/communicators.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

#include "hw/cuda/needs.h"

namespace steptwin::hw::cuda {
namespace {

// The calls between its making and its end are one to NCCL. Made an end of also when one of them
// fails, since a group is the thread's.
class Group {
 public:
  Group() { check(ncclGroupStart(), "ncclGroupStart"); }
  ~Group() {
    if (open_) ncclGroupEnd();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void end() {
    open_ = false;
    check(ncclGroupEnd(), "ncclGroupEnd");
  }

 private:
  bool open_ = true;
};

void send(Words words, std::int32_t peer, ncclComm_t communicator, cudaStream_t stream) {
  check(ncclSend(words.data(), words.size(), ncclUint64, peer, communicator, stream), "ncclSend");
}

void receive(Words words, std::int32_t peer, ncclComm_t communicator, cudaStream_t stream) {
  check(ncclRecv(words.data(), words.size(), ncclUint64, peer, communicator, stream), "ncclRecv");
}

}  // namespace

void Communicators::join(std::int32_t communicator, const ncclUniqueId& id) {
  const Communicator& members = program_.communicators[static_cast<std::size_t>(communicator)];
  members_.emplace(communicator, NcclCommunicator(id, static_cast<int>(members.ranks.size()),
                                                  place_of(members, rank_)));
}

const NcclCommunicator& Communicators::find(std::int32_t communicator) const {
  if (aborted_) throw Stopped();
  return members_.at(communicator);
}

void Communicators::settle(std::int32_t communicator, const Patience& patience) const {
  const Communicator& members = program_.communicators[static_cast<std::size_t>(communicator)];
  await(patience, fmt::format("a call on communicator {}", members.name),
        [&] { return is_settled(communicator); });
}

void Communicators::post(const Transfers& transfers, std::span<const Words> payloads,
                         cudaStream_t stream) {
  const Communicator& members =
      program_.communicators[static_cast<std::size_t>(transfers.communicator)];
  auto* const own = find(transfers.communicator).handle();
  Group group;
  for (std::size_t index = 0; index < transfers.parts.size(); ++index) {
    const Transfer& part = transfers.parts[index];
    const std::int32_t peer = place_of(members, part.peer);
    if (part.is_send) {
      send(payloads[index], peer, own, stream);
    } else {
      receive(payloads[index], peer, own, stream);
    }
  }
  group.end();
}

void Communicators::post(const Collective& call, Words brought, Words results,
                         cudaStream_t stream) {
  auto* const own = find(call.communicator).handle();
  const std::size_t block = brought.size() / brought_blocks(call);
  Group group;
  if (call.kind == KernelKind::all_to_all) {
    for (std::size_t member = 0; member < call.members.size(); ++member) {
      const auto peer = static_cast<std::int32_t>(member);
      send(brought.subspan(member * block, block), peer, own, stream);
      receive(results.subspan(member * block, block), peer, own, stream);
    }
  } else if (call.kind == KernelKind::all_gather) {
    check(ncclAllGather(brought.data(), results.data(), block, ncclUint64, own, stream),
          "ncclAllGather");
  } else if (call.kind == KernelKind::reduce_scatter) {
    check(
        ncclReduceScatter(brought.data(), results.data(), block, ncclUint64, ncclSum, own, stream),
        "ncclReduceScatter");
  } else {
    check(ncclAllReduce(brought.data(), results.data(), brought.size(), ncclUint64, ncclSum, own,
                        stream),
          "ncclAllReduce");
  }
  group.end();
}

void Communicators::look() const {
  for (const auto& [number, communicator] : members_) {
    try {
      communicator.is_settled();
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("communicator {}: {}",
                      program_.communicators[static_cast<std::size_t>(number)].name, error.what()));
    }
  }
}

void Communicators::leave() {
  for (auto& [number, communicator] : members_) communicator.leave();
}

bool Communicators::have_left() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const auto& each) { return each.second.is_settled(); });
}

void Communicators::destroy() {
  for (auto& [number, communicator] : members_) communicator.destroy();
  members_.clear();
}

void Communicators::abort() noexcept {
  aborted_ = true;
  for (auto& [number, communicator] : members_) communicator.abort();
  members_.clear();
}

}  // namespace steptwin::hw::cuda
