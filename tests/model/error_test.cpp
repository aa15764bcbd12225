#include "model/error.h"

#include <doctest/doctest.h>
#include <string>

namespace steptwin {
namespace {

TEST_CASE("an error says where, what is wrong, and what would be right") {
  const Error error({"a.toml", 3, 7}, "key \"mikro\"", "\"micro\" perhaps");
  CHECK(std::string(error.what()) ==
        "a.toml:3:7: error: key \"mikro\"; expected \"micro\" perhaps");
  CHECK(error.position().line == 3);
  CHECK(error.wrong() == "key \"mikro\"");
  CHECK(error.expected() == "\"micro\" perhaps");
}

TEST_CASE("what is not known of the place is left out") {
  CHECK(std::string(Error({"a.toml", 0, 0}, "no ranks", "one").what()) ==
        "a.toml: error: no ranks; expected one");
  CHECK(std::string(Error("two schedules", "one").what()) == "error: two schedules; expected one");
  CHECK(std::string(Error("the file is gone", "").what()) == "error: the file is gone");
}

TEST_CASE("an error is caught as a standard exception") {
  try {
    throw Error("a", "b");
  } catch (const std::exception& error) {
    CHECK(std::string(error.what()) == "error: a; expected b");
  }
}

}  // namespace
}  // namespace steptwin
