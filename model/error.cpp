#include "model/error.h"

#include <fmt/format.h>
#include <utility>

namespace steptwin {
namespace {

std::string error_text(const SourcePosition& position, const std::string& wrong,
                       const std::string& expected) {
  std::string text;
  if (!position.file.empty()) {
    text += position.file + ":";
    if (position.line > 0) text += fmt::format("{}:{}:", position.line, position.column);
    text += " ";
  }
  text += "error: " + wrong;
  if (!expected.empty()) text += "; expected " + expected;
  return text;
}

}  // namespace

Error::Error(SourcePosition position, std::string wrong, std::string expected)
    : position_(std::move(position)),
      wrong_(std::move(wrong)),
      expected_(std::move(expected)),
      text_(error_text(position_, wrong_, expected_)) {}

Error::Error(std::string wrong, std::string expected)
    : Error(SourcePosition{}, std::move(wrong), std::move(expected)) {}

}  // namespace steptwin
