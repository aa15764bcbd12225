#include "model/idle_schedule_keys.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "model/formats/scenario_toml.h"
#include "model/scenario_schedule.h"

namespace steptwin {
namespace {

// What make_schedule says of a scenario of two ranks, or "" if it makes one.
std::string refusal(const std::string& pipeline, const std::string& more = "",
                    const std::string& ranks = "2") {
  const Scenario scenario = read_scenario("[pipeline]\nranks = " + ranks + "\n" + pipeline +
                                              "\n"
                                              "[layers]\nper_stage = 1\n"
                                              "attention_us = {forward = 1, backward_input = 1, "
                                              "backward_weight = 1}\n"
                                              "experts_us = {forward = 1, backward_input = 1, "
                                              "backward_weight = 1}\n"
                                              "dispatch_us = {forward = 1, backward = 1}\n"
                                              "combine_us = {forward = 1, backward = 1}\n" +
                                              more,
                                          "s.toml");
  try {
    make_schedule(scenario);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string kInterleaved = "schedule = \"interleaved_1f1b\"\nchunks_per_rank = 2\n";
const std::string kRemoved = "; expected the key removed";

TEST_CASE("receives that stand before their use already") {
  const std::string late = "micro_batches = 4\nrecv_placement = \"late\"\n";
  CHECK(refusal(late + "schedule = \"gpipe\"") ==
        "s.toml:4:18: error: pipeline.recv_placement has no effect because every receive stands "
        "right before its use already" +
            kRemoved);
  CHECK(refusal(late + kInterleaved) == "");
  CHECK(refusal("micro_batches = 4\nrecv_placement = \"early\"\nschedule = \"gpipe\"") == "");
}

TEST_CASE("overlap keys where one micro-batch leaves nothing to overlap") {
  const std::string one = kInterleaved + "overlap = \"b_f\"\nmicro_batches = 1\n";
  const std::string reason = " has no effect because nothing overlaps in this schedule" + kRemoved +
                             ", or more micro-batches";
  CHECK(refusal(one + "[overlap]\nhooks = false") == "s.toml:8:9: error: overlap.hooks" + reason);
  CHECK(refusal(one + "[overlap]\ndepart = false") ==
        "s.toml:8:10: error: overlap.depart" + reason);
  CHECK(refusal(one + "[overlap]\nexecution = \"sequential\"") ==
        "s.toml:8:13: error: overlap.execution" + reason);
  CHECK(refusal(one + "[overlap]\nhooks = true\nexecution = \"threads\"") == "");
  CHECK(refusal(kInterleaved + "overlap = \"b_f\"\nmicro_batches = 4\n[overlap]\nhooks = false") ==
        "");
  CHECK(refusal(one + "p2p = \"boundary\"", "", "3") ==
        "s.toml:7:7: error: pipeline.p2p has no effect because no overlap is followed by transfers "
        "that it could take over" +
            kRemoved);
  CHECK(refusal(one + "split_backward = true") ==
        "s.toml:7:18: error: pipeline.split_backward has no effect because no overlap has a "
        "backward to split" +
            kRemoved);
}

TEST_CASE("batches whose transfers the streams take apart") {
  const std::string batch = "micro_batches = 6\np2p = \"batch\"\n";
  const auto streams = [](const std::string& preset) {
    return "[streams]\npreset = \"" + preset + "\"\n";
  };
  const std::string apart =
      "s.toml:4:7: error: pipeline.p2p has no effect because streams.preset puts every transfer of "
      "a batch on a stream of its own" +
      kRemoved + ", or streams.preset = \"two\" or \"multi_stream\"";
  const std::string plain = "schedule = \"1f1b\"\n";
  CHECK(refusal(batch + plain, streams("per_direction")) == apart);
  CHECK(refusal(batch + plain, streams("per_edge")) == apart);
  CHECK(refusal(batch + plain, streams("unqueued")) == apart);
  CHECK(refusal(batch + plain, streams("two")) == "");
  CHECK(refusal(batch + plain, streams("multi_stream")) == "");
  // Two ranks of two stages: an activation and a gradient may go the same way in one batch.
  const std::string both = kInterleaved + "overlap = \"b_f\"\n";
  CHECK(refusal(batch + both, streams("per_edge")) == "");
  CHECK(refusal(batch + both, streams("unqueued")) == apart);
  CHECK(refusal(batch + both, streams("per_edge"), "3") == apart);
  // Streams that are named hold a batch together.
  CHECK(refusal(batch + plain, streams("per_edge") + "p2p_forward = \"a\"") == apart);
  // "auto" was not asked for batches.
  CHECK(refusal("micro_batches = 6\np2p = \"auto\"\n" + both, streams("unqueued")) == "");
}

TEST_CASE("a scenario that was not read from a text is taken as it is") {
  Scenario scenario;
  scenario.overlap.hooks = false;
  refuse_idle_schedule_keys(scenario, Schedule{});
}

}  // namespace
}  // namespace steptwin
