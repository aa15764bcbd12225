#include "compare/recorded_program.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "model/lowering/lower.h"
#include "model/scenario.h"
#include "model/scenario_schedule.h"
#include "model/size_limit.h"
#include "model/validate.h"
#include "sim/simulate.h"

namespace steptwin::compare {
namespace {

Scenario scenario_of(const reports::PpDump& dump) {
  Scenario scenario;
  scenario.file = dump.folder;
  scenario.pipeline.schedule_at.file = dump.folder;
  scenario.pipeline.ranks = dump.ranks;
  scenario.pipeline.micro_batches = dump.micro_batches;
  scenario.pipeline.schedule = "1f1b";
  scenario.pipeline.overlap_p2p = true;
  scenario.stage.given = true;
  scenario.stage.forward_us = {0};
  scenario.stage.backward_input_us = {0};
  scenario.stage.backward_weight_us = {0};
  scenario.streams.preset = StreamPreset::unqueued;
  scenario.comm.order =
      CommOrder::data;  // a transfer does not wait for the gap behind its producer
  return scenario;
}

std::vector<Step> computed_by(const StepList& list) {
  std::vector<Step> steps;
  for (const Slot& slot : list) {
    if (slot && is_compute(slot->type)) steps.push_back(*slot);
  }
  return steps;
}

std::string name_of(const Step& step) {
  return fmt::format("the {} of micro-batch {}",
                     step.type == StepType::fwd ? "forward" : "backward", step.micro);
}

// A rank's operations begin in the order of its list.
void require_order(const reports::PpDump& dump, const reports::PpIteration& iteration,
                   std::int32_t rank, const std::vector<Step>& steps) {
  const reports::PpRank& recorded = iteration.ranks[static_cast<std::size_t>(rank)];
  TimeNs before_ns = 0;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const auto micro = static_cast<std::size_t>(steps[at].micro);
    const reports::Interval span =
        steps[at].type == StepType::fwd ? recorded.forward[micro] : recorded.backward[micro];
    if (at > 0 && span.begin_ns < before_ns) {
      throw Error({reports::pp_rank_file(dump.folder, rank), 0, 0},
                  fmt::format("in iteration {} {} begins before {}", iteration.number,
                              name_of(steps[at]), name_of(steps[at - 1])),
                  "the order of 1F1B");
    }
    before_ns = span.begin_ns;
  }
}

// Behind every compute kernel of a rank but the last another one, of no duration so far.
void add_gaps(RecordedProgram& recorded) {
  Program& program = recorded.program;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    std::vector<Command>& commands = program.ranks[rank].threads.front().commands;
    std::vector<Command> with_gaps;
    std::size_t left = recorded.forward[rank].size() + recorded.backward[rank].size();
    for (const Command& command : commands) {
      with_gaps.push_back(command);
      const bool computes =
          command.type == CommandType::launch &&
          program.kernels[static_cast<std::size_t>(command.kernel)].kind == KernelKind::compute;
      if (!computes || --left == 0) continue;
      Command gap = command;
      gap.kernel = static_cast<std::int32_t>(program.kernels.size());
      with_gaps.push_back(gap);
      recorded.gaps.push_back(gap.kernel);
      program.kernels.push_back(program.kernels[static_cast<std::size_t>(command.kernel)]);
    }
    commands = std::move(with_gaps);
  }
}

}  // namespace

RecordedProgram recorded_program(const reports::PpDump& dump) {
  const Scenario scenario = scenario_of(dump);
  refuse_if_too_large(scenario);
  const Schedule schedule = make_schedule(scenario);
  for (std::int32_t rank = 0; rank < dump.ranks; ++rank) {
    const std::vector<Step> steps = computed_by(schedule.ranks[static_cast<std::size_t>(rank)]);
    for (const reports::PpIteration& iteration : dump.iterations) {
      require_order(dump, iteration, rank, steps);
    }
  }
  RecordedProgram recorded{lower(schedule, scenario), {}, {}, {}};
  const std::vector<std::int32_t> none(static_cast<std::size_t>(dump.micro_batches), -1);
  recorded.forward.assign(static_cast<std::size_t>(dump.ranks), none);
  recorded.backward = recorded.forward;
  for (std::size_t index = 0; index < recorded.program.kernels.size(); ++index) {
    const Kernel& kernel = recorded.program.kernels[index];
    if (kernel.kind != KernelKind::compute) continue;
    auto& kernels = kernel.step == StepType::fwd ? recorded.forward : recorded.backward;
    kernels[static_cast<std::size_t>(kernel.rank)][static_cast<std::size_t>(kernel.micro)] =
        static_cast<std::int32_t>(index);
  }
  add_gaps(recorded);
  validate(recorded.program);
  return recorded;
}

void set_durations(RecordedProgram& recorded, const reports::PpIteration& iteration) {
  const auto set = [&recorded](const std::vector<std::int32_t>& kernels,
                               const std::vector<reports::Interval>& spans) {
    for (std::size_t micro = 0; micro < kernels.size(); ++micro) {
      recorded.program.kernels[static_cast<std::size_t>(kernels[micro])].duration_ns =
          spans[micro].length_ns();
    }
  };
  for (std::size_t rank = 0; rank < iteration.ranks.size(); ++rank) {
    set(recorded.forward[rank], iteration.ranks[rank].forward);
    set(recorded.backward[rank], iteration.ranks[rank].backward);
  }
}

void set_hop(RecordedProgram& recorded, TimeNs hop_ns) {
  for (P2pPart& part : recorded.program.p2p_parts) part.transfer_ns = hop_ns;
}

void set_gap(RecordedProgram& recorded, TimeNs gap_ns) {
  for (const std::int32_t gap : recorded.gaps) {
    recorded.program.kernels[static_cast<std::size_t>(gap)].duration_ns = gap_ns;
  }
}

TimeNs simulated_step_ns(const RecordedProgram& recorded) {
  const auto outcome = sim::simulate(recorded.program, {.host_records = false});
  const auto* trace = std::get_if<Trace>(&outcome);
  assert(trace != nullptr && "1F1B does not hang where nothing queues");
  TimeNs begin_ns = kLongestDuration;
  TimeNs end_ns = 0;
  for (const TraceKernel& kernel : trace->kernels) {
    if (kernel.kind != KernelKind::compute) continue;
    begin_ns = std::min(begin_ns, kernel.times.start_ns);
    end_ns = std::max(end_ns, kernel.times.end_ns);
  }
  return end_ns - begin_ns;
}

}  // namespace steptwin::compare
