#pragma once

#include <array>
#include <mpi.h>
#include <string>

#include "hw/executor.h"

namespace steptwin::hw {

// Throws MachineError, naming the call, if it has failed.
inline void check_mpi(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  throw MachineError(std::string(call) + ": " +
                     std::string(text.data(), static_cast<std::size_t>(length)));
}

}  // namespace steptwin::hw
