#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "model/program.h"

namespace steptwin::sim {

// Units of work: a rate of 1 does kUnit of them in a nanosecond.
__extension__ typedef __int128 WorkUnits;  // NOLINT(modernize-use-using): an extension
inline constexpr std::int64_t kUnit = std::int64_t{1} << 60U;

// Whose work it is, for whoever asked for it.
struct WorkOwner {
  std::int32_t stream = -1;
  std::int32_t part = -1;
  std::int32_t other_stream = -1;
  std::int32_t other_part = -1;

  friend bool operator==(const WorkOwner&, const WorkOwner&) = default;
};

// The model of contention: work that goes on at the same time slows each other down.
//
// A work w (a compute kernel, a transfer, a collective) of duration d_w begins at a known time b_w
// and ends at the first whole nanosecond e_w by which it is done:
//
//   integral of r_w(t) dt from b_w to e_w  >=  d_w
//
// Alone its rate r_w is 1. Rates depend on what goes on at t, and as everything begins and ends at
// whole nanoseconds they change at nothing else:
//
//   compute on rank i     r = (1 - a [X_i > 0]) * min(1, c / (n D))
//   transfer from i to j  r = (1 - b [C_i + C_j > 0]) / max(O_i, I_j)    its latency being over
//                         r = (1 - b [C_i + C_j > 0])                    before
//   collective of M       r = (1 - b [C_i > 0 for an i in M]) / max of O_i, I_i over M
//
//   a, b      compute_loss and comm_loss
//   c         host_cores; that factor is 1 if they are not shared
//   C_i       compute kernels that run on rank i
//   X_i       communication kernels that occupy streams of rank i; while_waiting = false: only
//             while they transfer
//   n, D      compute kernels that run on the ranks of the host; devices that one rank stands for
//   O_i, I_i  flows on the out and the in port of rank i, of the link class of the work: within a
//             node, or across nodes. A transfer is one from when its latency is over, a collective
//             all along, across nodes if any of its members are on two. If ports are not shared
//             that factor is 1.
//
// Exactness. Work is counted in units of 2^-60 ns. A rate is the exact fraction times 2^60, rounded
// up to a whole number, so 1/3 of a nanosecond of work is done three times in a nanosecond. What is
// done in the last nanosecond beyond d_w is lost, and so is at most 2^-60 of a rate; a latency is
// over at the first whole nanosecond by which it is done, and what is done beyond counts for the
// bytes. Work and rates are integers: the times depend neither on the order in which works are
// visited nor on a machine's floating point.
//
// Use: works are announced in advance, in any order, but never for a time before the last advance.
// An announcement changes nothing before its time comes. A work without duration is none.
class SharedRates {
 public:
  explicit SharedRates(const Program& program);

  void compute(TimeNs from, std::int32_t rank, TimeNs duration_ns, const WorkOwner& owner);
  void transfer(TimeNs from, std::int32_t sender, std::int32_t receiver, TimeNs duration_ns,
                const WorkOwner& owner);
  void collective(TimeNs from, std::int32_t communicator, TimeNs duration_ns,
                  const WorkOwner& owner);
  void occupy(TimeNs from, std::int32_t rank);  // X_i + 1
  void vacate(TimeNs from, std::int32_t rank);  // X_i - 1

  // The next time at which a rate may change or a work end; nothing if all is done.
  std::optional<TimeNs> next_ns() const;
  // Goes on to next_ns(). Returns the owners of the works that end there, until the next call.
  const std::vector<WorkOwner>& advance();

 private:
  enum class Kind : std::uint8_t { compute, transfer, collective };

  struct Work {
    Kind kind = Kind::compute;
    bool on_ports = false;
    bool is_dirty = false;       // its rate is to be found anew
    std::uint8_t link = 0;       // class of its ports
    std::int32_t first = 0;      // rank, sender, communicator
    std::int32_t second = 0;     // receiver
    std::int32_t computing = 0;  // participants that compute
    std::uint32_t version = 0;   // of what stands in due_
    TimeNs as_of = 0;            // when `left` was right
    WorkUnits left = 0;
    WorkUnits left_on_ports = 0;  // what the ports carry of it
    std::int64_t rate = 0;        // units per nanosecond
    WorkOwner owner;
  };
  struct Change {
    enum class Kind : std::uint8_t { begin, occupy, vacate };
    TimeNs at = 0;
    Kind kind = Kind::begin;
    std::int32_t index = 0;                                              // work or rank
    bool operator<(const Change& other) const { return at > other.at; }  // the earliest on top
  };
  struct Due {
    TimeNs at = 0;
    std::int32_t work = 0;
    std::uint32_t version = 0;
    bool operator<(const Due& other) const { return at > other.at; }
  };
  struct Rank {
    std::int32_t occupied = 0;                              // X
    std::array<std::array<std::int32_t, 2>, 2> flows = {};  // by link class; out, in
    std::vector<std::int32_t> computes;                     // works that run
    std::vector<std::int32_t> communications;               // that it takes part in
  };
  struct Host {
    std::int32_t computing = 0;  // n
    std::vector<std::int32_t> ranks;
  };

  std::int32_t announce(TimeNs from, const Work& work);
  void apply(const Change& change);
  void begin(std::int32_t index);
  void end(std::int32_t index);
  void come_due(std::int32_t index);
  void occupy_by(std::int32_t rank, std::int32_t more);
  void compute_by(std::int32_t rank, std::int32_t work, bool begins);
  void flow_by(std::int32_t index, std::int32_t more);
  void port_by(std::int32_t rank, std::size_t link, std::size_t way, std::int32_t more);
  void mark(std::int32_t work);
  void settle(Work& work) const;
  void find_rate(std::int32_t index);
  std::int64_t rate_of(const Work& work) const;
  std::int32_t flows_beside(const Work& work) const;
  std::size_t link_of(std::int32_t communicator) const;
  void drop_stale();
  template <typename Visit>
  void for_each_participant(const Work& work, Visit&& visit);

  const Program* program_;
  const Contention* contention_;
  TimeNs now_ = 0;
  std::vector<Work> works_;
  std::vector<std::int32_t> free_works_;
  std::vector<Rank> ranks_;
  std::vector<Host> hosts_;
  std::vector<std::uint8_t> collective_link_;  // by communicator
  std::priority_queue<Change> changes_;
  std::priority_queue<Due> due_;
  std::vector<std::int32_t> dirty_;
  std::vector<WorkOwner> ended_;
};

}  // namespace steptwin::sim
