#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/readers.h"
#include "tests/property_count.h"

// Every seed of the corpus, and many small changes of each. A reader that does anything but read or
// throw Error ends the test program.
namespace steptwin::fuzz {
namespace {

using Random = std::mt19937_64;

std::vector<std::string> corpus_of(std::string_view reader) {
  std::vector<std::filesystem::path> files;
  const char* source = std::getenv("STEPTWIN_SOURCE");
  REQUIRE(source != nullptr);
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source) /
                                                               "tests/fuzz/corpus" / reader)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

std::size_t index(Random& random, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

// A byte changed, taken away or put in, a piece doubled, moved in from another seed, or cut off.
void change(std::string& text, const std::vector<std::string>& seeds, Random& random) {
  if (text.empty()) text = seeds[index(random, seeds.size())];
  if (text.empty()) return;
  constexpr std::string_view kLikely = "\"'[]{}()|=.,;:#-+0123456789eE \t\n\r\\_sm\xff";
  const std::size_t at = index(random, text.size());
  const std::size_t length = 1 + index(random, std::min<std::size_t>(text.size() - at, 40));
  switch (index(random, 6)) {
    case 0:
      text[at] = static_cast<char>(index(random, 256));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, 1, kLikely[index(random, kLikely.size())]);
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4: {
      const std::string& other = seeds[index(random, seeds.size())];
      if (!other.empty()) text.insert(at, other.substr(index(random, other.size()), length));
      break;
    }
    default:
      text.resize(at);
      break;
  }
}

void try_reader(const Reader& reader) {
  constexpr std::uint64_t kSeed = 20'261'130;
  CAPTURE(kSeed);
  CAPTURE(reader.name);
  const std::vector<std::string> seeds = corpus_of(reader.name);
  REQUIRE_FALSE(seeds.empty());
  for (const std::string& seed : seeds) reader.read(seed);
  Random random(kSeed);
  for (int trial = 0; trial < property_count(3000); ++trial) {
    CAPTURE(trial);
    std::string text = seeds[index(random, seeds.size())];
    for (std::size_t changes = 1 + index(random, 4); changes > 0; --changes) {
      change(text, seeds, random);
    }
    reader.read(text);
  }
}

TEST_CASE("every reader reads or refuses, over the corpus and changes of it") {
  for (const Reader& reader : kReaders) try_reader(reader);
}

}  // namespace
}  // namespace steptwin::fuzz
