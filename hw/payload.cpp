#include "hw/payload.h"

namespace steptwin::hw {
namespace {

// The finalizer of splitmix64 (Steele, Lea and Flood 2014): every bit of x reaches every bit.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

std::uint64_t joined(std::uint64_t key, std::int64_t value) {
  return mixed(key ^ mixed(static_cast<std::uint64_t>(value) + kWordStride));
}

bool is_same_tensor(const P2pPart& left, const P2pPart& right) {
  return left.step == right.step && left.stage == right.stage && left.micro == right.micro;
}

// What both ends call a transfer of one of these types.
enum class Cargo : std::uint8_t { activation, gradient, data };

Cargo cargo_of(StepType type) {
  if (type == StepType::data_send || type == StepType::data_recv) return Cargo::data;
  const bool forward = type == StepType::fwd_send || type == StepType::fwd_recv;
  return forward ? Cargo::activation : Cargo::gradient;
}

}  // namespace

Pattern part_pattern(const Program& program, const Kernel& kernel, std::int32_t offset) {
  const P2pPart* parts = &program.p2p_parts[static_cast<std::size_t>(kernel.first_part)];
  const P2pPart& part = parts[offset];
  std::int32_t tensor = 0;  // a stage may send several
  for (std::int32_t before = 0; before < offset; ++before) {
    if (is_same_tensor(parts[before], part)) ++tensor;
  }
  const Cargo cargo = cargo_of(part.step);
  // Activations and data go one stage down, gradients one up.
  const std::int32_t down = cargo == Cargo::gradient ? -1 : 1;
  const std::int32_t sending_stage = part.is_send ? part.stage : part.stage - down;
  std::uint64_t key = joined(1, static_cast<std::int64_t>(cargo));
  key = joined(key, sending_stage);
  key = joined(key, part.micro);
  key = joined(key, tensor);
  return {joined(key, part.is_send ? kernel.rank : part.peer), kWordStride};
}

Pattern block_pattern(const Kernel& kernel, std::int32_t sender, std::int32_t block) {
  std::uint64_t key = joined(2, static_cast<std::int64_t>(kernel.part));
  key = joined(key, static_cast<std::int64_t>(kernel.step));
  key = joined(key, static_cast<std::int64_t>(kernel.direction));
  key = joined(key, kernel.stage);
  key = joined(key, kernel.micro);
  key = joined(key, kernel.layer);
  key = joined(key, sender);
  return {joined(key, block), kWordStride};
}

Pattern sum_pattern(const Kernel& kernel, std::span<const std::int32_t> senders,
                    std::int32_t block) {
  Pattern sum{0, 0};
  for (const std::int32_t sender : senders) {
    const Pattern pattern = block_pattern(kernel, sender, block);
    sum.base += pattern.base;
    sum.stride += pattern.stride;
  }
  return sum;
}

std::size_t words_of(Bytes bytes) {
  if (bytes <= 0) return 0;
  return bytes < 8 ? 1 : static_cast<std::size_t>(bytes) / 8;
}

void write_pattern(std::span<std::uint64_t> words, Pattern pattern, std::size_t step) {
  if (words.empty()) return;
  for (std::size_t index = 0; index < words.size(); index += step) {
    words[index] = pattern.base + index * pattern.stride;
  }
  words.back() = pattern.base + (words.size() - 1) * pattern.stride;
}

std::size_t find_mismatch(std::span<const std::uint64_t> words, Pattern pattern, std::size_t step) {
  if (words.empty()) return 0;
  for (std::size_t index = 0; index < words.size(); index += step) {
    if (words[index] != pattern.base + index * pattern.stride) return index;
  }
  const std::size_t last = words.size() - 1;
  return words[last] == pattern.base + last * pattern.stride ? words.size() : last;
}

}  // namespace steptwin::hw
