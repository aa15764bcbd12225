#pragma once

#include "hw/device.h"
#include "hw/team.h"
#include "model/program.h"

namespace steptwin::hw {

// The job of a team: in each process one with the rank of its number, whatever its devices are.
// Times are gathered at process 0, on its clock.
class TeamJob final : public Job {
 public:
  TeamJob(const Program& program, Team& team, Job& own);

  std::span<const std::int32_t> ranks() const override { return own_.ranks(); }
  Device& device(std::int32_t rank) override { return own_.device(rank); }
  TimeNs now_ns() const override { return own_.now_ns(); }
  void synchronize() override;
  void complete(Stamps& stamps) override { own_.complete(stamps); }
  Headway together(const Headway& own) override;
  void gather(IterationTimes& times) override;
  void gather(Standstill& standstill) override;
  bool reports() const override { return team_.process() == 0; }

 private:
  const Program& program_;
  Team& team_;
  Job& own_;
};

}  // namespace steptwin::hw
