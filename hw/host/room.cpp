#include "hw/host/room.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "hw/collective.h"
#include "hw/payload.h"
#include "model/error.h"
#include "model/usable_memory.h"

namespace steptwin::hw {
namespace {

using Room = std::vector<std::size_t>;  // of a stream, in words, by part

void enlarge(Room& room, std::size_t part, std::size_t words) {
  if (room.size() <= part) room.resize(part + 1);
  room[part] = std::max(room[part], words);
}

void note(const Program& program, const Kernel& kernel, Room& room) {
  if (kernel.kind == KernelKind::compute) return;
  if (kernel.kind == KernelKind::p2p) {
    std::size_t index = 0;
    for (const P2pPart& part : parts_of(program, kernel)) {
      enlarge(room, index++, words_of(part.bytes));
    }
    return;
  }
  if (kernel.kind == KernelKind::copy) {
    for (const std::size_t end : {0, 1}) enlarge(room, end, words_of(kernel.bytes));
    return;
  }
  const std::size_t members =
      program.communicators[static_cast<std::size_t>(kernel.communicator)].ranks.size();
  const std::size_t block = words_of(kernel.bytes / static_cast<Bytes>(members));
  enlarge(room, 0, brought_blocks(kernel.kind, members) * block);
  enlarge(room, 1, result_blocks(kernel.kind, members) * block);
}

void refuse_beyond_usable(double bytes) {
  constexpr double kGigabyte = 1e9;
  const double usable = usable_memory_bytes();
  if (bytes <= usable) return;
  throw Error(fmt::format("what the ranks send, receive and copy takes {:.1f} GB of memory; "
                          "{:.1f} GB can be used here",
                          bytes / kGigabyte, usable / kGigabyte),
              "a scenario that moves fewer bytes at a time");
}

}  // namespace

std::vector<double> payload_bytes(const Program& program) {
  std::vector<std::vector<Room>> rooms;  // by rank and stream
  for (const RankProgram& rank : program.ranks) rooms.emplace_back(rank.streams.size());
  for (const Kernel& kernel : program.kernels) {
    note(program, kernel,
         rooms[static_cast<std::size_t>(kernel.rank)][static_cast<std::size_t>(kernel.stream)]);
  }
  std::vector<double> bytes;
  for (const std::vector<Room>& streams : rooms) {
    double own = 0;
    for (const Room& room : streams) {
      for (const std::size_t words : room) own += static_cast<double>(words);
    }
    bytes.push_back(own * static_cast<double>(sizeof(std::uint64_t)));
  }
  return bytes;
}

void refuse_if_too_large(const Program& program) {
  const std::vector<double> bytes = payload_bytes(program);
  refuse_beyond_usable(std::accumulate(bytes.begin(), bytes.end(), 0.0));
}

void refuse_if_too_large(const Program& program, std::int32_t rank, std::int32_t processes) {
  refuse_beyond_usable(payload_bytes(program)[static_cast<std::size_t>(rank)] * processes);
}

}  // namespace steptwin::hw
