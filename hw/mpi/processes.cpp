#include "hw/mpi/processes.h"

#include "hw/mpi/job.h"
#include "hw/mpi/session.h"

namespace steptwin::hw {
namespace {

class MpiProcesses final : public Processes {
 public:
  bool reports() const override { return session_.process() == 0; }

  std::variant<Run, Deadlock> run(const Program& program, const HostSettings& settings,
                                  const RunOptions& options, TimeNs& clock_bound_ns) override {
    Stop stop;
    MpiJob job(session_, program, settings, stop);
    auto outcome = execute(program, job, stop, options);
    if (std::holds_alternative<Run>(outcome)) clock_bound_ns = job.clock_bound_ns();
    return outcome;
  }

  [[noreturn]] void abort(const std::string& reason, int status) override {
    session_.abort(reason, status);
  }

 private:
  MpiSession session_;
};

}  // namespace

std::unique_ptr<Processes> mpi_processes() {
  if (!is_under_mpi()) return nullptr;
  return std::make_unique<MpiProcesses>();
}

}  // namespace steptwin::hw
