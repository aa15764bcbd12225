#include "hw/coordinator.h"

#include <doctest/doctest.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace steptwin::hw {
namespace {

using Side = Coordinator::Side;

// What a thread of an overlap does: launches, by a letter and the layer, and its hooks.
struct Action {
  enum class Kind : std::uint8_t { launch, notify, rendezvous } kind = Kind::launch;
  Role role = Role::comm;
  std::string launched;
};
using Actions = std::vector<Action>;

void add_hook(Actions& actions, Role previous, Role next) {
  actions.push_back({Action::Kind::notify, previous, ""});
  actions.push_back({Action::Kind::rendezvous, next, ""});
}

void add_launch(Actions& actions, Role role, const std::string& name) {
  actions.push_back({Action::Kind::launch, role, name});
}

// attention A dispatch B experts C combine D, and D of the last layer only notifies.
Actions forward_of(int layers) {
  Actions actions;
  for (int layer = 1; layer <= layers; ++layer) {
    add_launch(actions, Role::compute, "");
    add_hook(actions, Role::compute, Role::comm);
    add_launch(actions, Role::comm, "dispatch" + std::to_string(layer));
    add_hook(actions, Role::comm, Role::compute);
    add_launch(actions, Role::compute, "");
    add_hook(actions, Role::compute, Role::comm);
    add_launch(actions, Role::comm, "combine" + std::to_string(layer));
    if (layer < layers) {
      add_hook(actions, Role::comm, Role::compute);
    } else {
      actions.push_back({Action::Kind::notify, Role::comm, ""});
    }
  }
  return actions;
}

// The same from its end to its beginning; what was the last D is nothing.
Actions backward_of(int layers) {
  Actions actions;
  for (int layer = layers; layer >= 1; --layer) {
    if (layer < layers) add_hook(actions, Role::compute, Role::comm);
    add_launch(actions, Role::comm, "combine'" + std::to_string(layer));
    add_hook(actions, Role::comm, Role::compute);
    add_launch(actions, Role::compute, "");
    add_hook(actions, Role::compute, Role::comm);
    add_launch(actions, Role::comm, "dispatch'" + std::to_string(layer));
    add_hook(actions, Role::comm, Role::compute);
    add_launch(actions, Role::compute, "");
  }
  return actions;
}

// What two threads launch on a communication stream, in the order in which they do.
struct Log {
  std::mutex mutex;
  std::vector<std::string> launched;

  void add(const std::string& name) {
    const std::lock_guard lock(mutex);
    launched.push_back(name);
  }
};

// Performs the first `count` actions and departs, or fails there: then nobody says goodbye.
void perform(Coordinator& coordinator, Side side, const Actions& actions, std::size_t count,
             bool fails, Log& log) {
  std::atomic<ThreadStop> where{ThreadStop::running};
  for (std::size_t index = 0; index < count; ++index) {
    const Action& action = actions[index];
    if (action.kind == Action::Kind::notify) coordinator.notify(side, action.role);
    if (action.kind == Action::Kind::rendezvous) coordinator.rendezvous(side, action.role, where);
    if (action.kind == Action::Kind::launch && !action.launched.empty()) log.add(action.launched);
  }
  CHECK(where == ThreadStop::running);
  if (fails) {
    coordinator.disable();
  } else {
    coordinator.depart(side);
  }
}

std::vector<std::string> launched_by(const Actions& actions, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t index = 0; index < count; ++index) {
    if (!actions[index].launched.empty()) names.push_back(actions[index].launched);
  }
  return names;
}

std::vector<std::string> only(const std::vector<std::string>& launched, bool backward) {
  std::vector<std::string> names;
  for (const std::string& name : launched) {
    if ((name.find('\'') != std::string::npos) == backward) names.push_back(name);
  }
  return names;
}

struct Case {
  int forward_layers = 1;
  int backward_layers = 1;
  std::size_t forward_count = 0;  // actions before it ends
  std::size_t backward_count = 0;
  bool forward_fails = false;
  bool backward_fails = false;
};

std::vector<std::string> run(const Case& made, const Actions& forward, const Actions& backward) {
  const Stop stop;
  Coordinator coordinator(stop);
  Log log;
  coordinator.enable();
  std::thread forked([&] {
    perform(coordinator, Side::forked, backward, made.backward_count, made.backward_fails, log);
  });
  perform(coordinator, Side::main, forward, made.forward_count, made.forward_fails, log);
  forked.join();
  return log.launched;
}

