#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/formats/meta_step_text.h"
#include "model/formats/recognise.h"
#include "model/formats/steps_text.h"

namespace steptwin {
namespace {

std::vector<std::filesystem::path> golden_files() {
  const char* source = std::getenv("STEPTWIN_SOURCE");
  REQUIRE_MESSAGE(source != nullptr, "STEPTWIN_SOURCE is not set");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source) /
                                                               "tests/data/golden/steps")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  REQUIRE(stream.good());
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string without_comment_lines(const std::string& text) {
  std::string rest;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    if (text[begin] != '#') rest += text.substr(begin, end - begin);
    begin = end;
  }
  return rest;
}

// The number after `mark` in the name of the file: 4 for "_mb" in 1f1b_pp2_mb4.core.txt.
int number_after(const std::string& name, const std::string& mark, int otherwise) {
  const std::size_t found = name.find(mark);
  return found == std::string::npos ? otherwise : std::stoi(name.substr(found + mark.size()));
}

TEST_CASE("every golden list is written back as it was read, comment lines aside") {
  const auto files = golden_files();
  CHECK(files.size() == 65);
  for (const auto& path : files) {
    CAPTURE(path.filename().string());
    const std::string text = content_of(path);
    CHECK(recognise_format(text, path.string()) == ScheduleFormat::steps);
    CHECK(steps_text(read_steps(text, path.string())) == without_comment_lines(text));
  }
}

TEST_CASE("every golden list survives the long form") {
  for (const auto& path : golden_files()) {
    CAPTURE(path.filename().string());
    const std::string text = content_of(path);
    const std::string long_text = meta_step_text(read_steps(text, path.string()));
    CHECK(recognise_format(long_text, "long") == ScheduleFormat::metastep);
    CHECK(steps_text(read_meta_steps(long_text, "long")) == without_comment_lines(text));
  }
}

TEST_CASE("the golden lists imply the stage map and micro-batches that their names say") {
  for (const auto& path : golden_files()) {
    const std::string name = path.filename().string();
    CAPTURE(name);
    const Schedule schedule = read_steps(content_of(path), path.string());
    const int ranks = number_after(name, "_pp", 0);
    CHECK(schedule.stages == loop_map(ranks, number_after(name, "_vpp", 1)));
    CHECK(schedule.micro_batches == number_after(name, "_mb", 0));
    CHECK(schedule.ranks.size() == static_cast<std::size_t>(ranks));
  }
}

}  // namespace
}  // namespace steptwin
