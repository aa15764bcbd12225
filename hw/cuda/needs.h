#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "model/program.h"

namespace steptwin::hw::cuda {

// What a Program needs of its devices, so that everything is there before the first iteration.

// NCCL pairs no transfers of nothing: a payload has a word at least.
std::size_t words_carried(Bytes bytes);

struct StreamNeeds {
  std::size_t words = 0;  // of the largest kernel's payloads, sent and received
  std::size_t copied_bytes = 0;
  bool computes = false;
  bool communicates = false;
};

// Kernels of so much work, which the rank has.
struct WorkKind {
  TimeNs duration_ns = 0;
  std::int32_t launches = 1;

  friend bool operator==(const WorkKind&, const WorkKind&) = default;
  friend bool operator<(const WorkKind& left, const WorkKind& right) {
    return std::tie(left.duration_ns, left.launches) < std::tie(right.duration_ns, right.launches);
  }
};

struct RankNeeds {
  std::vector<StreamNeeds> streams;
  std::size_t kernels = 0;
  std::size_t events = 0;
  std::vector<WorkKind> works;  // ascending
};

// What goes through a communicator: pairs of sender and receiver and kinds of collectives, both
// ascending.
struct CommunicatorNeeds {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  std::vector<KernelKind> collectives;
  std::vector<std::int32_t> stream_of;  // by place of the member; -1: it does not use it
};

struct JobNeeds {
  std::vector<RankNeeds> ranks;
  std::vector<CommunicatorNeeds> communicators;
  std::vector<std::int32_t> number;  // by kernel: which of its rank's it is
};

JobNeeds needs_of(const Program& program);

// Where the rank stands among the members.
std::int32_t place_of(const Communicator& communicator, std::int32_t rank);

}  // namespace steptwin::hw::cuda
