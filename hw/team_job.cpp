#include "hw/team_job.h"

#include <array>
#include <cassert>

#include "hw/team_rows.h"

namespace steptwin::hw {

TeamJob::TeamJob(const Program& program, Team& team, Job& own)
    : program_(program), team_(team), own_(own) {
  assert(own.ranks().size() == 1 && own.ranks().front() == team.process());
}

void TeamJob::synchronize() {
  own_.synchronize();
  team_.barrier();
}

Headway TeamJob::together(const Headway& own) {
  const std::array<std::int64_t, 4> numbers = {own.done, own.ranks_over, own.is_stopped ? 1 : 0,
                                               own.is_impatient ? 1 : 0};
  const std::vector<std::int64_t> all = team_.sum(numbers);
  return {all[0], all[1], all[2] > 0, all[3] > 0};
}

void TeamJob::gather(IterationTimes& times) {
  const TimeNs offset = team_.clock_offset_ns();
  const auto rows =
      team_.gather(row_of(program_, team_.process(), times, offset), Team::Thread::rank);
  times.zero_ns += offset;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    put_row(rows[rank], program_, static_cast<std::int32_t>(rank), times);
  }
}

void TeamJob::gather(Standstill& standstill) {
  const auto own = static_cast<std::size_t>(team_.process());
  const auto rows = team_.gather(row_of(standstill.ranks[own]), Team::Thread::watch);
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    standstill.ranks[rank] = stopped_rank(rows[rank], program_.ranks[rank]);
  }
}

}  // namespace steptwin::hw
