#include "reports/timeline_text.h"

#include <doctest/doctest.h>

#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

void print(const std::string& text) {
  MESSAGE(text);
}

TEST_CASE("a picture of GPipe") {
  print(timeline_text(gpipe_trace(4, 8, 100'000), {false, false, 100, false, 32}));
  print(timeline_text(gpipe_trace(4, 8, 100'000), {false, true, 100, true, 3}));
  print(timeline_text(gpipe_trace(4, 8, 100'000), {true, true, 100, false, 32}));
}

}  // namespace
}  // namespace steptwin::reports
