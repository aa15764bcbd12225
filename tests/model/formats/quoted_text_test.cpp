#include "model/formats/quoted_text.h"

#include <doctest/doctest.h>

namespace steptwin {
namespace {

TEST_CASE("text is quoted as it is, quotes and backslashes escaped") {
  CHECK(quoted_text("") == "\"\"");
  CHECK(quoted_text("FWD(s0)") == "\"FWD(s0)\"");
  CHECK(quoted_text("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(quoted_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82") ==
        "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\"");
}

TEST_CASE("control characters and bytes that are not UTF-8 are escaped") {
  CHECK(quoted_text(std::string_view("\0\n\x1b[31m\x7f", 8)) == "\"\\x00\\x0a\\x1b[31m\\x7f\"");
  CHECK(quoted_text("\xc2\x9b"
                    "31m") == "\"\\xc2\\x9b31m\"");  // C1: starts a sequence
  CHECK(quoted_text("\xff\xfe") == "\"\\xff\\xfe\"");
  CHECK(quoted_text("\xc3") == "\"\\xc3\"");                             // cut off
  CHECK(quoted_text("\xc0\xaf") == "\"\\xc0\\xaf\"");                    // overlong
  CHECK(quoted_text("\xed\xa0\x80") == "\"\\xed\\xa0\\x80\"");           // surrogate
  CHECK(quoted_text("\xf4\x90\x80\x80") == "\"\\xf4\\x90\\x80\\x80\"");  // beyond U+10FFFF
}

TEST_CASE("at most 32 bytes are quoted, whole characters only") {
  const std::string full(32, 'x');
  CHECK(quoted_text(full) == "\"" + full + "\"");
  CHECK(quoted_text(full + "y") == "\"" + full + "\"...");
  const std::string short_of_one(31, 'x');
  CHECK(quoted_text(short_of_one + "\xc3\xa9") == "\"" + short_of_one + "\"...");
}

}  // namespace
}  // namespace steptwin
