#include "reports/terminal.h"

#include <doctest/doctest.h>
#include <sstream>
#include <vector>

#include "reports/paint.h"
#include "reports/rank_table.h"
#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

// Two ranks over 20 ms; forward 4, backward 6 (2 + 2 where it is split), a hop 1.
Trace two_ranks() {
  constexpr TimeNs kMs = 1'000'000;
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 4 * kMs)
      .p2p(0, StepType::fwd_send, 0, 0, {1}, {4 * kMs, 4 * kMs, 4 * kMs, 5 * kMs})
      .compute(0, StepType::fwd, 0, 1, 0, 4 * kMs, 8 * kMs)
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 0, 4 * kMs, 5 * kMs})
      .compute(1, StepType::fwd, 1, 0, 0, 5 * kMs, 9 * kMs)
      .compute(1, StepType::bwd, 1, 0, 0, 9 * kMs, 15 * kMs)
      .p2p(1, StepType::bwd_send, 1, 0, {0}, {15 * kMs, 15 * kMs, 15 * kMs, 16 * kMs})
      .p2p(0, StepType::bwd_recv, 0, 0, {1}, {8 * kMs, 8 * kMs, 15 * kMs, 16 * kMs})
      .compute(0, StepType::bwd_input, 0, 0, 0, 16 * kMs, 18 * kMs)
      .compute(0, StepType::bwd_weight, 0, 0, 0, 18 * kMs, 20 * kMs);
  return maker.trace();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("a title of several lines: each is broken by itself") {
  const std::string text = terminal_summary(compute_metrics(two_ranks()),
                                            {false, 60,
                                             "a pipeline of two ranks\nmeasured on this machine, "
                                             "three times, for what it is worth"});
  CHECK(
      text.starts_with("a pipeline of two ranks\n"
                       "measured on this machine, three times, for what it is worth\n\n"));
}

