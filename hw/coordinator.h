#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "hw/stop.h"
#include "model/program.h"
#include "standstill/standstill.h"

namespace steptwin::hw {

// The A/B/C/D rendezvous of the two host threads of an overlap, for real threads.
//
// A rendezvous is a barrier of the two. After it the COMM side goes on at once; the COMPUTE side
// goes on when the COMM side has called its next notify(COMM):
//
//     main    attention ─┤A├─ launch dispatch ─ notify(COMM) ─┤B├─ ...
//     forked  ───────────┤C├──────── waits ────────┴─ launch experts' ...
//
// A side that departs, or a coordinator that is disabled, holds nobody back any more. Whoever waits
// comes loose by throwing Stopped when the run is given up.
class Coordinator {
 public:
  enum class Side : std::uint8_t { main, forked };

  explicit Coordinator(const Stop& stop) : stop_(stop) {}

  // An overlap begins, with neither side departed.
  void enable();
  // It is over, or one side has failed: every rendezvous, present and to come, lets go.
  void disable();

  // `where` shows in which part of it the thread waits.
  void rendezvous(Side side, Role role, std::atomic<ThreadStop>& where);
  // Means something only after a rendezvous of this side as COMM.
  void notify(Side side, Role role);
  void depart(Side side);

 private:
  using Lock = std::unique_lock<std::mutex>;

  template <typename Condition>
  void wait(Lock& lock, Condition condition);
  void open_barrier();

  const Stop& stop_;
  std::mutex mutex_;  // for what follows
  std::condition_variable_any changed_;
  bool enabled_ = false;
  std::uint64_t opened_ = 0;  // barriers so far
  std::array<bool, 2> in_barrier_ = {};
  std::array<Role, 2> role_ = {};
  std::array<bool, 2> departed_ = {};
  std::array<bool, 2> owes_notify_ = {};  // had a COMM rendezvous it has not notified yet
  std::array<bool, 2> notified_ = {};     // the partner's notify for the present barrier has come
};

}  // namespace steptwin::hw
