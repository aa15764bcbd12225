#pragma once

#include <chrono>
#include <string>
#include <thread>

namespace steptwin::hw {

// How long MPI's own calls that wait for all processes may take, such as those that start it.
inline constexpr std::chrono::minutes kMpiPatience{2};

// While it lives, a call of MPI is under way that nobody can give up. If it lives longer than
// `most`, it says what has not happened and ends this process with the status of a failed machine;
// mpirun then ends the others.
class Patience {
 public:
  Patience(std::chrono::nanoseconds most, std::string what);

 private:
  std::jthread watch_;
};

}  // namespace steptwin::hw
