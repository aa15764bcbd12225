#include "hw/mpi/links.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <thread>

#include "hw/host/alarm.h"
#include "hw/host/clock.h"
#include "hw/mpi/check.h"

namespace steptwin::hw {
namespace {

constexpr std::chrono::microseconds kPoll{20};

enum class Message : std::uint8_t { sender_arrived, receiver_arrived, data };

int tag_of(std::int32_t communicator, Message message) {
  constexpr int kMessages = 3;
  return communicator * kMessages + static_cast<int>(message);
}

bool is_over(std::vector<MPI_Request>& requests) {
  int over = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &over, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  return over != 0;
}

}  // namespace

// One part of a kernel that is under way.
struct MpiLinks::Flight {
  Flight(End& of, std::int32_t rank_is, std::int32_t on, MPI_Comm through)
      : end(of), rank(rank_is), communicator(on), comm(through) {
    const Transfer& own = end.transfer;
    announced = own.bytes;
    const Message mine = own.is_send ? Message::sender_arrived : Message::receiver_arrived;
    const Message theirs = own.is_send ? Message::receiver_arrived : Message::sender_arrived;
    requests.resize(2);
    check_mpi(MPI_Isend(&announced, 1, MPI_INT64_T, own.peer, tag_of(communicator, mine), comm,
                        requests.data()),
              "MPI_Isend");
    check_mpi(MPI_Irecv(&answered, 1, MPI_INT64_T, own.peer, tag_of(communicator, theirs), comm,
                        &requests[1]),
              "MPI_Irecv");
    if (own.is_eager) {
      start_ns = host_now_ns();
      move_data();
    }
  }

  // Goes on as far as it can without waiting; whether it is over.
  bool settle() {
    if (over) return true;
    if (!end.transfer.is_eager) {
      if (!is_over(requests)) return false;
      if (start_ns < 0) {
        check_sizes();
        start_ns = host_now_ns();
        move_data();
        return false;
      }
    }
    if (host_now_ns() < start_ns + end.transfer.link_ns) return false;
    end.span = {start_ns, host_now_ns()};
    over = true;
    return true;
  }

  void check_sizes() const {
    if (answered == announced) return;
    throw std::runtime_error(
        fmt::format("a transfer between rank {} and rank {} has {} bytes here and {} bytes there",
                    rank, end.transfer.peer, announced, answered));
  }

  void move_data() {
    requests.emplace_back();
    const auto count = static_cast<int>(end.words.size());
    const int tag = tag_of(communicator, Message::data);
    const std::int32_t peer = end.transfer.peer;
    if (end.transfer.is_send) {
      check_mpi(MPI_Isend(end.words.data(), count, MPI_UINT64_T, peer, tag, comm, &requests.back()),
                "MPI_Isend");
    } else {
      check_mpi(MPI_Irecv(end.words.data(), count, MPI_UINT64_T, peer, tag, comm, &requests.back()),
                "MPI_Irecv");
    }
  }

  End& end;
  std::int32_t rank;
  std::int32_t communicator;
  MPI_Comm comm;
  std::vector<MPI_Request> requests;
  Bytes announced = 0;
  Bytes answered = 0;
  TimeNs start_ns = -1;
  bool over = false;
};

MpiLinks::MpiLinks(const Program& program, const Stop& stop) : stop_(stop) {
  int process = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &process), "MPI_Comm_rank");
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &transfers_), "MPI_Comm_dup");
  for (const Communicator& each : program.communicators) {
    const bool is_member = std::binary_search(each.ranks.begin(), each.ranks.end(), process);
    communicators_.emplace_back(MPI_COMM_NULL);
    calls_.emplace_back();
    check_mpi(MPI_Comm_split(MPI_COMM_WORLD, is_member ? 0 : MPI_UNDEFINED, process,
                             &communicators_.back()),
              "MPI_Comm_split");
  }
}

