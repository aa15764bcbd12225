#include "tests/hw/thread_team.h"

#include <chrono>
#include <exception>
#include <thread>

namespace steptwin::hw {

std::vector<std::vector<std::int64_t>> MeetingPlace::meet(std::size_t member,
                                                          std::vector<std::int64_t> brought,
                                                          bool to_the_end) {
  constexpr std::chrono::milliseconds kLook{5};
  std::unique_lock lock(mutex_);
  brought_.resize(members_);
  brought_[member] = std::move(brought);
  const std::int64_t own_round = round_;
  if (++here_ == members_) {
    complete_ = std::move(brought_);
    brought_.clear();
    here_ = 0;
    ++round_;
    changed_.notify_all();
    return complete_;
  }
  while (round_ == own_round) {
    if (!to_the_end) stop_.check();
    changed_.wait_for(lock, kLook);
  }
  return complete_;  // the next round waits for this member
}

std::vector<std::vector<std::int64_t>> ThreadTeam::meet(std::vector<std::int64_t> brought,
                                                        Thread thread) {
  const bool watches = thread == Thread::watch;
  return (watches ? places_.watches : places_.ranks)
      .meet(static_cast<std::size_t>(process_), std::move(brought), watches);
}

void ThreadTeam::broadcast(std::span<std::byte> bytes, std::int32_t from) {
  std::vector<std::int64_t> own;
  for (const std::byte byte : bytes) own.push_back(static_cast<std::int64_t>(byte));
  const auto all = meet(std::move(own), Thread::rank);
  const std::vector<std::int64_t>& told = all[static_cast<std::size_t>(from)];
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    bytes[index] = static_cast<std::byte>(told[index]);
  }
}

std::vector<std::int64_t> ThreadTeam::sum(std::span<const std::int64_t> own) {
  std::vector<std::int64_t> sums(own.size(), 0);
  for (const auto& row : meet({own.begin(), own.end()}, Thread::watch)) {
    for (std::size_t index = 0; index < sums.size(); ++index) sums[index] += row[index];
  }
  return sums;
}

std::vector<std::vector<std::int64_t>> ThreadTeam::gather(std::span<const std::int64_t> own,
                                                          Thread thread) {
  auto rows = meet({own.begin(), own.end()}, thread);
  if (process_ != 0) rows.clear();
  return rows;
}

void for_each_process(std::size_t processes, const std::function<void(std::int32_t)>& run) {
  std::vector<std::exception_ptr> errors(processes);
  {
    std::vector<std::jthread> threads;
    for (std::size_t process = 0; process < processes; ++process) {
      threads.emplace_back([&, process] {
        try {
          run(static_cast<std::int32_t>(process));
        } catch (...) {
          errors[process] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace steptwin::hw