TEST_CASE("a summary at 80 columns") {
  // Rank 0 computes 12 of 20, rank 1 10 of 20. Of 18 ms without compute 11 are dependency (rank 0
  // 8..15, rank 1 0..4), 2 transfers, 5 the end of rank 1. Communication: 9 + 6, 1 under compute.
  CHECK(terminal_summary(compute_metrics(two_ranks()), {false, 80, "two ranks"}) ==
        R"(two ranks

  step time       20 ms   first start to last end, one window for all ranks
  bubble         45.0 %   of the step without compute (mean; worst 50.0 %)
    in span      40.0 %   of the longest span, a rank's first to last compute
    over ideal   66.7 %   by which the step exceeds the busiest rank's compute
  overlap         6.7 %   of communication is under compute

  rank   compute overlapped   exposed      idle   bubble in flight
     0     12.00       1.00      8.00      0.00   40.0 %         2  ██████▓▒▒▒▒▒
     1     10.00       0.00      6.00      4.00   50.0 %         1  ██████▒▒▒▒░░
        times in ms; bar: █ compute ▓ overlapped ▒ exposed ░ idle

Why no compute (shares of all ranks' time without compute)
   61 %  waiting for a value that is not computed anywhere yet (pipeline fill
         and drain)
   28 %  nothing left to do: the rank is done and others are not
   11 %  bytes in flight: a transfer or a collective runs and no compute covers
         it

What to try
  - fill and drain: more micro-batches (there are 2), interleaved chunks, or a
    zero-bubble schedule
  - exposed transfers: overlap them (pipeline.overlap_p2p = true), send less, or
    put neighbours on a faster link
  - balance: the busiest rank computes 9 % more than the mean; move layers off
    it
)");
}

TEST_CASE("no line of a summary exceeds the width, and colours appear only if asked for") {
  const Metrics metrics = compute_metrics(two_ranks());
  const Metrics twenty_ranks = compute_metrics(gpipe_trace(20, 2));
  for (const int width : {40, 47, 55, 60, 66, 68, 70, 77, 78, 80, 100, 120, 200}) {
    CAPTURE(width);
    const std::string text = terminal_summary(metrics, {false, width, "a name, and what it is of"});
    CHECK(text.find('\x1b') == std::string::npos);
    for (const std::string& line : lines_of(text)) {
      CAPTURE(line);
      CHECK(columns_of(line) <= static_cast<std::size_t>(width));
    }
    for (const std::string& line :
         lines_of(rank_table(twenty_ranks, {false, static_cast<std::size_t>(width)}))) {
      CAPTURE(line);
      CHECK(columns_of(line) <= static_cast<std::size_t>(width));
    }
  }
  CHECK(terminal_summary(metrics, {true, 80, ""}).find("\x1b[38;5;33m") != std::string::npos);
}

TEST_CASE("a summary at 40 columns: what figures mean stands below them, columns are left out") {
  const std::string text = terminal_summary(compute_metrics(two_ranks()),
                                            {false, 40, "two ranks: 1f1b, 2 ranks x 1 chunk"});
  CHECK(text.starts_with(R"(two ranks: 1f1b, 2 ranks x 1 chunk

  step time       20 ms
      first start to last end, one
      window for all ranks
  bubble         45.0 %
      of the step without compute (mean;
      worst 50.0 %)
)"));
  CHECK(text.find(R"(
  rank compute exposed bubble in flight
     0   12.00    8.00 40.0 %         2
     1   10.00    6.00 50.0 %         1
        times in ms

Why no compute (shares of all ranks'
  time without compute)
   61 %  waiting for a value that is not
         computed anywhere yet (pipeline
         fill and drain)
)") != std::string::npos);
}

// From roomy columns with a bar to narrow ones, then without a bar, then fewer columns.
TEST_CASE("the rank table uses the width there is") {
  const Metrics metrics = compute_metrics(two_ranks());
  const auto head_and_row = [&metrics](std::size_t width) {
    const std::vector<std::string> lines = lines_of(rank_table(metrics, {false, width}));
    return std::pair(lines[0], lines[1]);
  };
  const std::string roomy = "  rank   compute overlapped   exposed      idle   bubble in flight";
  const std::string narrow = "  rank compute overlapped exposed idle bubble in flight";
  const std::string roomy_row =
      "     0     12.00       1.00      8.00      0.00   40.0 %         2";
  const std::string narrow_row = "     0   12.00       1.00    8.00 0.00 40.0 %         2";
  CHECK(head_and_row(300) == std::pair(roomy, roomy_row + "  " + repeated("█", 44) +
                                                  repeated("▓", 4) + repeated("▒", 32)));
  CHECK(head_and_row(78) == std::pair(roomy, roomy_row + "  ██████▒▒▒▒"));
  CHECK(head_and_row(77) == std::pair(narrow, narrow_row + "  ███████████▓▒▒▒▒▒▒▒▒"));
  CHECK(head_and_row(67) == std::pair(narrow, narrow_row + "  ██████▒▒▒▒"));
  CHECK(head_and_row(66) == std::pair(roomy, roomy_row));
  CHECK(head_and_row(65) == std::pair(narrow, narrow_row));
  CHECK(head_and_row(54).first == "  rank compute overlapped exposed bubble in flight");
  CHECK(head_and_row(48).first == "  rank compute exposed bubble in flight");
  CHECK(head_and_row(36).first == "  rank compute exposed bubble");
  CHECK(head_and_row(1).first == "  rank compute bubble");
}

TEST_CASE("compute that communication slows is said so") {
  Metrics metrics = compute_metrics(two_ranks());
  metrics.compute_dilation = 1.042;
  CHECK(terminal_summary(metrics, {})
            .find("6.7 %   of communication is under compute (at 1.04x its time)\n") !=
        std::string::npos);
  metrics.compute_dilation = 1.001;
  CHECK(terminal_summary(metrics, {}).find("x its time") == std::string::npos);
}

TEST_CASE("figures without a base read n/a, and an empty trace has no reasons or hints") {
  const std::string text = terminal_summary(compute_metrics(TraceMaker(1).trace()), {});
  CHECK(text.find("bubble            n/a") != std::string::npos);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("Why") == std::string::npos);
  CHECK(text.find("try") == std::string::npos);
}

TEST_CASE("times keep their digits: seconds are for what takes minutes") {
  const auto unit_and_compute = [](TimeNs unit_ns) {
    const std::vector<std::string> lines =
        lines_of(rank_table(compute_metrics(gpipe_trace(1, 1, unit_ns)), {false, 66}));
    return lines[1].substr(7, 9) + lines[2].substr(lines[2].find(" in ") + 3, 3);
  };
  CHECK(unit_and_compute(33'000) == "   990.00 us");
  CHECK(unit_and_compute(34'000) == "     1.02 ms");
  CHECK(unit_and_compute(3'333'000'000) == " 99990.00 ms");
  CHECK(unit_and_compute(3'334'000'000) == "   100.02 s;");
}

TEST_CASE("of many ranks the first, quantiles and the worst are shown") {
  // Rank r computes 1000 - 10 r of 1000.
  TraceMaker maker(20);
  for (std::int32_t rank = 0; rank < 20; ++rank) {
    maker.compute(rank, StepType::fwd, rank, 0, 0, 0, 1000 - 10 * rank);
  }
  const std::vector<std::string> lines =
      lines_of(rank_table(compute_metrics(maker.trace()), {false, 66}));
  REQUIRE(lines.size() == 1 + 6 + 1 + 2 + 1 + 6 + 1);
  CHECK(lines[1] == "     0      1.00       0.00      0.00      0.00    0.0 %         1");
  CHECK(lines[6] == "     5      0.95       0.00      0.00      0.05    5.0 %         1");
  CHECK(lines[7] == "     … of all 20 ranks, column by column");
  // Nearest rank: the 10th of 20 in each column, the 18th.
  CHECK(lines[8] == "   p50      0.90       0.00      0.00      0.09    9.0 %         1");
  CHECK(lines[9] == "   p90      0.98       0.00      0.00      0.17   17.0 %         1");
  CHECK(lines[10] == "     … largest bubble of the others");
  CHECK(lines[11] == "    19      0.81       0.00      0.00      0.19   19.0 %         1");
  CHECK(lines[16] == "    14      0.86       0.00      0.00      0.14   14.0 %         1");
}

TEST_CASE("of many ranks that are alike none is shown twice") {
  TraceMaker maker(20);
  for (std::int32_t rank = 0; rank < 20; ++rank) {
    maker.compute(rank, StepType::fwd, rank, 0, 0, 0, rank == 0 ? 1000 : 900);
  }
  const auto lines = [&maker] {
    return lines_of(rank_table(compute_metrics(maker.trace()), {false, 66}));
  };
  CHECK(lines().size() == 1 + 6 + 1 + 2 + 1);
  // One that is worse than most is told apart; the worst of all, rank 1, is shown already.
  maker.trace().kernels[1].times.end_ns = 100;
  maker.trace().kernels[17].times.end_ns = 800;
  REQUIRE(lines().size() == 1 + 6 + 1 + 2 + 1 + 1 + 1);
  CHECK(lines()[11] == "    17      0.80       0.00      0.00      0.20   20.0 %         1");
}

TEST_CASE("reasons that round to 0 % are left out") {
  Metrics metrics = compute_metrics(two_ranks());
  metrics.gap_by_cause = {};
  metrics.gap_by_cause.of(GapCause::transfer) = 995;
  metrics.gap_by_cause.of(GapCause::host) = 5;
  const std::string one_percent = terminal_summary(metrics, {});
  CHECK(one_percent.find("\n  100 %  bytes in flight") != std::string::npos);
  CHECK(one_percent.find("\n    1 %  not launched yet") != std::string::npos);
  metrics.gap_by_cause.of(GapCause::host) = 4;
  CHECK(terminal_summary(metrics, {}).find("not launched yet") == std::string::npos);
}

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
  CHECK(wrapped("set (a.b = \"c\") or d = 1", 14, 2) == "set\n  (a.b = \"c\")\n  or d = 1");
  CHECK(wrapped("a =", 2, 0) == "a\n=");
  CHECK(columns_of("a█…") == 3);
}

// One rank over 100 ns, 60 of compute; the other 40 have one cause.
}  // namespace
}  // namespace steptwin::reports
