#include "hw/mpi/processes.h"

namespace steptwin::hw {

std::unique_ptr<Processes> mpi_processes() {
  return nullptr;
}

}  // namespace steptwin::hw
