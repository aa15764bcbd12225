#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "tests/model/formats/random_schedule.h"

namespace steptwin {

// Breaks the text in one place: a byte changed, added, removed or doubled.
inline std::string corrupted(Random& random, std::string text) {
  const auto at = static_cast<std::size_t>(below(random, static_cast<std::int32_t>(text.size())));
  const char any = static_cast<char>(below(random, 256));
  const char own = text[random() % text.size()];
  switch (below(random, 5)) {
    case 0:
      text[at] = any;
      break;
    case 1:
      text[at] = own;
      break;
    case 2:
      text.erase(at, 1);
      break;
    case 3:
      text.insert(at, 1, own);
      break;
    default:
      text.resize(at);
      break;
  }
  return text;
}

inline bool is_inside(const SourcePosition& position, const std::string& text) {
  std::size_t begin = 0;
  for (int line = 1; line < position.line; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return false;
    ++begin;
  }
  // One past the last byte of the line is where something is missing.
  const std::size_t length = std::min(text.find('\n', begin), text.size()) - begin;
  return position.line >= 1 && position.column >= 1 &&
         static_cast<std::size_t>(position.column) <= length + 1;
}

inline bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) >= 0x20 && byte != '\x7f';
  });
}

// Breaks texts of random schedules, `rounds` times 20: each is read and then written and read
// again as the same, or refused at a place inside it.
template <typename Read, typename Write>
void check_corruptions(Random& random, int rounds, Read&& read, Write&& write) {
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::string valid = write(random_schedule(random));
    for (int attempt = 0; attempt < 20; ++attempt) {
      const std::string text = corrupted(random, valid);
      CAPTURE(text);
      try {
        const Schedule schedule = read(text, "some.file");
        REQUIRE(same(read(write(schedule), "again"), schedule));
      } catch (const Error& error) {
        ++refused;
        CAPTURE(error.what());
        REQUIRE(error.position().file == "some.file");
        REQUIRE(is_inside(error.position(), text));
        REQUIRE(is_printable(error.what()));
        REQUIRE(error.expected() != "");
      }
    }
  }
  CHECK(refused > 5 * rounds);
}

}  // namespace steptwin
