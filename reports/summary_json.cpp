#include "reports/summary_json.h"

#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "reports/json_figures.h"
#include "reports/measured_run.h"

namespace steptwin::reports {
namespace {

using json::count;
using json::duration;
using json::key;
using json::ratio;
using json::Writer;

// A figure that nothing computes yet. Its key is there, so that a reader need not ask for versions.
void not_available(Writer& writer, std::string_view name) {
  json::nothing(writer, name);
}

void gap_by_cause(Writer& writer, const GapTimes& times) {
  key(writer, "gap_by_cause");
  writer.StartObject();
  for (const GapCause cause : kGapCauses) {
    duration(writer, fmt::format("{}_us", name_of(cause)), times.of(cause));
  }
  writer.EndObject();
}

void hook_waits(Writer& writer, const std::optional<RendezvousTimes>& rendezvous) {
  duration(writer, "rendezvous_us",
           rendezvous ? std::optional(rendezvous->total_ns) : std::nullopt);
  key(writer, "hook_wait_us");
  if (!rendezvous) {
    writer.Null();
    return;
  }
  writer.StartObject();
  for (const Hook hook : kHooks) {
    key(writer, name_of(hook));
    writer.StartObject();
    for (const Role role : kRoles) duration(writer, name_of(role), rendezvous->of(hook, role));
    writer.EndObject();
  }
  writer.EndObject();
}

void occupancy(Writer& writer, const OccupancyTimes& times) {
  duration(writer, "compute_us", times.compute_ns);
  duration(writer, "communication_us", times.communication_ns);
  duration(writer, "overlapped_us", times.overlapped_ns);
  duration(writer, "exposed_comm_us", times.exposed_comm_ns);
  duration(writer, "exposed_wait_us", times.exposed_wait_ns);
  duration(writer, "exposed_transfer_us", times.exposed_transfer_ns);
  duration(writer, "exposed_collective_us", times.exposed_collective_ns);
  duration(writer, "exposed_copy_us", times.exposed_copy_ns);
  duration(writer, "idle_us", times.idle_ns);
}

void memory(Writer& writer, const std::optional<MemoryPeak>& peak) {
  if (!peak) {
    not_available(writer, "memory_peak_bytes");
    not_available(writer, "memory_peak_at_us");
    not_available(writer, "memory_at_peak");
    return;
  }
  count(writer, "memory_peak_bytes", peak->bytes);
  duration(writer, "memory_peak_at_us", peak->at_ns);
  key(writer, "memory_at_peak");
  writer.StartObject();
  for (std::size_t memory = 0; memory < kMemoryClasses; ++memory) {
    count(writer, fmt::format("{}_bytes", name_of(static_cast<MemoryClass>(memory))),
          peak->by_class[memory]);
  }
  writer.EndObject();
}

void rank_object(Writer& writer, const RankMetrics& rank) {
  writer.StartObject();
  count(writer, "rank", rank.rank);
  ratio(writer, "bubble_ratio", rank.bubble_ratio);
  occupancy(writer, rank.times);
  ratio(writer, "overlap_ratio", rank.overlap_ratio);
  ratio(writer, "compute_dilation", rank.compute_dilation);
  duration(writer, "compute_span_us", rank.compute_span_ns);
  duration(writer, "warmup_us", rank.phases.warmup_ns);
  duration(writer, "steady_us", rank.phases.steady_ns);
  duration(writer, "drain_us", rank.phases.drain_ns);
  gap_by_cause(writer, rank.gap_by_cause);
  hook_waits(writer, rank.rendezvous);
  duration(writer, "p2p_wait_us", rank.p2p_wait_ns);
  duration(writer, "collective_wait_us", rank.collective_wait_ns);
  count(writer, "in_flight_max", rank.in_flight_max);
  count(writer, "in_flight_input_max", rank.in_flight_input_max);
  memory(writer, rank.memory);
  writer.EndObject();
}

void job_figures(Writer& writer, const Metrics& metrics, const MeasuredRun* run) {
  key(writer, "window");
  writer.StartObject();
  duration(writer, "begin_us", metrics.window.begin_ns);
  duration(writer, "end_us", metrics.window.end_ns);
  writer.EndObject();
  duration(writer, "step_time_us", metrics.step_time_ns);
  if (run != nullptr) {
    count(writer, "steps", static_cast<std::int64_t>(run->steps.steps));
    duration(writer, "step_time_p5_us", run->steps.p5_ns);
    duration(writer, "step_time_p95_us", run->steps.p95_ns);
    json::text(writer, "measured_on", run->machine);
    json::text(writer, "kernel_mode", run->kernels);
  }
  count(writer, "kernels", metrics.kernels);
  count(writer, "micro_batches", metrics.micro_batches);
  ratio(writer, "bubble_ratio", metrics.bubble_ratio);
  ratio(writer, "bubble_ratio_max", metrics.bubble_ratio_max);
  ratio(writer, "bubble_ratio_span", metrics.bubble_ratio_span);
  ratio(writer, "bubble_over_ideal", metrics.bubble_over_ideal);
  ratio(writer, "overlap_ratio", metrics.overlap_ratio);
  ratio(writer, "compute_dilation", metrics.compute_dilation);
  ratio(writer, "stage_balance", metrics.stage_balance);
  key(writer, "micro_batch_latency_us");
  writer.StartObject();
  duration(writer, "p50", metrics.latency_p50_ns);
  duration(writer, "p99", metrics.latency_p99_ns);
  writer.EndObject();
  gap_by_cause(writer, metrics.gap_by_cause);
  not_available(writer, "critical_path");
  not_available(writer, "model_flops_utilization");
  not_available(writer, "tokens_per_second");
}

std::string text_of(const Metrics& metrics, const MeasuredRun* run) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  job_figures(writer, metrics, run);
  key(writer, "ranks");
  writer.StartArray();
  for (const RankMetrics& rank : metrics.ranks) rank_object(writer, rank);
  writer.EndArray();
  writer.EndObject();
  return json::text_of(buffer);
}

}  // namespace

std::string summary_json(const Metrics& metrics) {
  return text_of(metrics, nullptr);
}

std::string summary_json(const Metrics& metrics, const MeasuredRun& run) {
  return text_of(metrics, &run);
}

}  // namespace steptwin::reports
