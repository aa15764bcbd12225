#include "model/formats/program_json.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>
#include <string>

#include "tests/model/lowering/command_words.h"
#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

rapidjson::Document parsed(const Program& program) {
  rapidjson::Document document;
  const std::string text = program_json(program);
  document.Parse(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  CHECK(text.back() == '\n');
  return document;
}

// One of each command; the kernels are of no matter.
Program every_command() {
  Program program = empty_program(2, {"compute", "comm"});
  program.host = {1, 2, 3, 4, 5, true};
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  const std::int32_t first = main.compute(0, 7);
  main.record_event(main.new_event(), 0, first);
  main.wait(1, main.record(0));
  main.p2p(1, pair,
           {{.is_send = true, .peer = 1, .bytes = 10, .transfer_ns = 30},
            {.is_send = false, .peer = 1, .bytes = 20, .transfer_ns = 40}});
  main.host_wait(0);
  main.host_work(1000);
  ThreadWriter forked = main.fork();
  forked.rendezvous(Role::compute);
  forked.commands().back().hook = Hook::c;
  forked.commands().back().index = 1;
  main.notify(Role::comm);
  main.depart();
  main.join(forked);
  return program;
}

std::string compact(const std::string& text) {
  std::string kept;
  for (const char each : text) {
    if (each != ' ' && each != '\n') kept += each;
  }
  return kept;
}

TEST_CASE("program JSON: every command in its form, with streams by name") {
  const std::string text = compact(program_json(every_command()));
  CHECK(text.find("\"commands\":[[\"launch\",0],[\"record\",0,\"compute\",0],[\"record\",1,"
                  "\"compute\"],[\"wait\",\"comm\",1],[\"launch\",1],[\"host_wait\",0],"
                  "[\"host_work\",1000],[\"fork\",1],[\"notify\",\"comm\"],[\"depart\"],"
                  "[\"join\",1]]") != std::string::npos);
  CHECK(text.find("{\"name\":\"backward.1\",\"commands\":[[\"rendezvous\",\"compute\",\"C2\"]]}") !=
        std::string::npos);
}

TEST_CASE("program JSON: format, host costs and communicators") {
  const rapidjson::Document document = parsed(every_command());
  CHECK(std::string(document["format"].GetString()) == "steptwin-program");
  CHECK(document["version"].GetInt() == 1);
  const auto& host = document["host"];
  CHECK(host["launch_ns"].GetInt() == 1);
  CHECK(host["event_ns"].GetInt() == 2);
  CHECK(host["rendezvous_ns"].GetInt() == 3);
  CHECK(host["wake_ns"].GetInt() == 4);
  CHECK(host["fork_ns"].GetInt() == 5);
  CHECK(host["one_launch_lock"].GetBool());
  REQUIRE(document["communicators"].Size() == 1);
  CHECK(std::string(document["communicators"][0]["name"].GetString()) == "c0");
  CHECK(document["communicators"][0]["ranks"][1].GetInt() == 1);
  REQUIRE(document["ranks"].Size() == 2);
  CHECK(document["ranks"][1]["rank"].GetInt() == 1);
  CHECK(std::string(document["ranks"][1]["streams"][1].GetString()) == "comm");
  CHECK(std::string(document["ranks"][1]["threads"][0]["name"].GetString()) == "main");
}

TEST_CASE("program JSON: kernels with what they move, only where they move something") {
  const rapidjson::Document document = parsed(every_command());
  REQUIRE(document["kernels"].Size() == 2);
  const auto& compute = document["kernels"][0];
  CHECK(compute["id"].GetInt() == 0);
  CHECK(compute["layer"].GetInt() == -1);
  CHECK(std::string(compute["kind"].GetString()) == "compute");
  CHECK(compute["duration_ns"].GetInt() == 7);
  CHECK_FALSE(compute.HasMember("parts"));
  CHECK_FALSE(compute.HasMember("communicator"));
  const auto& p2p = document["kernels"][1];
  CHECK(std::string(p2p["stream"].GetString()) == "comm");
  CHECK(std::string(p2p["communicator"].GetString()) == "c0");
  CHECK(std::string(p2p["step"].GetString()) == "FWD_SEND(s0,m1)");
  REQUIRE(p2p["parts"].Size() == 2);
  CHECK(std::string(p2p["parts"][0]["op"].GetString()) == "send");
  CHECK(p2p["parts"][0]["bytes"].GetInt() == 10);
  CHECK(std::string(p2p["parts"][1]["op"].GetString()) == "recv");
  CHECK(p2p["parts"][1]["peer"].GetInt() == 1);
  CHECK(p2p["parts"][1]["transfer_ns"].GetInt() == 40);
}

TEST_CASE("program JSON: a lowered collective with part, direction and layer") {
  Scenario scenario = stage_scenario("1f1b", 1, 1, 1, 0, 0, 0, 0);
  use_moe_layers(scenario, 1);
  scenario.layers.launches = {{Part::dispatch, 3}};
  const rapidjson::Document document = parsed(lowered("rank0: FWD(s0,m0)", scenario));
  const auto& dispatch = document["kernels"][1];
  CHECK(std::string(dispatch["kind"].GetString()) == "all_to_all");
  CHECK(std::string(dispatch["part"].GetString()) == "dispatch");
  CHECK(std::string(dispatch["direction"].GetString()) == "forward");
  CHECK(dispatch["layer"].GetInt() == 1);
  CHECK(dispatch["launches"].GetInt() == 3);
  CHECK(std::string(dispatch["communicator"].GetString()) == "ep.0");
  CHECK(dispatch["duration_ns"].GetInt() == 1'000'000);
  CHECK(dispatch["stage"].GetInt() == 0);
  CHECK(dispatch["micro"].GetInt() == 0);
}

TEST_CASE("program JSON: eager sends and contention, only where they are on") {
  Program program = every_command();
  CHECK_FALSE(parsed(program).HasMember("eager_bytes"));
  CHECK_FALSE(parsed(program).HasMember("contention"));
  program.eager_bytes = 8;
  program.contention.comm_loss = 250'000'000;
  program.contention.node = {0, 1};
  program.contention.host = {2, 3};
  program.contention.latency_ns = {5, 6};
  CHECK(parsed(program)["eager_bytes"].GetInt() == 8);
  CHECK(compact(program_json(program))
            .find("\"contention\":{\"share_ports\":false,\"compute_loss_ppb\":0,"
                  "\"comm_loss_ppb\":250000000,\"while_waiting\":true,\"host_cores\":0,"
                  "\"node_of_rank\":[0,1],\"host_of_rank\":[2,3],\"devices_of_rank\":1,"
                  "\"latency_within_node_ns\":5,\"latency_across_nodes_ns\":6,"
                  "\"collectives_cross_nodes\":false}") != std::string::npos);
}

}  // namespace
}  // namespace steptwin
