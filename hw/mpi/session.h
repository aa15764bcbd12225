#pragma once

#include <cstdint>
#include <string>

namespace steptwin::hw {

// This process among those that mpirun has started. Made once, before any thread is, and ended
// last. Throws MachineError if the library cannot be used from several threads.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  std::int32_t process() const { return process_; }
  std::int32_t processes() const { return processes_; }

 private:
  std::int32_t process_ = 0;
  std::int32_t processes_ = 1;
};

// Says why, in these words, and ends all processes with this status.
[[noreturn]] void abort_processes(const std::string& reason, int status);

// Whether this process was started by mpirun, with others.
bool is_under_mpi();

}  // namespace steptwin::hw
