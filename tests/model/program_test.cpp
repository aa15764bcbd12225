#include "model/program.h"

#include <doctest/doctest.h>
#include <set>
#include <string>

namespace steptwin {
namespace {

// The names are what trace.csv, host.csv and the JSON of a program are written in.
TEST_CASE("names of the first and the last of every kind, and no two alike") {
  CHECK(name_of(KernelKind::compute) == "compute");
  CHECK(name_of(KernelKind::reduce_scatter) == "reduce_scatter");
  CHECK(name_of(KernelKind::copy) == "copy");
  CHECK(name_of(Part::chunk) == "chunk");
  CHECK(name_of(Part::mlp) == "mlp");
  CHECK(name_of(Part::reduce_grad) == "reduce_grad");
  CHECK(name_of(Part::load) == "load");
  CHECK(name_of(Direction::none) == "none");
  CHECK(name_of(Direction::backward_weight) == "backward_weight");
  CHECK(name_of(CommandType::launch) == "launch");
  CHECK(name_of(CommandType::host_work) == "host_work");
  CHECK(name_of(CommandType::join) == "join");
  CHECK(name_of(Role::comm) == "comm");
  CHECK(name_of(Role::compute) == "compute");
  CHECK(name_of(Hook::none) == "-");
  CHECK(name_of(Hook::a) == "A");
  CHECK(name_of(Hook::d) == "D");
  CHECK(name_of(Hook::d_last) == "D_LAST");
  std::set<std::string_view> parts;
  for (int part = 0; part <= static_cast<int>(Part::load); ++part) {
    parts.insert(name_of(static_cast<Part>(part)));
  }
  CHECK(parts.size() == 15);
}

//                   compute p2p all_to_all all_gather reduce_scatter all_reduce copy
// collective           -     -      x          x            x            x       -
// communication        -     x      x          x            x            x       -
TEST_CASE("which kinds are collectives, and which are communication") {
  std::string collective;
  std::string communication;
  for (int kind = 0; kind <= static_cast<int>(KernelKind::copy); ++kind) {
    collective += is_collective(static_cast<KernelKind>(kind)) ? 'x' : '-';
    communication += is_communication(static_cast<KernelKind>(kind)) ? 'x' : '-';
  }
  CHECK(collective == "--xxxx-");
  CHECK(communication == "-xxxxx-");
}

TEST_CASE("a kernel is labelled by the step it came from") {
  Kernel kernel;
  kernel.step = StepType::fwd_send;
  kernel.stage = 0;
  kernel.micro = 12;
  CHECK(step_label(kernel) == "FWD_SEND(s0,m12)");
  kernel.step = StepType::fsdp_unshard;
  kernel.micro = -1;
  CHECK(step_label(kernel) == "FSDP_UNSHARD(s0)");
}

}  // namespace
}  // namespace steptwin
