#include "reports/chrome_trace.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <rapidjson/document.h>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/reports/random_trace.h"
#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

// Numbers as their text, to see the decimals.
struct Written {
  explicit Written(const Trace& trace) {
    std::ostringstream out;
    write_chrome_trace(trace, out);
    text = out.str();
    document.Parse<rapidjson::kParseNumbersAsStringsFlag>(text.c_str());
    REQUIRE_FALSE(document.HasParseError());
  }
  const rapidjson::Value& events() const { return document["traceEvents"]; }

  // The events of a phase, each as "pid/tid ts+dur name".
  std::vector<std::string> of(const std::string& phase) const {
    std::vector<std::string> lines;
    for (const rapidjson::Value& event : events().GetArray()) {
      if (event["ph"].GetString() != phase) continue;
      std::string line = std::string(event["pid"].GetString()) + "/" + event["tid"].GetString();
      line += std::string(" ") + event["ts"].GetString();
      if (event.HasMember("dur")) line += std::string("+") + event["dur"].GetString();
      lines.push_back(line + " " + event["name"].GetString());
    }
    return lines;
  }

  std::string text;
  rapidjson::Document document;
};

Trace one_transfer() {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 3, 0, 0, 1500)
      .p2p(0, StepType::fwd_send, 0, 3, {1}, {0, 1500, 1500, 2001})
      .p2p(1, StepType::fwd_recv, 4, 3, {0}, {0, 250, 1500, 2001})
      .compute(1, StepType::fwd, 4, 3, 0, 2001, 3000, Part::attention)
      .rendezvous(1, 1, Hook::a, Role::comm, 100, 200);
  return maker.trace();
}

TEST_CASE("slices carry micro-batch and chunk, and a wait for the peer is a slice of its own") {
  const Written written(one_transfer());
  CHECK(written.of("X") == std::vector<std::string>{
                               "0/0 0.000+1.500 F3.0", "0/1 1.500+0.501 send F3.0",
                               "1/0 2.001+0.999 attention F3.0", "1/1 0.250+1.250 wait: recv F3.0",
                               "1/1 1.500+0.501 recv F3.0", "1/4 0.100+0.100 rendezvous A1 comm"});
}

TEST_CASE("tracks are named and in order") {
  const Written written(one_transfer());
  std::vector<std::string> names;
  std::vector<std::int64_t> order;
  for (const rapidjson::Value& event : written.events().GetArray()) {
    if (event["ph"].GetString() != std::string("M")) continue;
    const std::string kind = event["name"].GetString();
    if (event["pid"].GetString() != std::string("1")) continue;
    if (kind == "process_name" || kind == "thread_name") {
      names.push_back(event["args"]["name"].GetString());
    } else if (kind == "thread_sort_index") {
      order.push_back(std::stoll(event["args"]["sort_index"].GetString()));
    }
  }
  CHECK(names == std::vector<std::string>{"rank 1", "compute", "comm", "copy", "host main",
                                          "host backward"});
  CHECK(std::is_sorted(order.begin(), order.end()));
  CHECK(order.size() == 5);
}

TEST_CASE("an arrow leads from the send to the receive") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 1000)
      .p2p(0, StepType::fwd_send, 0, 0, {1}, {0, 1000, 1000, 2000})
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 0, 1000, 2000})
      .compute(1, StepType::fwd, 1, 0, 0, 2000, 3000);
  const Written written(maker.trace());
  CHECK(written.of("s") == std::vector<std::string>{"0/1 1.000 p2p"});
  CHECK(written.of("f") == std::vector<std::string>{"1/1 1.999 p2p"});
}

// Rank and track, then time. A thread's records do not overlap, though those of a random trace do.
using Place = std::pair<std::pair<std::int64_t, std::int64_t>, double>;
Place place_of(const rapidjson::Value& event) {
  return {{std::stoll(event["pid"].GetString()), std::stoll(event["tid"].GetString())},
          std::stod(event["ts"].GetString())};
}

TEST_CASE("names come first, then slices by rank, track and time, then counters, then arrows") {
  constexpr std::uint64_t kSeed = 17;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const Written written(random_trace(random));
    std::string phases;
    std::vector<Place> slices;
    for (const rapidjson::Value& event : written.events().GetArray()) {
      const char phase = *event["ph"].GetString();
      phases += phase == 'f' ? 's' : phase;
      if (phase == 'X') slices.push_back(place_of(event));
    }
    const std::size_t slice = phases.find_first_not_of('M');
    const std::size_t counter = phases.find_first_not_of('X', slice);
    const std::size_t arrow = phases.find_first_not_of('C', counter);
    REQUIRE(phases.find_first_not_of('s', arrow) == std::string::npos);
    REQUIRE(std::is_sorted(slices.begin(), slices.end()));
  }
}

