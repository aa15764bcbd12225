#include "model/machine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/error.h"

namespace steptwin {
namespace {

TimeNs from_us(double duration_us) {
  return nanoseconds_from_us(std::max(duration_us, 0.0));
}

TimeNs amount_time(const MachineFit& fit, double amount) {
  constexpr double kMicroseconds = 1e6;
  if (fit.per_second <= 0) return 0;
  const double duration_us = amount / fit.per_second * kMicroseconds;
  return from_us(std::min(duration_us, us_from_nanoseconds(kLongestDuration)));
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

std::int32_t add_host_work(RankProgram& rank, TimeNs duration_ns) {
  rank.host_work_ns.push_back(duration_ns);
  return static_cast<std::int32_t>(rank.host_work_ns.size()) - 1;
}

Command host_work(std::int32_t index) {
  Command command;
  command.type = CommandType::host_work;
  command.index = index;
  return command;
}

// Whoever forks goes on later.
void resume_late(RankProgram& rank, TimeNs late_ns) {
  const std::int32_t late = add_host_work(rank, late_ns);
  std::vector<Command>& commands = rank.threads[0].commands;
  std::vector<Command> with;
  for (const Command& command : commands) {
    with.push_back(command);
    if (command.type == CommandType::fork) with.push_back(host_work(late));
  }
  commands = std::move(with);
}

// The machine launches a kernel once, whatever it stands for: the modelled time of the other
// launches becomes host work before it.
void launch_once(Program& program, TimeNs modelled_launch_ns) {
  for (RankProgram& rank : program.ranks) {
    for (HostThread& thread : rank.threads) {
      std::vector<Command> with;
      for (Command& command : thread.commands) {
        if (command.type == CommandType::launch && command.index > 1) {
          const TimeNs others = modelled_launch_ns * (command.index - 1);
          if (others > 0) with.push_back(host_work(add_host_work(rank, others)));
          command.index = 1;
        }
        with.push_back(command);
      }
      thread.commands = std::move(with);
    }
  }
  for (Kernel& kernel : program.kernels) kernel.launches = std::min(kernel.launches, 1);
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

// Sums of durations must not overflow, whatever a machine file says.
void refuse_endless(const Program& program) {
  const HostCosts& host = program.host;
  const TimeNs dearest =
      std::max({host.launch_ns, host.event_ns, host.rendezvous_ns, host.fork_ns}) + host.wake_ns;
  double total = 0;
  for (const Kernel& kernel : program.kernels) total += static_cast<double>(kernel.duration_ns);
  for (const P2pPart& part : program.p2p_parts) total += static_cast<double>(part.transfer_ns);
  for (const RankProgram& rank : program.ranks) {
    for (const HostThread& thread : rank.threads) {
      total += static_cast<double>(dearest) * static_cast<double>(thread.commands.size());
      for (const Command& command : thread.commands) {
        if (command.type != CommandType::host_work) continue;
        total += static_cast<double>(rank.host_work_ns[static_cast<std::size_t>(command.index)]);
      }
    }
  }
  constexpr double kMost = 0x1p61;
  if (total < kMost) return;
  throw Error("on this machine the durations of a step come to more than 73 years",
              "a machine file with shorter durations, or a smaller scenario");
}

}  // namespace

Program calibrated(Program program, const Machine& machine, MachineKernels kernels) {
  launch_once(program, kernels == MachineKernels::timed ? program.host.launch_ns : 0);
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
  refuse_endless(program);
  return program;
}

}  // namespace steptwin
