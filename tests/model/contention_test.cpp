#include "model/contention.h"

#include <doctest/doctest.h>
#include <functional>
#include <string>

#include "model/error.h"

namespace steptwin {
namespace {

std::string complaint(const std::function<void(Contention&)>& change) {
  Contention contention;
  contention.compute_loss = 1;
  contention.node = {0, 0};
  contention.host = {0, 1};
  change(contention);
  try {
    validate(contention, 2);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("contention: losses below the whole rate, a node and a host for every rank") {
  CHECK(complaint([](Contention&) {}) == "");
  CHECK(complaint([](Contention& c) { c.compute_loss = kWholeRate; }) ==
        "error: the loss of compute is 1000000000 billionths; expected 0 to 999999999");
  CHECK(complaint([](Contention& c) { c.comm_loss = -1; }) ==
        "error: the loss of communication is -1 billionths; expected 0 to 999999999");
  CHECK(complaint([](Contention& c) { c.host_cores = -1; }) ==
        "error: the number of a host's cores is -1; expected 0 or more");
  CHECK(complaint([](Contention& c) { c.node.pop_back(); }) ==
        "error: 1 ranks have a node; expected one for each of 2");
  CHECK(complaint([](Contention& c) { c.host[1] = -1; }) ==
        "error: host is -1; expected 0 or more");
  CHECK(complaint([](Contention& c) { c.devices = 0; }) ==
        "error: the number of devices that a rank stands for is 0; expected 1 or more");
  CHECK(complaint([](Contention& c) { c.latency_ns[1] = -1; }) ==
        "error: a latency is -1; expected 0 or more");
}

TEST_CASE("contention that is off needs no nodes") {
  CHECK_NOTHROW(validate(Contention{}, 2));
}

}  // namespace
}  // namespace steptwin
