#include "reports/text_table.h"

#include <doctest/doctest.h>

namespace steptwin::reports {
namespace {

const TextTable kTable = {{{"what"}, {"a", 2}, {"much", 1}, {"b"}},
                          {{"one thing", "1", "22", "3"}, {"ü", "", "5", "-4 %"}}};

TEST_CASE("text at the left, numbers at the right, no blanks at the end") {
  CHECK(table_text(kTable, 80, false) ==
        "  what       a  much     b\n"
        "  one thing  1    22     3\n"
        "  ü                5  -4 %\n");
  CHECK(table_text({{{"what"}, {"n"}}, {{"x", ""}}}, 80, false) == "  what  n\n  x\n");
}

TEST_CASE("what does not fit goes, column by column, then the text is cut") {
  CHECK(table_text(kTable, 26, false).starts_with("  what       a  much     b\n"));
  CHECK(table_text(kTable, 25, false) ==
        "  what       a     b\n"
        "  one thing  1     3\n"
        "  ü             -4 %\n");
  CHECK(table_text(kTable, 17, false) ==
        "  what          b\n"
        "  one thing     3\n"
        "  ü          -4 %\n");
  CHECK(table_text(kTable, 14, false) ==
        "  what       b\n"
        "  one t…     3\n"
        "  ü       -4 %\n");
  CHECK(table_text(kTable, 1, false).starts_with("  …     b\n  …     3\n  ü  -4 %\n"));
}

TEST_CASE("headers are bold if colours are wanted") {
  CHECK(
      table_text(kTable, 80, true).starts_with("\x1b[1m  what       a  much     b\x1b[0m\n  one"));
}

}  // namespace
}  // namespace steptwin::reports
