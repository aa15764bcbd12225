#pragma once

#include <string>
#include <vector>

namespace steptwin::cli {

// Exit statuses, the same for every command.
inline constexpr int kDone = 0;
inline constexpr int kFinding = 1;        // the answer is a finding: a deadlock, a failed check
inline constexpr int kBadInput = 2;       // bad input or usage
inline constexpr int kMachineFailed = 3;  // memory, disk, device or peer; a run that hangs

// What most commands take.
struct Options {
  std::string input;              // the scenario, or schedule, file
  std::vector<std::string> sets;  // --set key=value
  std::string out;                // --out: the run folder
  bool force = false;             // --force: replace it
  bool json = false;
  bool quiet = false;
  std::string color = "auto";
};

// Whether to colour what goes to standard output.
bool use_color(const Options& options);

// Columns to print for: what COLUMNS says, if it is exported; else the terminal's; 100 where
// standard output is none.
int terminal_width();

}  // namespace steptwin::cli