std::vector<std::string> run_whole(int forward_layers, int backward_layers) {
  const Actions forward = forward_of(forward_layers);
  const Actions backward = backward_of(backward_layers);
  return run({forward_layers, backward_layers, forward.size(), backward.size()}, forward, backward);
}

using Names = std::vector<std::string>;

TEST_CASE("the order on the communication stream, as the runtimes modelled have it") {
  CHECK(run_whole(2, 2) == Names{"combine'2", "dispatch1", "dispatch'2", "combine1", "combine'1",
                                 "dispatch2", "dispatch'1", "combine2"});
  CHECK(run_whole(1, 1) == Names{"combine'1", "dispatch1", "dispatch'1", "combine1"});
}

TEST_CASE("of unequal layers the common ones pair, and the rest runs alone") {
  CHECK(run_whole(2, 1) ==
        Names{"combine'1", "dispatch1", "dispatch'1", "combine1", "dispatch2", "combine2"});
  CHECK(run_whole(1, 2) ==
        Names{"combine'2", "dispatch1", "dispatch'2", "combine1", "combine'1", "dispatch'1"});
}

// 10,000 pairs of threads; each side ends early, by departing or failing, in a quarter of them.
// Nothing hangs, each side launches all that it came to in its own order, and a pair that nobody
// leaves early has one order, time after time.
TEST_CASE("random pairs of layer counts, early departures and failures") {
  constexpr unsigned kSeed = 20251;
  constexpr int kPairs = 10'000;
  std::mt19937 random(kSeed);
  const auto draw = [&random](int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  };
  for (int pair = 0; pair < kPairs; ++pair) {
    Case made{1 + draw(3), 1 + draw(3)};
    const Actions forward = forward_of(made.forward_layers);
    const Actions backward = backward_of(made.backward_layers);
    const bool forward_early = draw(3) == 0;
    const bool backward_early = draw(3) == 0;
    const auto end = [&](const Actions& actions, bool early) {
      return early ? static_cast<std::size_t>(draw(static_cast<int>(actions.size())))
                   : actions.size();
    };
    made.forward_count = end(forward, forward_early);
    made.backward_count = end(backward, backward_early);
    made.forward_fails = forward_early && draw(1) == 0;
    made.backward_fails = backward_early && draw(1) == 0;
    CAPTURE(kSeed);
    CAPTURE(pair);
    const Names launched = run(made, forward, backward);
    CHECK(only(launched, false) == launched_by(forward, made.forward_count));
    CHECK(only(launched, true) == launched_by(backward, made.backward_count));
    if (!forward_early && !backward_early) {
      CHECK(launched == run_whole(made.forward_layers, made.backward_layers));
    }
  }
}

TEST_CASE("without an overlap, or against a side that has departed, a rendezvous holds nobody") {
  const Stop stop;
  Coordinator coordinator(stop);
  std::atomic<ThreadStop> where{ThreadStop::running};
  coordinator.rendezvous(Side::main, Role::compute, where);
  coordinator.enable();
  coordinator.depart(Side::forked);
  coordinator.rendezvous(Side::main, Role::compute, where);
  CHECK(where == ThreadStop::running);
}

// Returns where a thread stands once it does so for some time.
ThreadStop place_of(const std::atomic<ThreadStop>& where) {
  while (where == ThreadStop::running) std::this_thread::yield();
  return where;
}

TEST_CASE("a run that is given up frees both kinds of waiting, and says which it was") {
  Stop stop;
  Coordinator coordinator(stop);
  coordinator.enable();
  std::atomic<ThreadStop> first{ThreadStop::running};
  std::thread alone(
      [&] { CHECK_THROWS_AS(coordinator.rendezvous(Side::main, Role::comm, first), Stopped); });
  CHECK(place_of(first) == ThreadStop::in_barrier);
  stop.request("enough");
  alone.join();
  CHECK(stop.reasons() == std::vector<std::string>{"enough"});

  Stop again;
  Coordinator other(again);
  other.enable();
  std::atomic<ThreadStop> second{ThreadStop::running};
  std::thread compute(
      [&] { CHECK_THROWS_AS(other.rendezvous(Side::main, Role::compute, second), Stopped); });
  while (second != ThreadStop::in_barrier) std::this_thread::yield();
  std::atomic<ThreadStop> comm{ThreadStop::running};
  other.rendezvous(Side::forked, Role::comm, comm);
  while (second != ThreadStop::in_notify) std::this_thread::yield();
  again.request("enough");
  compute.join();
}

}  // namespace
}  // namespace steptwin::hw
