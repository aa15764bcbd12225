#include "standstill/wait_cycle.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/property_count.h"

namespace steptwin {
namespace {

using Cycle = std::vector<std::int32_t>;

WaitGraph graph_of(const std::vector<std::vector<std::int32_t>>& targets) {
  WaitGraph graph;
  graph.items.resize(targets.size());
  graph.subjects.resize(targets.size());
  for (const std::vector<std::int32_t>& list : targets) {
    graph.edges.emplace_back();
    for (const std::int32_t target : list) graph.edges.back().push_back({target, "", -1});
  }
  return graph;
}

TEST_CASE("no cycle: chains, and waits for what nobody can bring") {
  CHECK(shortest_cycle(graph_of({})).empty());
  CHECK(shortest_cycle(graph_of({{-1}})).empty());
  CHECK(shortest_cycle(graph_of({{1}, {2}, {-1}})).empty());
  CHECK(shortest_cycle(graph_of({{1, 2}, {3}, {3}, {}})).empty());
}

TEST_CASE("an item that waits for itself is the shortest cycle there is") {
  CHECK(shortest_cycle(graph_of({{1}, {0}, {2}})) == Cycle{2});
}

//   0 -> 1 -> 2 -> 0, and 2 <-> 3
TEST_CASE("the shortest of several, also where it shares an item with a longer one") {
  CHECK(shortest_cycle(graph_of({{1}, {2}, {0, 3}, {2}})) == Cycle{2, 3});
}

TEST_CASE("among equals the one with the lowest item, told from there") {
  CHECK(shortest_cycle(graph_of({{3}, {2}, {1}, {0}})) == Cycle{0, 3});
  CHECK(shortest_cycle(graph_of({{-1}, {3}, {1}, {2}})) == Cycle{1, 3, 2});
}

// The length of the shortest way from one item to another, by relaxing until nothing changes.
std::size_t way_length(const WaitGraph& graph, std::size_t from, std::size_t to) {
  const std::size_t far = graph.items.size() + 1;
  std::vector<std::size_t> length(graph.items.size(), far);
  for (const WaitEdge& edge : graph.edges[from]) {
    if (edge.target >= 0) length[static_cast<std::size_t>(edge.target)] = 1;
  }
  for (std::size_t round = 0; round < graph.items.size(); ++round) {
    for (std::size_t item = 0; item < graph.items.size(); ++item) {
      for (const WaitEdge& edge : graph.edges[item]) {
        if (edge.target < 0) continue;
        std::size_t& there = length[static_cast<std::size_t>(edge.target)];
        there = std::min(there, length[item] + 1);
      }
    }
  }
  return length[to];
}

bool has_edge(const WaitGraph& graph, std::int32_t from, std::int32_t to) {
  const auto& edges = graph.edges[static_cast<std::size_t>(from)];
  return std::any_of(edges.begin(), edges.end(),
                     [to](const WaitEdge& edge) { return edge.target == to; });
}

TEST_CASE("on random graphs the cycle is one, and none is shorter") {
  for (int seed = 0; seed < property_count(300); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const std::size_t items = 1 + random() % 12;
    std::vector<std::vector<std::int32_t>> targets(items);
    for (auto& list : targets) {
      for (std::size_t count = random() % 3; count > 0; --count) {
        list.push_back(static_cast<std::int32_t>(random() % (items + 1)) - 1);
      }
    }
    const WaitGraph graph = graph_of(targets);
    std::size_t shortest = items + 1;
    for (std::size_t item = 0; item < items; ++item) {
      shortest = std::min(shortest, way_length(graph, item, item));
    }
    const Cycle cycle = shortest_cycle(graph);
    REQUIRE(cycle.size() == (shortest > items ? 0 : shortest));
    for (std::size_t at = 0; at < cycle.size(); ++at) {
      REQUIRE(has_edge(graph, cycle[at], cycle[(at + 1) % cycle.size()]));
    }
  }
}

TEST_CASE("a cycle as sentences, and the kernels that are waited for in it") {
  WaitGraph graph = graph_of({{1}, {0}, {2}});
  graph.subjects = {"A", "B", "C"};
  graph.edges[0][0] = {1, "what B holds up", 3};
  graph.edges[1][0] = {0, "what A holds up", -1};
  graph.edges[2][0] = {2, "itself", 7};
  CHECK(cycle_sentences(graph, {0, 1}) ==
        "A and waits for what B holds up; B and waits for what A holds up; so none of them can go "
        "on.");
  CHECK(cycle_sentences(graph, {2}) == "C and waits for itself: it waits for itself.");
  CHECK(cycle_sentences(graph, {}) == "");
  CHECK(kernels_awaited(graph, {0, 1}) == std::vector<std::int64_t>{3, -1});
  CHECK(kernels_awaited(graph, {2}) == std::vector<std::int64_t>{7});
}

}  // namespace
}  // namespace steptwin
