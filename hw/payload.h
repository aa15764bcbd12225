#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/program.h"

namespace steptwin::hw {

// What the bytes of a run say. A payload is a row of 8-byte words, of which word i is
//
//   base + i * kWordStride   (modulo 2^64)
//
// where the base names the step, the stage, the micro-batch and the sender: a receiver knows which
// words it must find, and one that got another tensor, or a tensor of another place in it, sees so.
// Sums of payloads, which reductions make, are of the same form.

inline constexpr std::uint64_t kWordStride = 0x9e3779b97f4a7c15;

// Not every word need be written and checked: `step` apart, and always the last.
struct Pattern {
  std::uint64_t base = 0;
  std::uint64_t stride = kWordStride;
};

// The payload of one part of a p2p kernel, the same at both of its ends.
Pattern part_pattern(const Program& program, const Kernel& kernel, std::int32_t offset);

// The block that member `sender` of a collective hands to the place `block` of its result. Members
// make the same call: what they carry is named by the kernel's step, layer and part.
Pattern block_pattern(const Kernel& kernel, std::int32_t sender, std::int32_t block);

// Of the sum of the senders' blocks at one place.
Pattern sum_pattern(const Kernel& kernel, std::span<const std::int32_t> senders,
                    std::int32_t block);

// How many words a payload of so many bytes has: those that fit, and one if there are any bytes.
std::size_t words_of(Bytes bytes);

void write_pattern(std::span<std::uint64_t> words, Pattern pattern, std::size_t step);
// The first word that is another than it should be, or words.size().
std::size_t find_mismatch(std::span<const std::uint64_t> words, Pattern pattern, std::size_t step);

}  // namespace steptwin::hw
