#include "hw/mpi/session.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>

#include "hw/mpi/check.h"
#include "hw/mpi/patience.h"

namespace steptwin::hw {

MpiSession::MpiSession() {
  // The library's threads are not to be ended by a signal before somebody could clean up.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int provided = 0;
  int result = MPI_SUCCESS;
  {
    const Patience patience(kMpiPatience, "MPI has not come to start all processes");
    result = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  check_mpi(result, "MPI_Init_thread");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_MULTIPLE) {
    throw MachineError("MPI cannot be used from several threads (MPI_THREAD_MULTIPLE)");
  }
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &process_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &processes_), "MPI_Comm_size");
}

MpiSession::~MpiSession() {
  const Patience patience(kMpiPatience, "MPI has not come to end all processes");
  MPI_Finalize();
}

void abort_processes(const std::string& reason, int status) {
  const std::string line = reason + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

bool is_under_mpi() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr) size = std::getenv("PMI_SIZE");
  return size != nullptr && std::atoi(size) > 1;
}

}  // namespace steptwin::hw
