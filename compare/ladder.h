#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin::compare {

// From what a simulation predicted to what was measured, in steps each of which takes one class of
// error away. Every rung but the last is a simulation of the same Program with other durations:
//
//   ideal      those of the Program
//   means      compute and copies take the measured mean of their rank, part and direction
//   kernels    compute and copies take as long as was measured of each
//   transfers  so do collectives and transfers (compare/measured_durations.h)
//   measured   the measurement itself
//
// What a rung adds to the one before it is what its class of error is worth: costs that are off on
// average, variation from kernel to kernel, the network, and what the model has no duration for
// (host, waits, order). Measured durations have in them what contention made of them, so with means
// and kernels compute is slowed by nothing any more, and with transfers nothing is.
enum class RungKind : std::uint8_t { ideal, means, kernels, transfers, measured };
inline constexpr std::array<RungKind, 5> kRungs = {
    RungKind::ideal, RungKind::means, RungKind::kernels, RungKind::transfers, RungKind::measured};
std::string_view name_of(RungKind kind);

struct Rung {
  RungKind kind = RungKind::ideal;
  std::optional<TimeNs> step_ns;    // the window of reports/metrics.h
  std::string why_not;              // why there is none: with these durations it hangs
  std::optional<TimeNs> change_ns;  // against the last rung before it that has a step time
  std::optional<double> error;      // against the measurement
};

// The trace must be one of the Program (first_difference is "").
std::vector<Rung> ladder(const Program& program, const Trace& measured);

// One rung's Program, as a value: for `measured` that of transfers.
Program with_measured(const Program& program, const Trace& measured, RungKind kind);

}  // namespace steptwin::compare
