#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "model/program.h"
#include "model/trace.h"
#include "model/units.h"

// The inside of the naive simulator: what is true at the present instant. The rules are in
// naive_simulator.h.
namespace steptwin::naive {

inline constexpr TimeNs kNever = -1;

struct StreamEntry {
  bool is_wait = false;
  std::int32_t index = 0;  // event, or kernel
};

struct StreamState {
  std::vector<StreamEntry> entries;  // everything ever appended
  std::size_t passed = 0;            // entries ended or passed; the head is entries[passed]
};

struct EventState {
  std::int32_t stream = -1;  // -1: not recorded yet
  std::size_t covers = 0;    // how many entries of the stream must be behind
  TimeNs complete_ns = kNever;
};

enum class Activity { unborn, free, timed, wants_lock, blocked, ended };

struct ThreadState {
  Activity activity = Activity::unborn;
  std::size_t next = 0;  // position of the command in progress or to come
  TimeNs begin_ns = 0;   // of the command in progress
  TimeNs until_ns = 0;   // timed: when it completes
  TimeNs ended_ns = kNever;
  std::vector<HostRecord> records;
};

// Where one side of an overlap stands in its rendezvous.
enum class Stand { outside, at_barrier, leaving, awaiting_notify };

struct SideState {
  Stand stand = Stand::outside;
  Role role = Role::comm;        // of the rendezvous it stands in
  bool needs_notify = false;     // leaving: may not complete before the partner's notify(COMM)
  bool partner_is_comm = false;  // in the barrier that opened
  TimeNs leave_ns = kNever;      // leaving: when it may
  TimeNs notified_ns = kNever;   // the partner's notify(COMM) after this barrier
  TimeNs released_ns = kNever;   // the partner departed while this side was blocked
  bool owes_notify = false;      // completed a COMM rendezvous and has not notified since
  bool departed = false;
};

struct RankState {
  std::vector<StreamState> streams;
  std::vector<EventState> events;
  std::vector<ThreadState> threads;
  std::int32_t forked = -1;              // the thread of the overlap under way
  std::array<SideState, 2> sides;        // main, forked
  std::vector<std::int32_t> lock_queue;  // threads holding (front) or wanting the launch lock
};

struct KernelState {
  KernelTimes times{kNever, kNever, kNever, kNever};
  TimeNs end_ns = kNever;              // when all its work has ended; times.end_ns once it has
  std::vector<TimeNs> part_starts_ns;  // p2p
  std::vector<TimeNs> part_ends_ns;
};

struct ArrivedPart {
  std::int32_t kernel = 0;
  std::int32_t part = 0;
};

// The parts from one rank to another on one communicator, in order of arrival.
struct Lane {
  std::vector<ArrivedPart> sends;
  std::vector<ArrivedPart> receives;
  std::size_t begun = 0;
};

struct CollectiveCalls {
  std::vector<std::vector<std::int32_t>> of_member;  // kernels, in order of arrival
  std::size_t begun = 0;
};

// Work, and what is left of it: 2^60 of them are a nanosecond at full rate.
__extension__ typedef __int128 Units;  // NOLINT(modernize-use-using): an extension

// Something that takes time on a device or between devices, from its beginning to its end.
struct Work {
  enum class Kind { device, transfer, collective };
  Kind kind = Kind::device;
  std::int32_t kernel = 0;             // device: the kernel
  ArrivedPart send;                    // transfer
  std::optional<ArrivedPart> receive;  // nothing before the receiver of an eager send arrives
  std::vector<std::int32_t> calls;     // collective: the kernels of all members
  Units left = 0;
  Units left_on_ports = 0;  // what ports will carry of it: it is on them once no more is left
};

struct State {
  const Program* program = nullptr;
  TimeNs now_ns = 0;
  std::vector<RankState> ranks;
  std::vector<KernelState> kernels;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Lane>
      lanes;                                 // by communicator, sender, receiver
  std::vector<CollectiveCalls> collectives;  // by communicator
  std::vector<Work> works;                   // that go on
};

// std::size_t of an index that is known to be in range.
inline std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// naive_streams.cpp. Steps (a) and (c) of a round; true if anything changed.
bool end_kernels_and_pass_waits(State& state);
bool start_kernels(State& state);
// Marks events complete whose coverage is behind; to be called whenever that may have changed.
void note_complete_events(State& state, std::int32_t rank);

// naive_work.cpp. What goes on, and how fast.
void begin_kernel(State& state, std::int32_t kernel);
void begin_transfer(State& state, const ArrivedPart& send, std::optional<ArrivedPart> receive);
void begin_call(State& state, const std::vector<std::int32_t>& kernels);
// The receiver of an eager send that has begun arrives.
void receive_eagerly(State& state, const ArrivedPart& send, const ArrivedPart& receive);
void end_works(State& state);
// When a work ends next, or gets to its ports, if rates stay as they are.
std::optional<TimeNs> next_of_works(const State& state);
void let_time_pass(State& state, TimeNs until_ns);

// naive_host.cpp. A thread's turn in (b); true if anything changed.
bool take_turn(State& state, std::int32_t rank, std::int32_t thread);
// When a timed or blocked thread goes on, if that is known.
std::optional<TimeNs> goes_on_ns(const State& state, std::int32_t rank, std::int32_t thread);

// naive_rendezvous.cpp. The sides of an overlap.
void begin_overlap(RankState& rank, std::int32_t forked);
void end_overlap(RankState& rank);
// The thread begins its rendezvous, or looks again at the one it is blocked in; true if that
// completes it.
bool arrive(State& state, std::int32_t rank, std::int32_t thread, Role role);
bool look_again(State& state, std::int32_t rank, std::int32_t thread);
void notify(State& state, std::int32_t rank, std::int32_t thread, Role role);
void depart(State& state, std::int32_t rank, std::int32_t thread);
std::optional<TimeNs> leaves_ns(const State& state, std::int32_t rank, std::int32_t thread);

}  // namespace steptwin::naive
