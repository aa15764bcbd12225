#pragma once

#include <string>
#include <vector>

#include "tests/cli/run_program.h"

namespace steptwin {

// Words that tests of check share.

inline std::vector<std::string> with(std::vector<std::string> arguments,
                                     const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

inline RunRequest unwrapped() {
  RunRequest request;
  request.environment = {"COLUMNS=10000"};
  return request;
}

// Rank 0 and 1 of a pipeline of two stages and one micro-batch, with their transfers.
inline const std::string kRank0 = "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n";
inline const std::string kRank1 = "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";

}  // namespace steptwin
