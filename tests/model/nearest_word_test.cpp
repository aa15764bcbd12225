#include "model/nearest_word.h"

#include <doctest/doctest.h>
#include <string>

namespace steptwin {
namespace {

const std::vector<std::string_view> kKeys = {"ranks",    "chunks_per_rank", "micro_batches",
                                             "schedule", "stage_map",       "overlap"};

TEST_CASE("one slip is found: a byte missing, added, changed, or two swapped") {
  CHECK(nearest_word("ranks", kKeys) == "ranks");
  CHECK(nearest_word("rank", kKeys) == "ranks");
  CHECK(nearest_word("rannks", kKeys) == "ranks");
  CHECK(nearest_word("runks", kKeys) == "ranks");
  CHECK(nearest_word("rnaks", kKeys) == "ranks");
}

TEST_CASE("case does not count") {
  CHECK(nearest_word("Micro_Batches", kKeys) == "micro_batches");
  CHECK(nearest_word("fwd", {"BWD", "FWD"}) == "FWD");
}

TEST_CASE("near is a third of the longer word, rounded up") {
  // "micro_batches" has 13 bytes: 5 edits are near, 6 are not.
  CHECK(nearest_word("micro_bat", kKeys) == "micro_batches");
  CHECK(nearest_word("micro_ba", kKeys) == "micro_batches");
  CHECK(nearest_word("micro_b", kKeys).empty());
  // "FWD" has 3: one edit is near, two are not.
  CHECK(nearest_word("FW", {"FWD"}) == "FWD");
  CHECK(nearest_word("F", {"FWD"}).empty());
  CHECK(nearest_word("swap_two", {"swap_tow"}) == "swap_tow");
}

TEST_CASE("a swap of neighbours is one edit, not two") {
  CHECK(nearest_word("WFD", {"FWD"}) == "FWD");
  CHECK(nearest_word("DWF", {"FWD"}).empty());
}

TEST_CASE("the nearest wins, and the first of equally near ones") {
  CHECK(nearest_word("FWD_SENT", {"FWD_RECV", "BWD_SEND", "FWD_SEND"}) == "FWD_SEND");
  CHECK(nearest_word("XWD", {"FWD", "BWD"}) == "FWD");
  CHECK(nearest_word("XWD", {"BWD", "FWD"}) == "BWD");
}

TEST_CASE("nothing is near: no candidates, an empty word, a word from elsewhere") {
  CHECK(nearest_word("ranks", {}).empty());
  CHECK(nearest_word("", kKeys).empty());
  CHECK(nearest_word("bandwidth", kKeys).empty());
  CHECK(nearest_word(std::string(50'000'000, 'r'), kKeys).empty());
}

}  // namespace
}  // namespace steptwin
