#include "sim/mismatch.h"

#include <fmt/format.h>
#include <string>

#include "model/error.h"

namespace steptwin::sim {
namespace {

std::string call_text(const Program& program, std::int64_t index) {
  const Kernel& kernel = program.kernels[static_cast<std::size_t>(index)];
  return fmt::format("kernel {} of rank {}, {} of {}", index, kernel.rank, name_of(kernel.kind),
                     step_label(kernel));
}

std::int64_t kernel_of_part(const Program& program, std::int32_t part) {
  std::int64_t index = 0;
  for (const Kernel& kernel : program.kernels) {
    if (part >= kernel.first_part && part < kernel.first_part + kernel.part_count) return index;
    ++index;
  }
  return -1;
}

}  // namespace

void throw_part_mismatch(const Program& program, std::int32_t part_index,
                         std::int32_t other_index) {
  const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(part_index)];
  const P2pPart& other_part = program.p2p_parts[static_cast<std::size_t>(other_index)];
  throw Error(
      fmt::format(
          "a send and its receive differ: {} has {} bytes in {} ns, {} has {} bytes in {} ns",
          call_text(program, kernel_of_part(program, part_index)), part.bytes, part.transfer_ns,
          call_text(program, kernel_of_part(program, other_index)), other_part.bytes,
          other_part.transfer_ns),
      "the same bytes and transfer time at both ends");
}

void throw_call_mismatch(const Program& program, std::int64_t kernel, std::int64_t other_kernel) {
  const Kernel& own = program.kernels[static_cast<std::size_t>(kernel)];
  const Kernel& other = program.kernels[static_cast<std::size_t>(other_kernel)];
  throw Error(fmt::format("two members call different collectives on communicator {}: {} with {} "
                          "bytes in {} ns, {} with {} bytes in {} ns",
                          program.communicators[static_cast<std::size_t>(own.communicator)].name,
                          call_text(program, kernel), own.bytes, own.duration_ns,
                          call_text(program, other_kernel), other.bytes, other.duration_ns),
              "the same kind, bytes and duration from every member");
}

}  // namespace steptwin::sim
