#include "reports/compare_text.h"

#include <doctest/doctest.h>
#include <sstream>

#include "reports/paint.h"
#include "tests/reports/compared_traces.h"

namespace steptwin::reports {
namespace {

TEST_CASE("a comparison at 80 columns") {
  CHECK(compare_text(compare(predicted_trace(), measured_trace(), Join::kernel),
                     {false, 80, "runs/sim against runs/real"}) == R"(runs/sim against runs/real

  step time       +2.6 %   40 ms for the 39 ms that were measured
  bubble     -9.6 points   25.0 % for 34.6 %; furthest off rank 1: -19.2 points
  overlap   +50.0 points   100.0 % for 50.0 %; furthest off rank 1: +50.0 points
  starts            1 ms   too early or late (median; 90 % within 5 ms);
                           furthest off rank 1 FWD_RECV(s1,m0): 5 ms too late
  order                0   of 3 pairs on one stream start the other way round

  durations       count  predicted  measured      sum   median    90 %
  chunk forward       3      40 ms     31 ms  +29.0 %  +25.0 %  66.7 %
  chunk backward      1      20 ms     20 ms   0.00 %   0.00 %  0.00 %
  p2p forward         1       1 ms      4 ms  -75.0 %  -75.0 %  75.0 %
        without waiting; errors of the sum, of single ones (median), and the
        magnitude that 90 % of them do not exceed
)");
}

TEST_CASE("no line exceeds the width, and colours appear only if asked for") {
  Trace other = measured_trace();
  other.kernels[1].micro = 7;
  other.kernels[2].micro = 8;
  const Comparison comparison = compare(predicted_trace(), other, Join::kernel);
  for (const std::size_t width : {40, 41, 55, 60, 71, 72, 73, 80, 100, 200}) {
    CAPTURE(width);
    const std::string text = compare_text(comparison, {false, width, "runs/sim against runs/real"});
    CHECK(text.find('\x1b') == std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(columns_of(line) <= width);
    }
  }
  CHECK(compare_text(comparison, {true, 80, "a"}).starts_with("\x1b[1ma\x1b[0m\n\n"));
}

TEST_CASE("nothing compared is n/a, and no number") {
  const std::string text = compare_text(compare(Trace{}, Trace{}, Join::kernel), {});
  CHECK(text.starts_with("  step time          n/a   0 ns for the 0 ns that were measured\n"));
  CHECK(text.find("nan") == std::string::npos);
}

TEST_CASE("errors have a sign and the digits that tell") {
  CHECK(signed_percent(0.0123) == "+1.2 %");
  CHECK(signed_percent(-0.0103) == "-1.0 %");
  CHECK(signed_percent(-0.00606) == "-0.61 %");
  CHECK(signed_percent(-0.00004) == "0.00 %");
  CHECK(signed_percent(0.00005) == "+0.01 %");
  CHECK(signed_percent(-1.0) == "-100.0 %");
  CHECK(signed_percent({}) == "n/a");
}

}  // namespace
}  // namespace steptwin::reports
