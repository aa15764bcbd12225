#include "compare/ladder.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <variant>

#include "compare/measured_durations.h"
#include "model/error.h"
#include "reports/trace_index.h"
#include "sim/simulate.h"

namespace steptwin::compare {
namespace {

// Contention of which what was measured has been taken out.
Contention without_compute_loss(Contention contention) {
  contention.compute_loss = 0;
  contention.host_cores = 0;
  return contention.is_on() ? contention : Contention{};
}

bool is_own_work(const Kernel& kernel) {
  return kernel.kind == KernelKind::compute || kernel.kind == KernelKind::copy;
}

struct Mean {
  TimeNs sum_ns = 0;
  std::int64_t count = 0;

  TimeNs value() const { return (sum_ns + count / 2) / count; }
};

void take_means(Program& program, const MeasuredDurations& durations) {
  std::map<std::tuple<std::int32_t, KernelKind, Part, Direction>, Mean> means;
  const auto mean_of = [&means](const Kernel& kernel) -> Mean& {
    return means[{kernel.rank, kernel.kind, kernel.part, kernel.direction}];
  };
  for (std::size_t index = 0; index < program.kernels.size(); ++index) {
    if (!is_own_work(program.kernels[index])) continue;
    Mean& mean = mean_of(program.kernels[index]);
    mean.sum_ns += durations.kernel_ns[index];
    ++mean.count;
  }
  for (Kernel& kernel : program.kernels) {
    if (is_own_work(kernel)) kernel.duration_ns = mean_of(kernel).value();
  }
}

// Other durations may bring threads to a rendezvous, and so kernels to a queue, in another order.
void simulate_rung(const Program& program, std::optional<TimeNs> begin_ns, Rung& rung) {
  try {
    auto outcome = sim::simulate(program, {.host_records = false});
    if (auto* trace = std::get_if<Trace>(&outcome)) {
      trace->begin_ns = begin_ns;
      rung.step_ns = reports::window_of(*trace).length_ns();
    } else {
      rung.why_not = "with these durations it hangs";
    }
  } catch (const Error& error) {
    rung.why_not = error.wrong();
  }
}

}  // namespace

std::string_view name_of(RungKind kind) {
  switch (kind) {
    case RungKind::ideal:
      return "ideal";
    case RungKind::means:
      return "means";
    case RungKind::kernels:
      return "kernels";
    case RungKind::transfers:
      return "transfers";
    case RungKind::measured:
      break;
  }
  return "measured";
}

Program with_measured(const Program& program, const Trace& measured, RungKind kind) {
  Program changed = program;
  if (kind == RungKind::ideal) return changed;
  const MeasuredDurations durations = measured_durations(program, measured);
  const bool all = kind == RungKind::transfers || kind == RungKind::measured;
  changed.contention = all ? Contention{} : without_compute_loss(program.contention);
  if (kind == RungKind::means) {
    take_means(changed, durations);
    return changed;
  }
  for (std::size_t index = 0; index < changed.kernels.size(); ++index) {
    Kernel& kernel = changed.kernels[index];
    if (is_own_work(kernel) || (all && is_collective(kernel.kind))) {
      kernel.duration_ns = durations.kernel_ns[index];
    }
  }
  for (std::size_t part = 0; part < changed.p2p_parts.size() && all; ++part) {
    changed.p2p_parts[part].transfer_ns = durations.transfer_ns[part];
  }
  return changed;
}

std::vector<Rung> ladder(const Program& program, const Trace& measured) {
  const TimeNs measured_ns = reports::window_of(measured).length_ns();
  std::vector<Rung> rungs;
  std::optional<TimeNs> before_ns;
  for (const RungKind kind : kRungs) {
    Rung rung;
    rung.kind = kind;
    if (kind == RungKind::measured) {
      rung.step_ns = measured_ns;
    } else {
      simulate_rung(with_measured(program, measured, kind), measured.begin_ns, rung);
    }
    if (rung.step_ns && before_ns) rung.change_ns = *rung.step_ns - *before_ns;
    if (rung.step_ns && measured_ns > 0) {
      rung.error =
          static_cast<double>(*rung.step_ns - measured_ns) / static_cast<double>(measured_ns);
    }
    if (rung.step_ns) before_ns = rung.step_ns;
    rungs.push_back(rung);
  }
  return rungs;
}

}  // namespace steptwin::compare
