#include "cli/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <system_error>
#include <unistd.h>

#include "cli/signal_guard.h"
#include "model/error.h"

namespace steptwin::cli {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

void refuse_to_replace(const std::string& path, bool force) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, ignored);
  if (!std::filesystem::exists(status)) return;
  if (!force) throw Error({path, 0, 0}, "exists already", "a new file, or --force to replace it");
  if (!std::filesystem::is_regular_file(status)) {
    throw Error({path, 0, 0}, "is not a file and will not be replaced", "a file to replace");
  }
}

// Whether all of the text has come to the disk.
bool write_all(std::FILE* file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return (std::fclose(file) == 0) && written;
}

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

void print_notes(const std::string& file, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    const std::string line = fmt::format("{}: note: {}\n", file, note);
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
}

void write_file(const std::string& path, const std::string& text, bool force) {
  refuse_to_replace(path, force);
  const std::string unfinished = fmt::format("{}.unfinished.{}", path, getpid());
  bool is_made = false;  // changed while the guard is held
  SignalGuard guard([&] {
    if (is_made) std::remove(unfinished.c_str());
  });
  std::FILE* file = nullptr;
  {
    const auto held = guard.hold();
    file = std::fopen(unfinished.c_str(), "wbx");
    is_made = file != nullptr;
  }
  if (file == nullptr) {
    throw Error({path, 0, 0}, fmt::format("cannot be made: {}", std::strerror(errno)),
                "a place where files can be made, whose folder exists");
  }
  const bool written = write_all(file, text);
  const auto held = guard.hold();
  is_made = false;
  if (!written || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    const std::error_code error(errno, std::generic_category());
    std::remove(unfinished.c_str());
    throw std::system_error(error, path);
  }
}

}  // namespace steptwin::cli
