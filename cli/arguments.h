#pragma once

#include <functional>

namespace steptwin::cli {

// Does what the command line asks for; gives the exit status.
using Action = std::function<int()>;

// What the command line asks for: a command with its options, or help, or the version. Throws
// UsageError of cli/usage.h.
Action action_of(int argc, const char* const* argv);

}  // namespace steptwin::cli
