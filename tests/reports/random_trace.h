#pragma once

#include <cstdint>
#include <random>

#include "model/hooks.h"
#include "model/trace.h"
#include "tests/reports/trace_maker.h"

namespace steptwin::reports {

// Any trace at all: times, steps and labels are drawn without regard to each other, so kernels of
// a stream may overlap and transfers may lead nowhere. Figures that must hold, must hold on it.
inline Trace random_trace(std::mt19937_64& random) {
  const auto draw = [&random](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const auto draw32 = [&draw](std::int64_t least, std::int64_t most) {
    return static_cast<std::int32_t>(draw(least, most));
  };
  const auto ranks = draw32(1, 4);
  Trace trace = TraceMaker(ranks).trace();
  const std::int64_t kernels = draw(0, 60);
  for (std::int64_t id = 0; id < kernels; ++id) {
    TraceKernel kernel;
    kernel.kernel = id;
    kernel.rank = draw32(0, ranks - 1);
    kernel.stream = draw32(0, 2);
    kernel.thread = draw32(0, 1);
    kernel.kind = draw(0, 1) == 0 ? KernelKind::compute : static_cast<KernelKind>(draw(0, 6));
    kernel.part = static_cast<Part>(draw(0, 14));
    kernel.direction = static_cast<Direction>(draw(0, 4));
    kernel.step = static_cast<StepType>(draw(3, 11));
    kernel.stage = draw32(-1, 3);
    kernel.micro = draw32(-1, 3);
    kernel.layer = draw32(-1, 2);
    if (kernel.kind == KernelKind::p2p) {
      for (std::int64_t part = draw(0, 3); part > 0; --part) {
        kernel.peers.push_back(draw32(0, ranks - 1));
      }
    }
    kernel.bytes = draw(0, 1000);
    const TimeNs ready = draw(0, 100);
    const TimeNs start = ready + draw(0, 10);
    kernel.times = {draw(0, ready), ready, start, start + draw(0, 12)};
    if (kernel.peers.size() > 1) {
      kernel.first_part = static_cast<std::int32_t>(trace.parts.size());
      for (std::size_t part = 0; part < kernel.peers.size(); ++part) {
        const TimeNs begin = draw(kernel.times.start_ns, kernel.times.end_ns);
        const auto stage = draw32(-1, 3);
        trace.parts.push_back({static_cast<StepType>(draw(6, 9)), stage,
                               stage < 0 ? -1 : draw32(-1, 3), begin,
                               draw(begin, kernel.times.end_ns)});
      }
    }
    trace.kernels.push_back(kernel);
  }
  for (std::int64_t left = draw(0, 20); left > 0; --left) {
    HostRecord record;
    record.rank = draw32(0, ranks - 1);
    record.thread = draw32(0, 1);
    if (draw(0, 1) == 0) {
      record.kernel = draw(0, 60);
    } else {
      record.command = CommandType::rendezvous;
      record.hook = static_cast<Hook>(draw(0, 4));
      if (record.hook != Hook::none) {
        record.layer = draw32(-1, 3);
        record.role = hook_roles(record.hook, record.thread == 0).next;
      }
    }
    record.begin_ns = draw(0, 100);
    record.end_ns = record.begin_ns + draw(0, 15);
    trace.host.push_back(record);
  }
  return trace;
}

}  // namespace steptwin::reports
