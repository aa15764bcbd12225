#include "reports/terminal.h"

#include <doctest/doctest.h>
#include <sstream>

#include "reports/advice.h"
#include "reports/paint.h"
#include "reports/rank_table.h"
#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

TEST_CASE("cells are given in proportion and none is lost") {
  CHECK(apportioned({50, 25, 25}, 4) == std::vector<std::size_t>{2, 1, 1});
  CHECK(apportioned({1, 1, 1}, 4) == std::vector<std::size_t>{2, 1, 1});
  CHECK(apportioned({90, 6, 4}, 10) == std::vector<std::size_t>{9, 1, 0});
  CHECK(apportioned({0, 0}, 10) == std::vector<std::size_t>{0, 0});
}

TEST_CASE("text wraps at spaces, with an indent") {
  CHECK(wrapped("one two three", 8, 2) == "one two\n  three");
  CHECK(wrapped("one", 2, 0) == "one");
  CHECK(wrapped("  - a b", 5, 4) == "  - a\n    b");
  CHECK(columns_of("a█…") == 3);
}

void print(const std::string& text) {
  MESSAGE(text);
}

TEST_CASE("the summary of GPipe on two ranks") {
  print(terminal_summary(compute_metrics(gpipe_trace(4, 8, 100'000)), {false, 100, "gpipe"}));
  print(terminal_summary(compute_metrics(gpipe_trace(40, 8, 100'000)), {true, 100, "gpipe"}));
}

}  // namespace
}  // namespace steptwin::reports
