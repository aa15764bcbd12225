#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin {

// How far a Program had come when nothing could happen any more: what a simulated and a real run
// know alike, and all that is needed to say what each thread and stream waits for.

enum class ThreadStop : std::uint8_t {
  running,  // it could go on by itself
  in_event,
  in_join,
  in_barrier,  // first at the rendezvous
  in_notify,   // COMPUTE side past the barrier, waits for the COMM side's notify
  unborn,
  ended,
};

struct StoppedThread {
  ThreadStop stop = ThreadStop::unborn;
  std::int32_t position = 0;  // of the command it has not completed
};

// What was appended, in order. The entry after those passed is the head; a kernel there has
// arrived: its waits hold.
struct StoppedStream {
  std::vector<std::int32_t> entries;  // a kernel, or ~event for a wait
  std::int32_t passed = 0;
};

// An event covers the first `covered` entries of a stream; stream -1: not recorded.
struct EventPlace {
  std::int32_t stream = -1;
  std::int32_t covered = 0;
};

struct StoppedRank {
  std::vector<StoppedThread> threads;
  std::vector<StoppedStream> streams;
  std::vector<EventPlace> events;
  std::int32_t forked = -1;  // the thread that main forked and has not joined; -1: none
};

struct Standstill {
  const Program* program = nullptr;
  std::vector<StoppedRank> ranks;

  const StoppedThread& thread(std::int32_t rank, std::int32_t number) const {
    return ranks[static_cast<std::size_t>(rank)].threads[static_cast<std::size_t>(number)];
  }
  const StoppedStream& stream(std::int32_t rank, std::int32_t index) const {
    return ranks[static_cast<std::size_t>(rank)].streams[static_cast<std::size_t>(index)];
  }
  const std::vector<Command>& commands(std::int32_t rank, std::int32_t number) const {
    return program->ranks[static_cast<std::size_t>(rank)]
        .threads[static_cast<std::size_t>(number)]
        .commands;
  }
};

// Whether a part of the kernel at the head of a stream has not met its other end: parts between
// the same ordered pair on the same communicator match by position. An eager send waits for nobody.
bool part_waits(const Standstill& standstill, const Kernel& kernel, const P2pPart& part);

// Whether the member has come to the call of the collective at the head of a stream.
bool has_arrived(const Standstill& standstill, const Kernel& kernel, std::int32_t member);

// A host thread or a stream that can never go on.
struct BlockedItem {
  std::int32_t rank = 0;
  bool is_thread = false;
  std::int32_t index = 0;     // thread number, or stream index
  std::int64_t kernel = -1;   // stream: the kernel at its head, -1 if the head is a wait entry
  std::int64_t command = -1;  // thread: position of the command it hangs in
  std::string text;           // "rank 0 thread main hangs in rendezvous A2 ..., waiting for ..."
};

// Nothing can happen any more and something is unfinished.
struct Deadlock {
  TimeNs at_ns = 0;                  // the last instant at which anything happened
  std::vector<BlockedItem> blocked;  // threads and streams, by (rank, threads first, index)
  std::vector<std::int32_t> cycle;   // indices into blocked, each waits for the next, the last for
                                     // the first; empty if something waits for what never comes
  // Index into blocked: where the cycle begins; without one, the first that waits for what nobody
  // is left to bring.
  std::int32_t first = 0;
  std::vector<std::int64_t> awaited;  // by place in the cycle: the kernel it waits for, or -1
  std::string cycle_text;             // the cycle as sentences
  std::vector<KernelTimes> times;     // -1 where it never came to it
};

// What hangs where, what each waits for, and the shortest cycle among them; at_ns and times are
// left to who knows them.
//
// The wait-for graph has a vertex for every blocked thread and stream. A thread waits for the
// stream (or the thread) its event hangs on, for the thread it joins, or for its partner at the
// rendezvous. A stream waits for the stream its head's event hangs on, or for where the other
// ends of its communication kernel are: a stream they stand behind on, or the thread that has yet
// to launch them.
Deadlock explain(const Standstill& standstill);

}  // namespace steptwin
