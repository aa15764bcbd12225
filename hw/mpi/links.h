#pragma once

#include <array>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <vector>

#include "hw/host/links.h"
#include "hw/stop.h"
#include "model/program.h"

namespace steptwin::hw {

// The ranks are processes of MPI. Nothing blocks within the library, so that a run can be given up:
// requests are tested now and then, with a sleep of some 20 us between.
//
// A transfer begins when both ends have arrived: each tells the other so by a message of its own,
// with the size it expects, before the sender's data go. Messages of one kind between the same two
// ranks on the same communicator do not overtake each other, so they match by position. A
// collective begins with a gathering of what each member is about to call.
class MpiLinks final : public HostLinks {
 public:
  MpiLinks(const Program& program, const Stop& stop);
  ~MpiLinks() override;
  MpiLinks(const MpiLinks&) = delete;
  MpiLinks& operator=(const MpiLinks&) = delete;

  void transfer(std::int32_t rank, std::int32_t communicator, std::vector<End>& ends) override;
  TimeSpan collective(const Collective& call, std::span<const std::uint64_t> brought,
                      std::span<std::uint64_t> results) override;
  void begin() override;

 private:
  struct Flight;
  // What an eager sender has left behind, until its receiver has come, or a run that was given up.
  struct Leftover {
    std::vector<std::uint64_t> words;
    std::unique_ptr<Flight> flight;
  };

  // What members tell each other before a collective: kind and bytes. Kept here, since a call may
  // be given up. On a communicator there is one at a time.
  struct Calls {
    std::array<std::int64_t, 2> own = {};
    std::vector<std::int64_t> of_all;
  };

  void await(std::vector<MPI_Request>& requests) const;
  static bool all_settled(std::vector<Leftover>& flights);

  const Stop& stop_;
  MPI_Comm transfers_ = MPI_COMM_NULL;
  std::vector<MPI_Comm> communicators_;  // as Program::communicators; null where it is no member
  std::vector<Calls> calls_;             // as communicators_
  std::mutex mutex_;                     // for what follows
  std::vector<Leftover> leftovers_;
};

}  // namespace steptwin::hw
