#include "standstill/wait_graph.h"

#include <doctest/doctest.h>
#include <string>

#include "sim/deadlock.h"
#include "sim/engine.h"
#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

// "1,2 - 0": by item, the items it waits for; - where nobody could bring it.
std::string targets(const WaitGraph& graph) {
  std::string text;
  for (const std::vector<WaitEdge>& edges : graph.edges) {
    std::string list;
    for (const WaitEdge& edge : edges) {
      list += (list.empty() ? "" : ",") + (edge.target < 0 ? "-" : std::to_string(edge.target));
    }
    text += (text.empty() ? "" : " ") + list;
  }
  return text;
}

// System: rank 0 calls a collective of three; rank 1's call is queued behind a receive from rank 2;
// rank 2 does nothing.
//   items: 0 = rank 0 comm, 1 = rank 1 comm
TEST_CASE("a collective waits for every member that has not come, on its stream or nowhere") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  const std::int32_t pair = add_communicator(program, {1, 2});
  ThreadWriter(program, 0, 0).collective(1, all, KernelKind::all_to_all, 2);
  ThreadWriter other(program, 1, 0);
  other.recv(1, pair, 2, 2);
  other.collective(1, all, KernelKind::all_to_all, 2);
  const WaitGraph graph = wait_graph(sim::standstill_of(sim::evaluate(program, false)));
  REQUIRE(graph.items.size() == 2);
  CHECK(targets(graph) == "1,- -");
  CHECK(graph.edges[0][0].kernel == 2);
  CHECK(graph.edges[0][0].reason ==
        "dispatch of FWD(s1,m2), which is queued behind FWD_RECV(s1,m1) from rank 2 on stream comm "
        "of rank 1");
  CHECK(graph.edges[0][1].kernel == -1);
  CHECK(graph.items[0].text ==
        graph.subjects[0] + ", waiting for " + graph.edges[0][0].reason + ", and for 1 more");
  CHECK(graph.subjects[0] == "rank 0 stream comm stops at dispatch of FWD(s0,m0)");
}

// System: two parts to one peer ask one question, parts to two peers ask two.
TEST_CASE("a p2p kernel waits once for each peer and direction") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter(program, 0, 0)
      .p2p(1, all,
           {{.is_send = true, .peer = 1},
            {.is_send = true, .peer = 1},
            {.is_send = false, .peer = 1},
            {.is_send = true, .peer = 2}});
  const WaitGraph graph = wait_graph(sim::standstill_of(sim::evaluate(program, false)));
  REQUIRE(graph.edges.size() == 1);
  CHECK(targets(graph) == "-,-,-");
  CHECK(graph.edges[0][0].reason == "a receive from rank 0 that rank 1 never launches");
  CHECK(graph.edges[0][1].reason == "a send to rank 0 that rank 1 never launches");
}

// Items come by rank, a rank's threads before its streams: 0 rank 0 comm; 1 rank 1 main,
// 2 its compute stream, 3 its comm stream.
TEST_CASE("items are ordered by rank, threads first; each names its command or its kernel") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).send(1, pair, 1, 2);
  ThreadWriter other(program, 1, 0);
  other.send(1, pair, 0, 2);
  const std::int32_t sent = other.record(1);
  other.wait(0, sent);
  other.host_wait(sent);
  other.recv(1, pair, 0, 2);
  const WaitGraph graph = wait_graph(sim::standstill_of(sim::evaluate(program, false)));
  REQUIRE(graph.items.size() == 4);
  CHECK_FALSE(graph.items[0].is_thread);
  CHECK(graph.items[1].is_thread);
  CHECK(graph.items[1].command == 3);
  CHECK(graph.items[2].index == 0);
  CHECK(graph.items[2].kernel == -1);
  CHECK(graph.items[3].kernel == 1);
  // rank 0's send waits for a receive that rank 1's main has yet to launch; main and compute wait
  // for rank 1's send, which nobody will ever receive.
  CHECK(targets(graph) == "1 3 3 -");
}

}  // namespace
}  // namespace steptwin
