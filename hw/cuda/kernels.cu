#include "hw/cuda/kernels.h"

namespace steptwin::hw::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kMostBlocks = 512;

// How many words of a payload are looked at: the last may stand at a multiple of the step itself.
__host__ __device__ std::size_t places_of(const PatternWords& payload) {
  const std::size_t regular = (payload.count + payload.step - 1) / payload.step;
  return regular + ((payload.count - 1) % payload.step == 0 ? 0 : 1);
}

__device__ std::size_t word_at(const PatternWords& payload, std::size_t place) {
  const std::size_t word = place * payload.step;
  return word < payload.count ? word : payload.count - 1;
}

__global__ void fill(PatternWords payload) {
  const std::size_t places = places_of(payload);
  for (std::size_t place = blockIdx.x * blockDim.x + threadIdx.x; place < places;
       place += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const std::size_t word = word_at(payload, place);
    payload.words[word] = payload.base + word * payload.stride;
  }
}

__global__ void compare(PatternWords payload, CheckedPart part, Mismatch* found) {
  const std::size_t places = places_of(payload);
  for (std::size_t place = blockIdx.x * blockDim.x + threadIdx.x; place < places;
       place += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const std::size_t word = word_at(payload, place);
    const std::uint64_t expected = payload.base + word * payload.stride;
    const std::uint64_t value = payload.words[word];
    payload.words[word] = ~expected;
    if (value == expected || atomicCAS(&found->taken, 0U, 1U) != 0U) continue;
    found->part = part.part;
    found->kernel = part.kernel;
    found->word = word;
    found->count = payload.count;
    found->found = value;
    found->expected = expected;
    __threadfence_system();
  }
}

__device__ std::uint64_t now_ns() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_for(std::uint64_t duration_ns, const volatile std::uint32_t* over) {
  constexpr unsigned kTurnsPerLook = 64;  // a look at the host's memory takes a microsecond
  const std::uint64_t begin = now_ns();
  for (unsigned turn = 1; now_ns() - begin < duration_ns; ++turn) {
    if (turn % kTurnsPerLook == 0 && *over != 0U) return;
    __nanosleep(100);
  }
}

unsigned blocks_for(std::size_t places) {
  const std::size_t blocks = (places + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

}  // namespace

cudaError_t fill_pattern(const PatternWords& payload, cudaStream_t stream) {
  if (payload.count == 0) return cudaSuccess;
  fill<<<blocks_for(places_of(payload)), kThreads, 0, stream>>>(payload);
  return cudaGetLastError();
}

cudaError_t check_pattern(const PatternWords& payload, CheckedPart part, Mismatch* found,
                          cudaStream_t stream) {
  if (payload.count == 0) return cudaSuccess;
  compare<<<blocks_for(places_of(payload)), kThreads, 0, stream>>>(payload, part, found);
  return cudaGetLastError();
}

cudaError_t spin(std::int64_t duration_ns, const std::uint32_t* over, cudaStream_t stream) {
  wait_for<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(duration_ns), over);
  return cudaGetLastError();
}

}  // namespace steptwin::hw::cuda