// System: transfers of no duration, drawn in the order in which they start. The ends of an arrow
// stand together, so that it starts before it ends where both are at one instant.
TEST_CASE("arrows are ordered by time, each end within the slice of its kernel") {
  TraceMaker maker(2);
  for (std::int32_t micro = 2; micro >= 0; --micro) {
    const TimeNs sent = 1000 + 100 * (3 - micro);
    maker.compute(0, StepType::fwd, 0, micro, 0, sent - 100, sent)
        .p2p(0, StepType::fwd_send, 0, micro, {1}, {0, sent, sent, sent})
        .p2p(1, StepType::fwd_recv, 1, micro, {0}, {0, sent - 50, sent, sent})
        .compute(1, StepType::fwd, 1, micro, 0, sent, sent + 100);
  }
  const Written written(maker.trace());
  std::vector<std::string> arrows;
  for (const rapidjson::Value& event : written.events().GetArray()) {
    const std::string phase = event["ph"].GetString();
    if (phase != "s" && phase != "f") continue;
    arrows.push_back(phase + event["id"].GetString() + " " + event["pid"].GetString() + "/" +
                     event["tid"].GetString() + " " + event["ts"].GetString());
  }
  CHECK(arrows == std::vector<std::string>{"s1 0/1 1.100", "f1 1/1 1.100", "s2 0/1 1.200",
                                           "f2 1/1 1.200", "s3 0/1 1.300", "f3 1/1 1.300"});
  CHECK(written.of("X").at(3) == "0/1 1.100+0.000 send F2.0");
}

TEST_CASE("host records of any order are drawn by thread and time") {
  TraceMaker maker(1);
  maker.rendezvous(0, 1, Hook::b, Role::comm, 40, 50)
      .rendezvous(0, 0, Hook::a, Role::comm, 20, 30)
      .rendezvous(0, 1, Hook::a, Role::compute, 10, 30);
  CHECK(Written(maker.trace()).of("X") ==
        std::vector<std::string>{"0/3 0.020+0.010 rendezvous A1 comm",
                                 "0/4 0.010+0.020 rendezvous A1 compute",
                                 "0/4 0.040+0.010 rendezvous B1 comm"});
}

TEST_CASE("progress is told while slices are written, never more than all of them") {
  const Trace trace = gpipe_trace(4, 8192);  // 65536 kernels
  std::vector<std::size_t> told;
  std::ostringstream out;
  write_chrome_trace(trace, out, [&](std::size_t done, std::size_t total) {
    CHECK(total == trace.kernels.size());
    told.push_back(done);
  });
  CHECK(told == std::vector<std::size_t>{16384, 32768, 49152, 65536});
}

TEST_CASE("activations in flight are a counter of each rank") {
  const Written written(gpipe_trace(1, 2));
  std::vector<std::pair<std::string, std::string>> counts;
  for (const rapidjson::Value& event : written.events().GetArray()) {
    if (event["ph"].GetString() != std::string("C")) continue;
    counts.emplace_back(event["ts"].GetString(), event["args"]["micro-batches"].GetString());
  }
  CHECK(counts == std::vector<std::pair<std::string, std::string>>{
                      {"0.000", "1"}, {"0.010", "2"}, {"0.040", "1"}, {"0.060", "0"}});
}

TEST_CASE("names are quoted as JSON wants them") {
  Trace trace = one_transfer();
  trace.ranks[0].streams[1] = "a \"b\"\\\n";
  const Written written(trace);
  const auto events = written.events().GetArray();
  CHECK(std::any_of(events.begin(), events.end(), [](const rapidjson::Value& event) {
    return event["name"] == "thread_name" && event["args"]["name"] == "a \"b\"\\\n";
  }));
}

TEST_CASE("slices of a track never overlap, whatever the trace") {
  constexpr std::uint64_t kSeed = 99;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    Trace trace = random_trace(random);
    trace.host.clear();  // a thread's records do not overlap; the random ones do
    const Written written(trace);
    std::map<std::pair<std::string, std::string>, std::vector<std::pair<double, double>>> tracks;
    std::size_t slices = 0;
    for (const rapidjson::Value& event : written.events().GetArray()) {
      if (event["ph"].GetString() != std::string("X")) continue;
      const double begin = std::stod(event["ts"].GetString());
      const double duration = std::stod(event["dur"].GetString());
      tracks[{event["pid"].GetString(), event["tid"].GetString()}].emplace_back(begin,
                                                                                begin + duration);
      ++slices;
    }
    CHECK(slices >= trace.kernels.size());
    for (auto& [track, intervals] : tracks) {
      std::sort(intervals.begin(), intervals.end());
      for (std::size_t next = 1; next < intervals.size(); ++next) {
        REQUIRE(intervals[next - 1].second <= intervals[next].first + 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace steptwin::reports
