#include "model/formats/named_file.h"

#include <doctest/doctest.h>

#include "tests/scratch_folder.h"

namespace steptwin {
namespace {

std::string refusal(const std::string& path, std::size_t most_bytes) {
  try {
    read_named_file(path, {"s.toml", 3, 8}, most_bytes, "a list");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a name is relative to the folder of the scenario, unless it is absolute") {
  CHECK(path_beside("runs/a/s.toml", "x.steps") == "runs/a/x.steps");
  CHECK(path_beside("s.toml", "x.steps") == "x.steps");
  CHECK(path_beside("runs/s.toml", "../x.steps") == "runs/../x.steps");
  CHECK(path_beside("runs/s.toml", "/x.steps") == "/x.steps");
}

TEST_CASE("the whole file is read, zero bytes and line ends untouched") {
  const ScratchFolder folder;
  const std::string content("a\r\n\0b", 5);
  CHECK(read_named_file(folder.write("f", content), {}, 5, "a list") == content);
  CHECK(read_named_file(folder.write("empty", ""), {}, 5, "a list").empty());
}

TEST_CASE("what is no file is an error where it is named, what is too long at the file") {
  const ScratchFolder folder;
  const std::string path = folder.write("f", "123456");
  CHECK(refusal(path, 5) == path + ": error: 6 bytes are too many; expected at most 5 bytes");
  CHECK(refusal(folder / "none", 5) ==
        "s.toml:3:8: error: cannot read " + (folder / "none") + "; expected a list");
  CHECK(refusal(folder / "", 5).starts_with("s.toml:3:8: error: cannot read "));
}

}  // namespace
}  // namespace steptwin
