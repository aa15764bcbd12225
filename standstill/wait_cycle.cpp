#include "standstill/wait_cycle.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <fmt/format.h>

namespace steptwin {
namespace {

// Which items are on a cycle at all.
std::vector<bool> on_a_cycle(const WaitGraph& graph) {
  using Boost = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Boost boost_graph(graph.items.size());
  std::vector<bool> on_cycle(graph.items.size(), false);
  for (std::size_t item = 0; item < graph.edges.size(); ++item) {
    for (const WaitEdge& edge : graph.edges[item]) {
      if (edge.target < 0) continue;
      const auto target = static_cast<std::size_t>(edge.target);
      if (target == item) on_cycle[item] = true;
      boost::add_edge(item, target, boost_graph);
    }
  }
  std::vector<int> component(graph.items.size());
  const int components = boost::strong_components(
      boost_graph, boost::make_iterator_property_map(component.begin(),
                                                     boost::get(boost::vertex_index, boost_graph)));
  std::vector<int> size(static_cast<std::size_t>(components), 0);
  for (const int of_item : component) ++size[static_cast<std::size_t>(of_item)];
  for (std::size_t item = 0; item < component.size(); ++item) {
    if (size[static_cast<std::size_t>(component[item])] > 1) on_cycle[item] = true;
  }
  return on_cycle;
}

// Ways back from an item to itself, breadth first.
class CycleSearch {
 public:
  explicit CycleSearch(const WaitGraph& graph)
      : graph_(graph), reached_from_(graph.items.size(), -1) {}

  // A cycle through `start` of fewer than `limit` items, or nothing.
  std::vector<std::int32_t> through(std::int32_t start, std::size_t limit) {
    std::vector<std::int32_t> cycle;
    frontier_.assign(1, start);
    std::size_t end_of_level = 1;
    std::size_t length = 1;
    for (std::size_t at = 0; at < frontier_.size() && length < limit && cycle.empty(); ++at) {
      if (at == end_of_level) {
        end_of_level = frontier_.size();
        if (++length >= limit) break;
      }
      cycle = visit(frontier_[at], start);
    }
    for (const std::int32_t item : frontier_) reached_from_[static_cast<std::size_t>(item)] = -1;
    return cycle;
  }

 private:
  std::vector<std::int32_t> visit(std::int32_t item, std::int32_t start) {
    for (const WaitEdge& edge : graph_.edges[static_cast<std::size_t>(item)]) {
      if (edge.target == start) return way_to(item, start);
      if (edge.target < 0 || reached_from_[static_cast<std::size_t>(edge.target)] >= 0) continue;
      reached_from_[static_cast<std::size_t>(edge.target)] = item;
      frontier_.push_back(edge.target);
    }
    return {};
  }

  std::vector<std::int32_t> way_to(std::int32_t item, std::int32_t start) const {
    std::vector<std::int32_t> way{item};
    while (way.back() != start) {
      way.push_back(reached_from_[static_cast<std::size_t>(way.back())]);
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

  const WaitGraph& graph_;
  std::vector<std::int32_t> reached_from_;
  std::vector<std::int32_t> frontier_;
};

const WaitEdge& edge_between(const WaitGraph& graph, std::int32_t item, std::int32_t next) {
  const std::vector<WaitEdge>& edges = graph.edges[static_cast<std::size_t>(item)];
  return *std::find_if(edges.begin(), edges.end(),
                       [next](const WaitEdge& edge) { return edge.target == next; });
}

}  // namespace

std::vector<std::int32_t> shortest_cycle(const WaitGraph& graph) {
  const std::vector<bool> on_cycle = on_a_cycle(graph);
  CycleSearch search(graph);
  std::vector<std::int32_t> shortest;
  for (std::size_t item = 0; item < graph.items.size(); ++item) {
    if (!on_cycle[item]) continue;
    const std::size_t limit = shortest.empty() ? graph.items.size() + 1 : shortest.size();
    std::vector<std::int32_t> cycle = search.through(static_cast<std::int32_t>(item), limit);
    if (!cycle.empty()) shortest = std::move(cycle);
  }
  return shortest;
}

std::string cycle_sentences(const WaitGraph& graph, const std::vector<std::int32_t>& cycle) {
  if (cycle.empty()) return "";
  std::string text;
  for (std::size_t at = 0; at < cycle.size(); ++at) {
    const WaitEdge& edge = edge_between(graph, cycle[at], cycle[(at + 1) % cycle.size()]);
    text += fmt::format("{}{} and waits for {}", at == 0 ? "" : "; ",
                        graph.subjects[static_cast<std::size_t>(cycle[at])], edge.reason);
  }
  return text + (cycle.size() == 1 ? ": it waits for itself." : "; so none of them can go on.");
}

std::vector<std::int64_t> kernels_awaited(const WaitGraph& graph,
                                          const std::vector<std::int32_t>& cycle) {
  std::vector<std::int64_t> kernels;
  for (std::size_t at = 0; at < cycle.size(); ++at) {
    kernels.push_back(edge_between(graph, cycle[at], cycle[(at + 1) % cycle.size()]).kernel);
  }
  return kernels;
}

}  // namespace steptwin
