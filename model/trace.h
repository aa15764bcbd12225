#pragma once

#include <cstdint>
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
  std::vector<TraceRank> ranks;
  std::vector<TraceKernel> kernels;
  std::vector<HostRecord> host;
  std::vector<MemoryRecord> memory;
};

}  // namespace steptwin
