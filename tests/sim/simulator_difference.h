#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sim/simulate.h"
#include "tests/sim/naive_simulator.h"

namespace steptwin {

// How the engine and the naive simulator differ on one Program, in words; "" if they agree on every
// time of every kernel, on the host's commands, and on what hangs.

inline std::string four_times(const KernelTimes& times) {
  return std::to_string(times.enqueue_ns) + " " + std::to_string(times.ready_ns) + " " +
         std::to_string(times.start_ns) + " " + std::to_string(times.end_ns);
}

inline std::string kernel_difference(const std::vector<KernelTimes>& fast,
                                     const std::vector<KernelTimes>& naive) {
  for (std::size_t kernel = 0; kernel < naive.size(); ++kernel) {
    if (fast[kernel] == naive[kernel]) continue;
    return "kernel " + std::to_string(kernel) + ": " + four_times(fast[kernel]) + " but naive " +
           four_times(naive[kernel]);
  }
  return "";
}

inline std::string part_difference(const std::vector<TracePart>& fast,
                                   const std::vector<NaivePartSpan>& naive) {
  if (fast.size() != naive.size()) return "different numbers of parts";
  for (std::size_t at = 0; at < naive.size(); ++at) {
    if (fast[at].start_ns == naive[at].start_ns && fast[at].end_ns == naive[at].end_ns) continue;
    return "part " + std::to_string(at) + ": " + std::to_string(fast[at].start_ns) + "-" +
           std::to_string(fast[at].end_ns) + " but naive " + std::to_string(naive[at].start_ns) +
           "-" + std::to_string(naive[at].end_ns);
  }
  return "";
}

inline std::string host_difference(const std::vector<HostRecord>& fast,
                                   const std::vector<HostRecord>& naive) {
  if (fast.size() != naive.size()) return "different numbers of host records";
  for (std::size_t at = 0; at < naive.size(); ++at) {
    const HostRecord& left = fast[at];
    const HostRecord& right = naive[at];
    const bool same = left.rank == right.rank && left.thread == right.thread &&
                      left.command == right.command && left.begin_ns == right.begin_ns &&
                      left.end_ns == right.end_ns;
    if (!same) return "host record " + std::to_string(at);
  }
  return "";
}

inline std::string blocked_difference(const sim::Deadlock& deadlock, const NaiveResult& naive) {
  std::vector<NaiveBlockedThread> threads;
  std::vector<NaiveBlockedStream> streams;
  for (const sim::BlockedItem& item : deadlock.blocked) {
    if (item.is_thread) {
      threads.push_back({item.rank, item.index, item.command});
    } else {
      streams.push_back({item.rank, item.index, item.kernel});
    }
  }
  if (threads != naive.blocked_threads) return "different blocked threads";
  if (streams != naive.blocked_streams) return "different blocked streams";
  return "";
}

inline std::string difference_of(const std::variant<Trace, sim::Deadlock>& outcome,
                                 const NaiveResult& naive) {
  if (const auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
    if (!naive.deadlocked) return "a deadlock that the naive simulator does not have";
    const std::string kernels = kernel_difference(deadlock->times, naive.times);
    return kernels.empty() ? blocked_difference(*deadlock, naive) : kernels;
  }
  if (naive.deadlocked) return "no deadlock, but the naive simulator has one";
  const Trace& trace = std::get<Trace>(outcome);
  std::vector<KernelTimes> times;
  for (const TraceKernel& kernel : trace.kernels) times.push_back(kernel.times);
  const std::string kernels = kernel_difference(times, naive.times);
  if (!kernels.empty()) return kernels;
  const std::string parts = part_difference(trace.parts, naive.part_spans);
  return parts.empty() ? host_difference(trace.host, naive.host) : parts;
}

}  // namespace steptwin
