#include "hw/mpi/processes.h"

namespace steptwin::hw {

bool are_started_by_mpirun() {
  return false;
}

std::unique_ptr<Processes> mpi_processes() {
  return nullptr;
}

}  // namespace steptwin::hw
