#include "hw/mpi/agreement.h"

#include <boost/container_hash/hash.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <vector>

#include "hw/mpi/check.h"
#include "hw/mpi/patience.h"

namespace steptwin::hw {
namespace {

std::size_t digest_of(const Program& program, const RunOptions& options, std::string_view how) {
  std::size_t digest = 0;
  const auto add = [&digest](const auto&... values) { (boost::hash_combine(digest, values), ...); };
  add(std::string(how), options.repeat, options.warmup, options.deadline.count(), options.traced);
  add(program.eager_bytes);
  for (const Kernel& kernel : program.kernels) {
    add(kernel.rank, kernel.stream, static_cast<int>(kernel.kind), kernel.stage, kernel.micro,
        kernel.communicator, kernel.duration_ns, kernel.bytes);
  }
  for (const P2pPart& part : program.p2p_parts) {
    add(part.is_send, part.peer, part.bytes, part.transfer_ns);
  }
  for (const Communicator& communicator : program.communicators) {
    add(communicator.name, communicator.ranks);
  }
  for (const RankProgram& rank : program.ranks) {
    for (const HostThread& thread : rank.threads) {
      for (const Command& command : thread.commands) add(static_cast<int>(command.type));
    }
  }
  return digest;
}

}  // namespace

void require_agreement(const Program& program, const RunOptions& options, std::string_view how) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPoll{1};
  int processes = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
  const auto own = static_cast<std::uint64_t>(digest_of(program, options, how));
  std::vector<std::uint64_t> all(static_cast<std::size_t>(processes));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request),
      "MPI_Iallgather");
  const Clock::time_point end = Clock::now() + kMpiPatience;
  int over = 0;
  while (true) {
    check_mpi(MPI_Test(&request, &over, MPI_STATUS_IGNORE), "MPI_Test");
    if (over != 0) break;
    if (Clock::now() > end) throw MachineError("not all processes have come to the run");
    std::this_thread::sleep_for(kPoll);
  }
  for (std::size_t process = 0; process < all.size(); ++process) {
    if (all[process] == all[0]) continue;
    throw MachineError(fmt::format(
        "process {} is about to run something else than process 0; start all of them with the same "
        "scenario and options",
        process));
  }
}

}  // namespace steptwin::hw
