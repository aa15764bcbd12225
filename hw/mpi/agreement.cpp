#include "hw/mpi/agreement.h"

#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <thread>
#include <vector>

#include "hw/mpi/check.h"

namespace steptwin::hw {
namespace {

// FNV-1a, of numbers as eight bytes each.
class Digest {
 public:
  void add(std::int64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      value_ ^= (static_cast<std::uint64_t>(number) >> shift) & 0xffU;
      value_ *= 0x100000001b3ULL;
    }
  }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (const char letter : text) add(static_cast<std::int64_t>(letter));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

std::uint64_t digest_of(const Program& program, const RunOptions& options, std::string_view how) {
  Digest digest;
  digest.add(how);
  digest.add(options.repeat);
  digest.add(options.warmup);
  digest.add(options.deadline.count());
  digest.add(options.traced ? 1 : 0);
  digest.add(program.eager_bytes);
  for (const Kernel& kernel : program.kernels) {
    digest.add(kernel.rank);
    digest.add(kernel.stream);
    digest.add(static_cast<std::int64_t>(kernel.kind));
    digest.add(kernel.communicator);
    digest.add(kernel.duration_ns);
    digest.add(kernel.bytes);
  }
  for (const P2pPart& part : program.p2p_parts) {
    digest.add(part.is_send ? 1 : 0);
    digest.add(part.peer);
    digest.add(part.bytes);
    digest.add(part.transfer_ns);
  }
  for (const Communicator& communicator : program.communicators) {
    digest.add(communicator.name);
    for (const std::int32_t rank : communicator.ranks) digest.add(rank);
  }
  for (const RankProgram& rank : program.ranks) {
    for (const HostThread& thread : rank.threads) {
      for (const Command& command : thread.commands) {
        digest.add(static_cast<std::int64_t>(command.type));
      }
    }
  }
  return digest.value();
}

}  // namespace

void require_agreement(const Program& program, const RunOptions& options, std::string_view how) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::minutes kPatience{2};
  constexpr std::chrono::milliseconds kPoll{1};
  int processes = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
  const std::uint64_t own = digest_of(program, options, how);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(processes));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request),
      "MPI_Iallgather");
  const Clock::time_point end = Clock::now() + kPatience;
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
