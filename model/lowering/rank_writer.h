#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"

namespace steptwin {

// Appends kernels and commands to one rank of a Program. The current thread is where commands go.
class RankWriter {
 public:
  RankWriter(Program& program, std::int32_t rank);

  std::int32_t rank() const { return rank_; }

  void on_thread(std::int32_t thread) { thread_ = thread; }
  // A thread that an overlap forks: "backward.1", "backward.2", ... Returns its number.
  std::int32_t new_backward_thread();

  // Adds the kernel and launches it. Returns its id.
  std::int32_t launch(const Kernel& kernel);
  std::int32_t launch_p2p(Kernel kernel, const std::vector<P2pPart>& parts);

  // Records a new event on the stream and returns it. `kernel`: the event covers no more than what
  // was appended up to that kernel; -1: everything.
  std::int32_t record(std::int32_t stream, std::int32_t kernel = -1);
  void wait(std::int32_t stream, std::int32_t event);
  void host_wait(std::int32_t event);
  void host_work(TimeNs duration);
  void rendezvous(Role role, Hook hook, std::int32_t layer);
  void notify(Role role, Hook hook, std::int32_t layer);
  void depart();
  void fork(std::int32_t thread);
  void join(std::int32_t thread);

 private:
  void add(const Command& command);

  Program& program_;
  std::int32_t rank_;
  std::int32_t thread_ = 0;
};

}  // namespace steptwin
