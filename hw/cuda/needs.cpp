#include "hw/cuda/needs.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "hw/collective.h"
#include "hw/payload.h"

namespace steptwin::hw::cuda {
namespace {

template <typename Value>
std::vector<Value> list_of(const std::set<Value>& values) {
  return {values.begin(), values.end()};
}

class Survey {
 public:
  explicit Survey(const Program& program)
      : program_(program),
        works_(program.ranks.size()),
        edges_(program.communicators.size()),
        kinds_(program.communicators.size()) {
    for (const RankProgram& rank : program.ranks) {
      needs_.ranks.emplace_back();
      needs_.ranks.back().streams.resize(rank.streams.size());
      needs_.ranks.back().events = static_cast<std::size_t>(rank.events);
    }
    for (const Communicator& communicator : program.communicators) {
      needs_.communicators.emplace_back();
      needs_.communicators.back().stream_of.assign(communicator.ranks.size(), -1);
    }
  }

  JobNeeds made() {
    needs_.number.reserve(program_.kernels.size());
    for (const Kernel& kernel : program_.kernels) note(kernel);
    for (std::size_t rank = 0; rank < works_.size(); ++rank) {
      needs_.ranks[rank].works = list_of(works_[rank]);
    }
    for (std::size_t index = 0; index < edges_.size(); ++index) {
      needs_.communicators[index].edges = list_of(edges_[index]);
      needs_.communicators[index].collectives = list_of(kinds_[index]);
    }
    return std::move(needs_);
  }

 private:
  void note(const Kernel& kernel) {
    const auto rank = static_cast<std::size_t>(kernel.rank);
    RankNeeds& own = needs_.ranks[rank];
    StreamNeeds& stream = own.streams[static_cast<std::size_t>(kernel.stream)];
    needs_.number.push_back(static_cast<std::int32_t>(own.kernels++));
    if (kernel.kind == KernelKind::compute) {
      stream.computes = true;
      works_[rank].insert({kernel.duration_ns, kernel.launches});
    } else if (kernel.kind == KernelKind::copy) {
      stream.copied_bytes = std::max(stream.copied_bytes, static_cast<std::size_t>(kernel.bytes));
    } else {
      stream.communicates = true;
      stream.words = std::max(
          stream.words, kernel.kind == KernelKind::p2p ? p2p_words(kernel) : call_words(kernel));
      const Communicator& members =
          program_.communicators[static_cast<std::size_t>(kernel.communicator)];
      CommunicatorNeeds& communicator =
          needs_.communicators[static_cast<std::size_t>(kernel.communicator)];
      communicator.stream_of[static_cast<std::size_t>(place_of(members, kernel.rank))] =
          kernel.stream;
    }
  }

  std::size_t p2p_words(const Kernel& kernel) {
    std::size_t words = 0;
    for (const P2pPart& part : parts_of(program_, kernel)) {
      words += words_carried(part.bytes);
      edges_[static_cast<std::size_t>(kernel.communicator)].insert(
          part.is_send ? std::pair(kernel.rank, part.peer) : std::pair(part.peer, kernel.rank));
    }
    return words;
  }

  std::size_t call_words(const Kernel& kernel) {
    const auto communicator = static_cast<std::size_t>(kernel.communicator);
    const std::size_t members = program_.communicators[communicator].ranks.size();
    kinds_[communicator].insert(kernel.kind);
    return (brought_blocks(kernel.kind, members) + result_blocks(kernel.kind, members)) *
           words_carried(kernel.bytes / static_cast<Bytes>(members));
  }

  const Program& program_;
  JobNeeds needs_;
  std::vector<std::set<WorkKind>> works_;                               // by rank
  std::vector<std::set<std::pair<std::int32_t, std::int32_t>>> edges_;  // by communicator
  std::vector<std::set<KernelKind>> kinds_;
};

}  // namespace

std::size_t words_carried(Bytes bytes) {
  return std::max<std::size_t>(words_of(bytes), 1);
}

JobNeeds needs_of(const Program& program) {
  return Survey(program).made();
}

std::int32_t place_of(const Communicator& communicator, std::int32_t rank) {
  const auto found = std::lower_bound(communicator.ranks.begin(), communicator.ranks.end(), rank);
  assert(found != communicator.ranks.end() && *found == rank);
  return static_cast<std::int32_t>(found - communicator.ranks.begin());
}

}  // namespace steptwin::hw::cuda