// A run that was given up leaves requests behind; its processes end without freeing anything.
MpiLinks::~MpiLinks() {
  if (stop_.requested()) return;
  for (MPI_Comm& comm : communicators_) {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  MPI_Comm_free(&transfers_);
}

void MpiLinks::await(std::vector<MPI_Request>& requests) const {
  while (!is_over(requests)) {
    stop_.check();
    std::this_thread::sleep_for(kPoll);
  }
}

void MpiLinks::transfer(std::int32_t rank, std::int32_t communicator, std::vector<End>& ends) {
  std::vector<Leftover> flights;  // MPI knows where their buffers are
  for (End& end : ends) {
    Leftover& made = flights.emplace_back();
    if (end.transfer.is_eager) {
      made.words.assign(end.words.begin(), end.words.end());
      end.words = made.words;
    }
    made.flight = std::make_unique<Flight>(end, rank, communicator, transfers_);
  }
  const auto leave = [&](bool all) {
    const std::lock_guard lock(mutex_);
    for (Leftover& each : flights) {
      if (all || each.flight->end.transfer.is_eager) leftovers_.push_back(std::move(each));
    }
  };
  try {
    while (!all_settled(flights)) {
      stop_.check();
      std::this_thread::sleep_for(kPoll);
    }
  } catch (...) {
    leave(true);  // what is under way is
    throw;
  }
  leave(false);
}

bool MpiLinks::all_settled(std::vector<Leftover>& flights) {
  bool all = true;
  for (const Leftover& each : flights) all = each.flight->settle() && all;
  return all;
}

TimeSpan MpiLinks::collective(const Collective& call, std::span<const std::uint64_t> brought,
                              std::span<std::uint64_t> results) {
  MPI_Comm comm = communicators_[static_cast<std::size_t>(call.communicator)];
  const std::size_t members = call.members.size();
  auto& [own, calls] = calls_[static_cast<std::size_t>(call.communicator)];
  own = {static_cast<std::int64_t>(call.kind), call.block_bytes};
  calls.assign(2 * members, 0);
  std::vector<MPI_Request> requests(1);
  check_mpi(MPI_Iallgather(own.data(), 2, MPI_INT64_T, calls.data(), 2, MPI_INT64_T, comm,
                           requests.data()),
            "MPI_Iallgather");
  await(requests);
  for (std::size_t member = 0; member < members; ++member) {
    if (calls[2 * member] == own[0] && calls[2 * member + 1] == own[1]) continue;
    throw std::runtime_error(
        fmt::format("rank {} calls {} with blocks of {} bytes where rank {} makes another call",
                    call.kernel->rank, name_of(call.kind), call.block_bytes, call.members[member]));
  }
  const TimeNs start = host_now_ns();
  const auto block = static_cast<int>(words_of(call.block_bytes));
  const auto whole = static_cast<int>(results.size());
  int result = MPI_SUCCESS;
  if (call.kind == KernelKind::all_to_all) {
    result = MPI_Ialltoall(brought.data(), block, MPI_UINT64_T, results.data(), block, MPI_UINT64_T,
                           comm, requests.data());
  } else if (call.kind == KernelKind::all_gather) {
    result = MPI_Iallgather(brought.data(), block, MPI_UINT64_T, results.data(), block,
                            MPI_UINT64_T, comm, requests.data());
  } else if (call.kind == KernelKind::reduce_scatter) {
    result = MPI_Ireduce_scatter_block(brought.data(), results.data(), block, MPI_UINT64_T, MPI_SUM,
                                       comm, requests.data());
  } else {
    result = MPI_Iallreduce(brought.data(), results.data(), whole, MPI_UINT64_T, MPI_SUM, comm,
                            requests.data());
  }
  check_mpi(result, "a collective");
  await(requests);
  Alarm(stop_).sleep_until(start + call.link_ns);
  return {start, host_now_ns()};
}

void MpiLinks::begin() {
  const std::lock_guard lock(mutex_);
  for (const Leftover& leftover : leftovers_) await(leftover.flight->requests);
  leftovers_.clear();
}

}  // namespace steptwin::hw
