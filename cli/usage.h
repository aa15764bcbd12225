#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace steptwin::cli {

// A mistake in the command line; what() tells in one line what is wrong and where the right is to
// be found.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of a command line without any of `commands`; `words`: what it has instead.
UsageError no_command(const std::vector<std::string>& words,
                      const std::vector<std::string>& commands);

// Of what follows a command; `surplus`: words it cannot take. Where there are any, the first of
// them is told, otherwise `wrong`.
UsageError wrong_use(const std::string& command, const std::string& wrong,
                     const std::vector<std::string>& surplus);

}  // namespace steptwin::cli
