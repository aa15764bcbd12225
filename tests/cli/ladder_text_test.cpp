#include "cli/ladder_text.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>
#include <string>

namespace steptwin::cli {
namespace {

using compare::Rung;
using compare::RungKind;

const std::vector<Rung> kHanging = {{RungKind::ideal, 90'000, "", {}, -0.1},
                                    {RungKind::means, {}, "with these durations it hangs", {}, {}},
                                    {RungKind::measured, 100'000, "", 10'000, 0.0}};

TEST_CASE("a rung without a step time says why below the table") {
  CHECK(ladder_text(kHanging, 80, false) ==
        "  simulated with              step    error  change              which is\n"
        "  costs of the scenario      90 us  -10.0 %\n"
        "  measured means of a part     n/a      n/a          costs off on average\n"
        "  the measurement           100 us   0.00 %  +10 us    host, waits, order\n"
        "        measured means of a part: with these durations it hangs\n");
}

TEST_CASE("a ladder as JSON has null for what is not there") {
  rapidjson::StringBuffer buffer;
  reports::json::Writer writer(buffer);
  write_ladder(writer, {kHanging[1]});
  rapidjson::Document document;
  document.Parse(buffer.GetString(), buffer.GetSize());
  REQUIRE(document.Size() == 1);
  const auto& rung = document[0];
  CHECK(rung["rung"].GetString() == std::string("means"));
  CHECK(rung["step_time_us"].IsNull());
  CHECK(rung["change_us"].IsNull());
  CHECK(rung["error"].IsNull());
  CHECK(rung["why_not"].GetString() == std::string("with these durations it hangs"));
}

}  // namespace
}  // namespace steptwin::cli
