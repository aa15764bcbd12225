#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "hw/stop.h"
#include "hw/team.h"

namespace steptwin::hw {

// Where the threads of a ThreadTeam meet: two places, one for each kind of thread.
class MeetingPlace {
 public:
  MeetingPlace(std::size_t members, const Stop& stop) : members_(members), stop_(stop) {}

  std::size_t members() const { return members_; }
  // Returns what all have brought, by member, when all have come. Throws Stopped when the run is
  // given up, unless `to_the_end`.
  std::vector<std::vector<std::int64_t>> meet(std::size_t member, std::vector<std::int64_t> brought,
                                              bool to_the_end);

 private:
  const std::size_t members_;
  const Stop& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<std::int64_t>> brought_;
  std::vector<std::vector<std::int64_t>> complete_;
  std::size_t here_ = 0;
  std::int64_t round_ = 0;
};

// A team whose processes are threads of this one.
class ThreadTeam final : public Team {
 public:
  struct Places {
    MeetingPlace ranks;
    MeetingPlace watches;
    Places(std::size_t members, const Stop& stop) : ranks(members, stop), watches(members, stop) {}
  };

  ThreadTeam(Places& places, std::int32_t process) : places_(places), process_(process) {}

  std::int32_t process() const override { return process_; }
  std::int32_t process_on_machine() const override { return process_; }
  std::int32_t processes_on_machine() const override {
    return static_cast<std::int32_t>(places_.ranks.members());
  }
  void barrier() override { (void)meet({}, Thread::rank); }
  void broadcast(std::span<std::byte> bytes, std::int32_t from) override;
  std::vector<std::int64_t> sum(std::span<const std::int64_t> own) override;
  std::vector<std::vector<std::int64_t>> gather(std::span<const std::int64_t> own,
                                                Thread thread) override;
  TimeNs clock_offset_ns() const override { return 0; }

 private:
  std::vector<std::vector<std::int64_t>> meet(std::vector<std::int64_t> brought, Thread thread);

  Places& places_;
  const std::int32_t process_;
};

// Calls it for each process in a thread of its own, and returns when all are over. The first
// exception is thrown again.
void for_each_process(std::size_t processes, const std::function<void(std::int32_t)>& run);

}  // namespace steptwin::hw
