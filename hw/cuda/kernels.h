#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace steptwin::hw::cuda {

// Our own device code, all of it.

// Which words of a payload say what: word i is base + i * stride (hw/payload.h). Of `count` words
// those at multiples of `step` are looked at, and the last.
struct PatternWords {
  std::uint64_t* words = nullptr;
  std::size_t count = 0;
  std::size_t step = 1;
  std::uint64_t base = 0;
  std::uint64_t stride = 0;
};

// What a check found wrong, for the host to read when the stream has ended. One is enough: the
// first that finds something takes it. In pinned memory; zero at first.
struct Mismatch {
  std::uint32_t taken = 0;
  std::int32_t part = 0;
  std::int64_t kernel = 0;
  std::uint64_t word = 0;
  std::uint64_t count = 0;
  std::uint64_t found = 0;
  std::uint64_t expected = 0;
};

struct CheckedPart {
  std::int64_t kernel = 0;
  std::int32_t part = 0;
};

cudaError_t fill_pattern(const PatternWords& payload, cudaStream_t stream);

// Also spoils the words it has looked at: what is right in them the next time has been written
// anew.
cudaError_t check_pattern(const PatternWords& payload, CheckedPart part, Mismatch* found,
                          cudaStream_t stream);

// Lasts so long, on one multiprocessor, or until `*over` is not zero. `over`: in pinned memory.
cudaError_t spin(std::int64_t duration_ns, const std::uint32_t* over, cudaStream_t stream);

}  // namespace steptwin::hw::cuda
