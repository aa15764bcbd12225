#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "model/check.h"
#include "model/error.h"
#include "model/formats/meta_step_text.h"
#include "model/formats/steps_text.h"
#include "tests/model/formats/corrupted_text.h"
#include "tests/model/formats/random_schedule.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20240917;

std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
  for (std::size_t at = text.find(old_text); at != std::string::npos;
       at = text.find(old_text, at + new_text.size())) {
    text.replace(at, old_text.size(), new_text);
  }
  return text;
}

TEST_CASE("value to text to value, and text to value to text, in both forms") {
  CAPTURE(kSeed);
  Random random(kSeed);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const Schedule schedule = random_schedule(random);

    const std::string compact = steps_text(schedule);
    const Schedule from_compact = read_steps(compact, "compact");
    REQUIRE(same(from_compact, schedule));
    REQUIRE(steps_text(from_compact) == compact);

    const std::string long_text = meta_step_text(schedule);
    const Schedule from_long = read_meta_steps(long_text, "long");
    REQUIRE(same(from_long, schedule));
    REQUIRE(meta_step_text(from_long) == long_text);
  }
}

TEST_CASE("white space, line ends, and lists or tuples make no difference") {
  CAPTURE(kSeed);
  Random random(kSeed + 1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const Schedule schedule = random_schedule(random);

    std::string compact = replaced(steps_text(schedule), ",", " ,\t");
    compact = replaced(replaced(compact, "(", " ( "), "|", " | ");
    REQUIRE(
        same(read_steps("\xef\xbb\xbf" + replaced(compact, "\n", "  \r\n\r\n"), "c"), schedule));

    std::string long_text = replaced(meta_step_text(schedule), ", ", "\r\n\t, # and so on\n");
    long_text = replaced(replaced(long_text, "[", "( "), "]", " )");
    REQUIRE(same(read_meta_steps("\xef\xbb\xbf" + replaced(long_text, "=", " = "), "l"), schedule));
  }
}

TEST_CASE("a corrupted text is read or refused at a place inside it") {
  CAPTURE(kSeed);
  Random random(kSeed + 2);
  const auto read = [](const std::string& text, const std::string& file) {
    return read_steps(text, file);
  };
  check_corruptions(random, 200, read, [](const Schedule& value) { return steps_text(value); });
  const auto read_meta = [](const std::string& text, const std::string& file) {
    return read_meta_steps(text, file);
  };
  check_corruptions(random, 200, read_meta,
                    [](const Schedule& value) { return meta_step_text(value); });
  // With misplaced steps kept, what is read can be checked.
  const auto read_kept = [](const std::string& text, const std::string& file) {
    Schedule schedule = read_steps(text, file, Misplaced::kept);
    const bool is_small = std::int64_t{schedule.micro_batches} * schedule.stages.stages() < 100'000;
    if (is_small) check_schedule(schedule);
    return schedule;
  };
  check_corruptions(random, 200, read_kept,
                    [](const Schedule& value) { return steps_text(value); });
}

}  // namespace
}  // namespace steptwin
