#include "cli/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <system_error>

#include "model/error.h"

namespace steptwin::cli {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string read_file(const std::string& path, std::size_t most_bytes) {
  if (path.empty())
    throw Error("the name of the input is empty", "a file, or - to read from a pipe");
  std::unique_ptr<std::FILE, Closer> opened;
  std::FILE* file = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    file = opened.get();
  }
  if (file == nullptr) {
    throw Error({path, 0, 0}, fmt::format("cannot be read: {}", std::strerror(errno)),
                "a file that exists and is readable");
  }
  std::string text;
  std::array<char, 65536> block{};
  std::size_t count = 0;
  while ((count = std::fread(block.data(), 1, block.size(), file)) > 0) {
    text.append(block.data(), count);
    if (text.size() > most_bytes) {
      throw Error({path, 0, 0}, fmt::format("is longer than {} bytes", most_bytes),
                  "a smaller file");
    }
  }
  if (std::ferror(file) != 0) {
    throw Error({path, 0, 0}, fmt::format("cannot be read: {}", std::strerror(errno)), "a file");
  }
  return text;
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) return;
  throw std::system_error(errno, std::generic_category(), "standard output");
}

}  // namespace steptwin::cli
