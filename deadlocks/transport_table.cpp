#include "deadlocks/transport_table.h"

#include <array>
#include <optional>
#include <utility>

#include "model/error.h"
#include "model/passes/ungroup_p2p.h"
#include "model/scenario_schedule.h"

namespace steptwin::deadlocks {
namespace {

constexpr std::array kTransports = {P2pMode::plain, P2pMode::batch, P2pMode::boundary,
                                    P2pMode::multi_stream};

template <typename Wanted>
bool any_slot(const Schedule& schedule, Wanted&& wanted) {
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) {
      if (slot && wanted(*slot)) return true;
    }
  }
  return false;
}

bool names_streams(const StreamKeys& streams) {
  return !streams.p2p.empty() || !streams.p2p_forward.empty() || !streams.p2p_backward.empty();
}

// All-to-alls stay where the scenario's preset puts them.
StreamKeys streams_for(const Scenario& scenario, Queues queues) {
  StreamKeys streams = scenario.streams;
  if (queues == Queues::as_given) return streams;
  if (streams.preset == StreamPreset::per_group && streams.ep.empty()) streams.ep = "ep";
  streams.p2p = streams.p2p_forward = streams.p2p_backward = "";
  streams.preset = queues == Queues::per_rank   ? StreamPreset::two
                   : queues == Queues::per_pair ? StreamPreset::multi_stream
                                                : StreamPreset::per_edge;
  return streams;
}

// No key is refused for changing nothing: nobody wrote it for this transport.
Scenario with_plain_transfers(const Scenario& scenario) {
  Scenario plain = scenario;
  plain.pipeline.p2p = P2pMode::plain;
  plain.key_at.clear();
  return plain;
}

class TableMaker {
 public:
  TableMaker(const Schedule& schedule, const Scenario& scenario, const MakeSchedule& make,
             std::size_t most_kernels)
      : schedule_(schedule),
        scenario_(scenario),
        apart_(ungroup_p2p(make(with_plain_transfers(scenario)))),
        overlaps_(any_slot(schedule,
                           [](const Step& step) { return step.type == StepType::overlap_b_f; })),
        own_transport_(own_transport(schedule, scenario)),
        own_queues_(own_queues(scenario)),
        trials_(most_kernels),
        exchanges_(most_kernels) {}

  TransportTable make() {
    TransportTable table;
    table.queues = {Queues::per_rank, Queues::per_pair, Queues::per_direction};
    if (own_queues_ == Queues::as_given) table.queues.push_back(Queues::as_given);
    for (const P2pMode transport : kTransports) {
      for (const Queues queues : table.queues) table.cells.push_back(cell(transport, queues));
    }
    return table;
  }

 private:
  TransportCell cell(P2pMode transport, Queues queues) {
    TransportCell cell;
    cell.transport = transport;
    cell.queues = queues;
    cell.is_own = transport == own_transport_ && queues == own_queues_;
    cell.why = impossible(transport, queues);
    if (!cell.why.empty()) {
      cell.ending = Ending::refused;
      return cell;
    }
    if (cell.is_own) {
      run(schedule_, scenario_, cell);
      return cell;
    }
    Scenario scenario = scenario_;
    scenario.pipeline.p2p = transport;
    scenario.streams = streams_for(scenario_, queues);
    try {
      run(with_transport(apart_, scenario), scenario, cell);
    } catch (const Error& error) {
      cell.ending = Ending::refused;
      cell.why = error.wrong();
    }
    return cell;
  }

  // Why there is no such combination, or "".
  std::string impossible(P2pMode transport, Queues queues) const {
    if (transport == P2pMode::multi_stream && queues != Queues::per_pair) {
      return "multi_stream gives every neighbour a queue";
    }
    if (transport == P2pMode::boundary && !overlaps_) {
      return "the boundary is that of an OVERLAP_B_F, and there is none";
    }
    return "";
  }

  void run(const Schedule& schedule, const Scenario& scenario, TransportCell& cell) {
    const Trial trial = try_out(schedule, scenario, trials_);
    cell.ending = trial.ending;
    cell.why = trial.why;
    if (trial.ending != Ending::hangs) return;
    const sim::Deadlock& deadlock = trial.deadlock;
    cell.cycle_text = deadlock.cycle.empty()
                          ? deadlock.blocked[static_cast<std::size_t>(deadlock.first)].text + "."
                          : deadlock.cycle_text;
    cell.exchange = find_exchange(schedule, scenario, trial.program, deadlock, exchanges_);
    cell.exchange_cut_short = exchanges_.is_over();
  }

  const Schedule& schedule_;
  const Scenario& scenario_;
  Schedule apart_;
  bool overlaps_;
  P2pMode own_transport_;
  Queues own_queues_;
  Effort trials_;
  Effort exchanges_;
};

}  // namespace

P2pMode own_transport(const Schedule& schedule, const Scenario& scenario) {
  const P2pMode mode = transport_of(scenario);
  if (mode != P2pMode::plain) return mode;
  if (any_slot(schedule, [](const Step& step) { return !step.boundary_p2p().empty(); })) {
    return P2pMode::boundary;
  }
  const auto is_batch = [](const Step& step) { return step.type == StepType::batch_send_recv; };
  return any_slot(schedule, is_batch) ? P2pMode::batch : P2pMode::plain;
}

Queues own_queues(const Scenario& scenario) {
  if (names_streams(scenario.streams)) return Queues::as_given;
  if (scenario.pipeline.p2p == P2pMode::multi_stream) return Queues::per_pair;
  switch (scenario.streams.preset) {
    case StreamPreset::two:
    case StreamPreset::per_group:
      return Queues::per_rank;
    case StreamPreset::multi_stream:
      return Queues::per_pair;
    case StreamPreset::per_edge:
      return Queues::per_direction;
    case StreamPreset::per_direction:
    case StreamPreset::unqueued:
      break;
  }
  return Queues::as_given;
}

TransportTable transport_table(const Schedule& schedule, const Scenario& scenario,
                               const MakeSchedule& make, std::size_t most_kernels) {
  return TableMaker(schedule, scenario, make, most_kernels).make();
}

}  // namespace steptwin::deadlocks
