#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/program.h"

namespace steptwin {

// Writes the commands of one host thread of a Program, in order. A launch makes its kernel too;
// the numbers handed back are ids of kernels, events and threads.
//
//   Program program = empty_program(2, {"compute", "comm"});
//   const std::int32_t pair = add_communicator(program, {0, 1});
//   ThreadWriter main(program, 0, 0);
//   main.compute(0, 10);
//   main.send(1, pair, 1, 5);
class ThreadWriter {
 public:
  ThreadWriter(Program& program, std::int32_t rank, std::int32_t thread)
      : program_(&program), rank_(rank), thread_(thread) {}

  std::int32_t compute(std::int32_t stream, TimeNs duration_ns);
  std::int32_t copy(std::int32_t stream, TimeNs duration_ns);
  std::int32_t send(std::int32_t stream, std::int32_t communicator, std::int32_t peer,
                    TimeNs transfer_ns, Bytes bytes = 0);
  std::int32_t recv(std::int32_t stream, std::int32_t communicator, std::int32_t peer,
                    TimeNs transfer_ns, Bytes bytes = 0);
  std::int32_t p2p(std::int32_t stream, std::int32_t communicator,
                   const std::vector<P2pPart>& parts);
  std::int32_t collective(std::int32_t stream, std::int32_t communicator, KernelKind kind,
                          TimeNs duration_ns, Bytes bytes = 0);
  std::int32_t launch(Kernel kernel);  // rank is filled in

  // An event of the thread's rank, to be recorded once; record(stream) makes one and records it.
  std::int32_t new_event();
  std::int32_t record(std::int32_t stream);
  void record_event(std::int32_t event, std::int32_t stream, std::int32_t kernel = -1);
  void wait(std::int32_t stream, std::int32_t event);
  void host_wait(std::int32_t event);
  void host_work(TimeNs duration_ns);
  void rendezvous(Role role);
  void notify(Role role);
  void depart();

  // Forks a new thread of the rank and hands its writer back; join waits for it.
  ThreadWriter fork();
  void join(const ThreadWriter& forked);

  std::int32_t thread() const { return thread_; }
  std::vector<Command>& commands();

 private:
  RankProgram& rank_program();

  Program* program_;
  std::int32_t rank_;
  std::int32_t thread_;
};

// `ranks` ranks with these streams and an empty main thread each; all host costs are 0.
Program empty_program(std::int32_t ranks, const std::vector<std::string>& streams);
std::int32_t add_communicator(Program& program, const std::vector<std::int32_t>& ranks);

}  // namespace steptwin
