#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/program.h"
#include "model/units.h"

namespace steptwin {

// What both runtimes write and all reports read.

// One kernel's life.
//   enqueue  appended to its stream
//   ready    head of the stream, its waits done; communication: arrived
//   start    work or transfer begins; start - ready is waiting for the peer
//   end
struct KernelTimes {
  TimeNs enqueue_ns = 0;
  TimeNs ready_ns = 0;
  TimeNs start_ns = 0;
  TimeNs end_ns = 0;

  friend bool operator==(const KernelTimes&, const KernelTimes&) = default;
};

// One transfer of a kernel that makes several: the P2P step it came from, and its own start and
// end. At an instant the kernel transfers if any of its parts does, and else waits for a peer.
struct TracePart {
  StepType step = StepType::fwd_send;
  std::int32_t stage = -1;
  std::int32_t micro = -1;
  TimeNs start_ns = 0;
  TimeNs end_ns = 0;

  friend bool operator==(const TracePart&, const TracePart&) = default;
};

struct TraceKernel {
  std::int64_t kernel = 0;  // id, shared by the simulated and the real trace of one Program
  std::int32_t rank = 0;
  std::int32_t thread = 0;  // that launched it
  std::int32_t stream = 0;
  KernelKind kind = KernelKind::compute;
  Part part = Part::chunk;
  Direction direction = Direction::none;
  StepType step = StepType::fwd;
  std::int32_t stage = -1;
  std::int32_t micro = -1;
  std::int32_t layer = -1;
  std::int32_t first_part = -1;     // into Trace::parts; -1 with fewer than two parts
  std::vector<std::int32_t> peers;  // p2p: peer of each part
  Bytes bytes = 0;                  // p2p: sum over parts
  KernelTimes times;
};

struct HostRecord {
  std::int32_t rank = 0;
  std::int32_t thread = 0;
  CommandType command = CommandType::launch;
  Role role = Role::comm;  // rendezvous and notify
  Hook hook = Hook::none;
  std::int32_t layer = -1;
  std::int64_t kernel = -1;  // launch
  TimeNs begin_ns = 0;
  TimeNs end_ns = 0;
};

// A change of a rank's device memory; bytes < 0: given back.
struct MemoryRecord {
  std::int32_t rank = 0;
  TimeNs at_ns = 0;
  MemoryClass memory = MemoryClass::parameters;
  Bytes bytes = 0;

  friend bool operator==(const MemoryRecord&, const MemoryRecord&) = default;
};

struct TraceRank {
  std::vector<std::string> streams;
  std::vector<std::string> threads;
};

// Kernels are ordered by id, host records by (rank, thread, position in the thread's commands),
// memory records by (rank, time), at an instant what is given back first.
struct Trace {
  // Where the step begins: of a real run where all ranks were released together; none: with its
  // first kernel.
  std::optional<TimeNs> begin_ns;
  std::vector<TraceRank> ranks;
  std::vector<TraceKernel> kernels;
  std::vector<TracePart> parts;  // of the kernels with several, one after the other
  std::vector<HostRecord> host;
  std::vector<MemoryRecord> memory;
};

// One for each peer of the kernel; empty with fewer than two.
inline std::span<const TracePart> parts_of(const Trace& trace, const TraceKernel& kernel) {
  if (kernel.first_part < 0) return {};
  return std::span(trace.parts)
      .subspan(static_cast<std::size_t>(kernel.first_part), kernel.peers.size());
}

}  // namespace steptwin
