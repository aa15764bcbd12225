#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/payload.h"
#include "model/program.h"

namespace steptwin::hw {

// One member's call of a collective. Calls of a communicator match by position. Members have places
// 0, 1, ... in the order of their ranks.
//
//   all_to_all      block b of a member goes to member b, which puts it at the sender's place
//   all_gather      every member hands its one block to all
//   reduce_scatter  member b gets the sum of all members' blocks b
//   all_reduce      every member gets the sums of all blocks
struct Collective {
  KernelKind kind = KernelKind::all_to_all;
  std::int32_t communicator = 0;
  std::vector<std::int32_t> members;  // world ranks, ascending
  std::int32_t place = 0;             // of this rank among them
  Bytes block_bytes = 0;
  TimeNs link_ns = 0;              // what it takes on the modelled link; 0: none is emulated
  const Kernel* kernel = nullptr;  // names the payload
};

// How many blocks each of so many members hands out and gets.
std::size_t brought_blocks(KernelKind kind, std::size_t members);
std::size_t result_blocks(KernelKind kind, std::size_t members);

// Of a member's call: how many they are, and what each of them says.
std::size_t brought_blocks(const Collective& call);
std::size_t result_blocks(const Collective& call);
Pattern brought_pattern(const Collective& call, std::size_t block);
Pattern result_pattern(const Collective& call, std::size_t block);

}  // namespace steptwin::hw
