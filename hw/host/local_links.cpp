#include "hw/host/local_links.h"

#include <algorithm>

namespace steptwin::hw {
namespace {

using Words = std::span<std::uint64_t>;

Words block_of(Words words, std::size_t block, std::size_t size) {
  return words.subspan(block * size, size);
}

void add(std::span<const std::uint64_t> block, Words sum) {
  for (std::size_t index = 0; index < sum.size(); ++index) sum[index] += block[index];
}

// What the member at `place` gets of what all have brought.
void take(const Collective& call, const Gathering::Blocks& blocks, Words results) {
  const std::size_t size = words_of(call.block_bytes);
  const auto place = static_cast<std::size_t>(call.place);
  const bool sums = call.kind == KernelKind::reduce_scatter || call.kind == KernelKind::all_reduce;
  if (sums) std::fill(results.begin(), results.end(), 0);
  for (std::size_t sender = 0; sender < blocks.size(); ++sender) {
    const std::span<const std::uint64_t> brought = blocks[sender];
    if (call.kind == KernelKind::all_to_all) {
      std::ranges::copy(brought.subspan(place * size, size),
                        block_of(results, sender, size).begin());
    } else if (call.kind == KernelKind::all_gather) {
      std::ranges::copy(brought, block_of(results, sender, size).begin());
    } else if (call.kind == KernelKind::reduce_scatter) {
      add(brought.subspan(place * size, size), results);
    } else {
      add(brought, results);
    }
  }
}

}  // namespace

TimeSpan LocalLinks::collective(const Collective& call, std::span<const std::uint64_t> brought,
                                std::span<std::uint64_t> results) {
  return gathering_.perform(call, brought,
                            [&](const Gathering::Blocks& blocks) { take(call, blocks, results); });
}

void LocalLinks::begin() {
  exchange_.reset();
  gathering_.reset();
}

}  // namespace steptwin::hw
