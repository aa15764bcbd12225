#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/contention.h"
#include "model/large_array.h"
#include "model/step.h"
#include "model/units.h"

namespace steptwin {

// The Program: what every rank's host threads do, command by command, and the kernels they launch.
// CUDA-like; the simulator and the executor run it and need nothing above it. Flat arrays, no
// strings in kernels or commands: a step of 64 ranks and 4096 micro-batches has 1.5 million
// kernels.

enum class KernelKind : std::uint8_t {
  compute,
  p2p,
  all_to_all,
  all_gather,
  reduce_scatter,
  all_reduce,
  copy,
};
std::string_view name_of(KernelKind kind);
inline bool is_collective(KernelKind kind) {
  return kind >= KernelKind::all_to_all && kind <= KernelKind::all_reduce;
}
inline bool is_communication(KernelKind kind) {
  return kind == KernelKind::p2p || is_collective(kind);
}

// Which part of the model a kernel is. `chunk` is a whole stage, where costs are given per stage.
enum class Part : std::uint8_t {
  chunk,
  embedding,
  attention,
  counts,
  dispatch,
  experts,
  combine,
  mlp,
  head,
  p2p,
  data,
  unshard,
  reduce_grad,
  offload,
  load,
};
std::string_view name_of(Part part);

enum class Direction : std::uint8_t { none, forward, backward, backward_input, backward_weight };
std::string_view name_of(Direction direction);

// One transfer at one of its ends. What it carries is named by the P2P step it came from: the
// kernel of a batch has many.
struct P2pPart {
  bool is_send = false;
  StepType step = StepType::fwd_send;
  std::int32_t peer = 0;  // world rank
  std::int32_t stage = -1;
  std::int32_t micro = -1;
  Bytes bytes = 0;
  TimeNs transfer_ns = 0;  // uncontended latency + bytes / bandwidth
};

struct Kernel {
  std::int32_t rank = 0;
  std::int32_t stream = 0;  // index into the rank's streams
  KernelKind kind = KernelKind::compute;
  Part part = Part::chunk;
  Direction direction = Direction::none;
  StepType step = StepType::fwd;  // the leaf step it came from, or the batch
  std::int32_t stage = -1;
  std::int32_t micro = -1;
  std::int32_t layer = -1;         // of the stage, from 0; files and people count from 1
  std::int32_t launches = 1;       // device launches it stands for
  std::int32_t communicator = -1;  // communication kernels only
  std::int32_t part_count = 0;     // p2p only
  std::int32_t first_part = 0;     // into Program::p2p_parts
  TimeNs duration_ns = 0;          // uncontended; 0 for p2p, whose parts have their own times
  Bytes bytes = 0;                 // what a collective or copy moves per rank; 0 for p2p
};

enum class CommandType : std::uint8_t {
  launch,
  record,
  wait,
  host_wait,
  host_work,
  rendezvous,
  notify,
  depart,
  fork,
  join,
};
std::string_view name_of(CommandType type);

enum class Role : std::uint8_t { comm, compute };
std::string_view name_of(Role role);

// A, B, C, D: before dispatch, after dispatch, before combine, after combine. The D of a chunk's
// last MoE layer is a hook of its own: it notifies and does not wait.
enum class Hook : std::uint8_t { none, a, b, c, d, d_last };
std::string_view name_of(Hook hook);  // "A", ..., "D", "D_LAST"; "-" for none

// One host command, four to a cache line. Which fields count:
//
//   launch k            kernel; stream and index repeat the kernel's stream and its launches, so
//                       that a host thread need not look at kernels
//   record e, stream    index = event, stream; kernel: -1, or a kernel of that stream whose launch
//                       is over by then, and then the event covers only what was appended up to
//                       that kernel
//   wait stream, e      index = event, stream
//   host_wait e         index = event
//   host_work d         index = where in the rank's host_work_ns the duration stands
//   rendezvous, notify  role; hook and index = layer say where, for reports (model/hooks.h)
//   depart
//   fork j, join j      index = thread number
struct Command {
  CommandType type = CommandType::launch;
  Role role = Role::comm;
  Hook hook = Hook::none;
  std::int32_t stream = -1;
  std::int32_t index = -1;
  std::int32_t kernel = -1;

  friend bool operator==(const Command&, const Command&) = default;
};

struct HostThread {
  std::string name;  // "main", "backward.1"
  std::vector<Command> commands;
};

// Thread 0 is main. Only main forks and joins; at most one forked thread lives at a time, and main
// and it are the two sides of the rendezvous.
struct RankProgram {
  std::vector<std::string> streams;
  std::vector<HostThread> threads;
  std::int32_t events = 0;  // events are numbered 0..events-1 and recorded once each
  std::vector<TimeNs> host_work_ns;
};

// What shares a communicator shares an order: position in it is what sends and receives, and the
// calls of a collective, are matched by. On one rank a communicator is used from one stream only.
struct Communicator {
  std::string name;
  std::vector<std::int32_t> ranks;  // world ranks, ascending
};

// What takes a device's memory.
enum class MemoryClass : std::uint8_t {
  parameters,
  gradients,
  optimizer,
  gathered,  // parameters of other peers, while a sharded stage is resident
  activations,
  p2p_buffers,
};
std::string_view name_of(MemoryClass memory);
inline constexpr std::size_t kMemoryClasses = 6;

// When a change of memory happens: at the beginning of the step, when a kernel becomes ready or
// starts, or when the last of a few has ended.
enum class MemoryMoment : std::uint8_t { beginning, ready, start, end };

struct MemoryChange {
  std::int32_t rank = 0;
  MemoryClass memory = MemoryClass::parameters;
  MemoryMoment moment = MemoryMoment::beginning;
  std::array<std::int32_t, 3> kernels = {-1, -1, -1};  // -1: none; more than one for `end` only
  Bytes bytes = 0;                                     // more than 0 is taken, less is given back
};

struct HostCosts {
  TimeNs launch_ns = 0;
  TimeNs event_ns = 0;
  TimeNs rendezvous_ns = 0;
  TimeNs wake_ns = 0;
  TimeNs fork_ns = 0;
  bool one_launch_lock = false;  // host.threads = "one"

  friend bool operator==(const HostCosts&, const HostCosts&) = default;
};

struct Program {
  HostCosts host;
  Bytes eager_bytes = 0;  // a part of at most that many lets its sender end alone; 0: none does
  Contention contention;
  std::vector<Communicator> communicators;
  std::vector<RankProgram> ranks;
  LargeArray<Kernel> kernels;  // a kernel's id is its index
  LargeArray<P2pPart> p2p_parts;
  std::vector<MemoryChange> memory;  // none where the scenario gives no sizes
};

// The parts of a p2p kernel; of others none.
inline std::span<const P2pPart> parts_of(const Program& program, const Kernel& kernel) {
  return std::span(program.p2p_parts.data(), program.p2p_parts.size())
      .subspan(static_cast<std::size_t>(kernel.first_part),
               static_cast<std::size_t>(kernel.part_count));
}

// Whether the sending part ends without its receiver: its transfer begins when its kernel arrives.
inline bool is_eager(const Program& program, const P2pPart& part) {
  return part.is_send && program.eager_bytes > 0 && part.bytes <= program.eager_bytes;
}

std::string step_label(const Kernel& kernel);  // of the step it came from

}  // namespace steptwin
