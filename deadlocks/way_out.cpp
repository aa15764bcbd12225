#include "deadlocks/way_out.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "model/error.h"
#include "model/formats/scenario_words.h"
#include "model/scenario_schedule.h"

namespace steptwin::deadlocks {
namespace {

struct Setting {
  std::string text;
  Scenario scenario;
};

class Settings {
 public:
  explicit Settings(const Scenario& scenario) : scenario_(scenario) {}

  std::vector<Setting> all() {
    const PipelineKeys& pipeline = scenario_.pipeline;
    if (pipeline.recv_placement == RecvPlacement::late) {
      add("pipeline.recv_placement = \"early\"").pipeline.recv_placement = RecvPlacement::early;
    }
    if (!scenario_.overlap.depart) add("overlap.depart = true").overlap.depart = true;
    if (!pipeline.overlap_p2p) add("pipeline.overlap_p2p = true").pipeline.overlap_p2p = true;
    add_transports();
    add_queues();
    return std::move(settings_);
  }

 private:
  Scenario& add(std::string text) {
    settings_.push_back({std::move(text), scenario_});
    return settings_.back().scenario;
  }

  void add_transports() {
    const P2pMode own = transport_of(scenario_);
    for (const P2pMode mode : {P2pMode::plain, P2pMode::batch}) {
      if (mode == own) continue;
      add(fmt::format("pipeline.p2p = \"{}\"", text_for(kP2pModes, mode))).pipeline.p2p = mode;
    }
  }

  // A class that has a stream of its own name does not follow the preset.
  void add_queues() {
    const StreamKeys& streams = scenario_.streams;
    const bool is_named =
        !streams.p2p.empty() || !streams.p2p_forward.empty() || !streams.p2p_backward.empty();
    if (is_named || scenario_.pipeline.p2p == P2pMode::multi_stream) return;
    for (const StreamPreset preset :
         {StreamPreset::multi_stream, StreamPreset::per_direction, StreamPreset::per_edge}) {
      if (preset == streams.preset) continue;
      add(fmt::format("streams.preset = \"{}\"", text_for(kStreamPresets, preset))).streams.preset =
          preset;
    }
  }

  const Scenario& scenario_;
  std::vector<Setting> settings_;
};

bool helps(const Setting& setting, const MakeSchedule& make, Effort& effort) {
  try {
    return try_out(make(setting.scenario), setting.scenario, effort).ending == Ending::runs;
  } catch (const Error&) {
    return false;  // a setting that this scenario cannot have
  }
}

std::string counted(std::int32_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) text += at + 1 == words.size() ? " or " : ", ";
    text += words[at];
  }
  return text;
}

}  // namespace

WayOut find_way_out(const Hang& hang, const MakeSchedule& make, std::size_t most_kernels) {
  WayOut way_out;
  Effort effort(most_kernels);
  way_out.exchange =
      find_exchange(hang.schedule, hang.scenario, hang.program, hang.deadlock, effort);
  if (!way_out.exchange.found && !effort.is_over()) {
    for (const Setting& setting : Settings(hang.scenario).all()) {
      const bool helped = helps(setting, make, effort);
      if (effort.is_over()) break;
      ++way_out.settings_tried;
      if (helped) way_out.settings.push_back(setting.text);
    }
  }
  way_out.was_cut_short = effort.is_over();
  return way_out;
}

std::string way_out_text(const WayOut& way_out) {
  const ExchangeSearch& exchange = way_out.exchange;
  if (exchange.found) {
    return fmt::format("Exchanging {} lets it run to its end.", exchange_text(*exchange.found));
  }
  std::string text =
      exchange.tried == 0 && !way_out.was_cut_short
          ? "There is no exchange of two neighbouring steps that could help."
          : fmt::format("No exchange of two neighbouring steps helps ({} tried).", exchange.tried);
  if (!way_out.settings.empty()) {
    text += fmt::format(" With {} it runs to its end.", listed(way_out.settings));
  } else if (way_out.settings_tried > 0) {
    text += fmt::format(" {} tried one at a time: none helps.",
                        counted(way_out.settings_tried, "other setting"));
  }
  if (way_out.was_cut_short) text += " Not all was tried: it would have taken too long.";
  return text;
}

}  // namespace steptwin::deadlocks
