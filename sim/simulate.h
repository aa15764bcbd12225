#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin::sim {

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

struct Options {
  bool host_records = true;
};

// Runs a valid Program (model/validate.h) by the timing rules of docs/semantics: exact,
// deterministic, integer time. Throws Error if two calls that match by position differ in kind or
// size, naming both.
std::variant<Trace, Deadlock> simulate(const Program& program, const Options& options = {});

}  // namespace steptwin::sim
