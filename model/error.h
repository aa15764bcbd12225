#pragma once

#include <exception>
#include <string>

namespace steptwin {

// A place in an input file. line and column count from 1; 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

// The world's mistake: bad input, a file that cannot be read. Thrown where it is found, caught in
// main only. Our own mistakes are asserts.
class Error : public std::exception {
 public:
  // `wrong` says what is wrong; `expected` what would be right, worded to follow "expected ".
  Error(SourcePosition position, std::string wrong, std::string expected);
  // No position: the mistake is in the command line or in the environment.
  Error(std::string wrong, std::string expected);

  const SourcePosition& position() const { return position_; }
  const std::string& wrong() const { return wrong_; }
  const std::string& expected() const { return expected_; }

  // "file:line:column: error: what is wrong; expected what would be right"
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  SourcePosition position_;
  std::string wrong_;
  std::string expected_;
  std::string text_;
};

}  // namespace steptwin
