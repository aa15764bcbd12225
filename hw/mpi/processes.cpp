#include "hw/mpi/processes.h"

#include "hw/mpi/agreement.h"
#include "hw/mpi/host_job.h"
#include "hw/mpi/session.h"
#include "hw/mpi/team.h"
#include "hw/team_job.h"

namespace steptwin::hw {
namespace {

class MpiProcesses final : public Processes {
 public:
  std::int32_t process() const override { return session_.process(); }

  std::variant<Run, Deadlock> run(const Program& program, std::string_view how,
                                  const MakeJob& make_job, const RunOptions& options,
                                  TimeNs& clock_bound_ns) override {
    require_agreement(program, options, how);
    Stop stop;
    MpiTeam team(session_, program, patience_with(program, options), stop);
    const std::unique_ptr<Job> own = make_job(team, stop);
    TeamJob job(program, team, *own);
    auto outcome = execute(program, job, stop, options);
    if (std::holds_alternative<Run>(outcome)) clock_bound_ns = team.clock_bound_ns();
    return outcome;
  }

  std::unique_ptr<Job> host_job(const Program& program, std::int32_t rank,
                                const HostSettings& settings, Stop& stop) override {
    return std::make_unique<MpiHostJob>(program, rank, settings, stop);
  }

  [[noreturn]] void abort(const std::string& reason, int status) override {
    abort_processes(reason, status);
  }

 private:
  MpiSession session_;
};

}  // namespace

bool are_started_by_mpirun() {
  return is_under_mpi();
}

std::unique_ptr<Processes> mpi_processes() {
  if (!is_under_mpi()) return nullptr;
  return std::make_unique<MpiProcesses>();
}

}  // namespace steptwin::hw
