#include "model/machine.h"

#include <algorithm>
#include <cmath>

namespace steptwin {
namespace {

TimeNs from_us(double duration_us) {
  return nanoseconds_from_us(std::max(duration_us, 0.0));
}

TimeNs amount_time(const MachineFit& fit, double amount) {
  constexpr double kMicroseconds = 1e6;
  return fit.per_second > 0 ? from_us(amount / fit.per_second * kMicroseconds) : 0;
}

// What a modelled duration becomes where so many bytes have to move for it.
TimeNs moved_time(const MachineFit& fit, TimeNs modelled_ns, Bytes bytes, MachineKernels kernels) {
  const TimeNs moving = amount_time(fit, static_cast<double>(bytes));
  const TimeNs emulated = kernels == MachineKernels::timed ? modelled_ns : 0;
  return std::max(moving, emulated) + from_us(fit.latency_us);
}

void calibrate_host(HostCosts& host, const Machine& machine, MachineKernels kernels) {
  if (kernels == MachineKernels::real) host = HostCosts{0, 0, 0, 0, 0, host.one_launch_lock};
  host.launch_ns += from_us(machine.launch.us);
  host.event_ns += from_us(machine.event.us);
  host.rendezvous_ns += from_us(machine.rendezvous.us);
  host.wake_ns += from_us(machine.wake.us);
  host.fork_ns += from_us(machine.fork.us);
}

void resume_late(RankProgram& rank, TimeNs late_ns) {
  Command work;
  work.type = CommandType::host_work;
  work.index = static_cast<std::int32_t>(rank.host_work_ns.size());
  rank.host_work_ns.push_back(late_ns);
  std::vector<Command>& commands = rank.threads[0].commands;
  std::vector<Command> with;
  for (const Command& command : commands) {
    with.push_back(command);
    if (command.type == CommandType::fork) with.push_back(work);
  }
  commands = std::move(with);
}

void share_cores(Program& program, const Machine& machine) {
  Contention& contention = program.contention;
  contention.while_waiting = false;  // whoever waits uses no core
  contention.host_cores =
      static_cast<std::int32_t>(std::max(1L, std::lround(machine.effective_cores)));
  contention.host.assign(program.ranks.size(), 0);
  if (contention.node.empty()) contention.node.assign(program.ranks.size(), 0);
  contention.devices = 1;
  contention.compute_loss = std::llround(machine.compute_loss * kWholeRate);
  contention.comm_loss = std::llround(machine.comm_loss * kWholeRate);
}

}  // namespace

Program calibrated(Program program, const Machine& machine, MachineKernels kernels) {
  calibrate_host(program.host, machine, kernels);
  for (RankProgram& rank : program.ranks) resume_late(rank, from_us(machine.resume.us));
  for (Kernel& kernel : program.kernels) {
    if (is_collective(kernel.kind)) {
      kernel.duration_ns =
          moved_time(machine.collective, kernel.duration_ns, kernel.bytes, kernels);
    } else if (kernel.kind == KernelKind::copy) {
      kernel.duration_ns = moved_time(machine.copy, kernel.duration_ns, kernel.bytes, kernels);
    } else if (kernel.kind == KernelKind::compute && kernels == MachineKernels::timed) {
      kernel.duration_ns += from_us(machine.lateness.us);
    }
  }
  for (P2pPart& part : program.p2p_parts) {
    part.transfer_ns = moved_time(machine.transfer, part.transfer_ns, part.bytes, kernels);
  }
  if (kernels == MachineKernels::real) share_cores(program, machine);
  return program;
}

}  // namespace steptwin
