#include "cli/run_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "model/error.h"

namespace steptwin::cli {
namespace {

constexpr std::array<std::string_view, 7> kOurFiles = {
    "scenario.toml", "schedule.steps", "trace.csv",  "host.csv",
    "trace.json",    "summary.json",   "report.html"};

bool holds_only_ours(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kOurFiles.begin(), kOurFiles.end(), name) == kOurFiles.end()) return false;
  }
  return true;
}

void refuse_to_replace(const std::filesystem::path& path, bool force) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) return;
  const SourcePosition position{path.string(), 0, 0};
  if (!force) throw Error(position, "exists already", "a new folder, or --force to replace it");
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(path))) {
    throw Error(position, "is not a folder", "the folder of an earlier run to replace");
  }
  if (!holds_only_ours(path)) {
    throw Error(position, "holds files that are not of a run and will not be replaced",
                "the folder of an earlier run to replace");
  }
}

}  // namespace

RunFolder::RunFolder(const std::string& path, bool force) {
  // "runs/a/" names the folder a: without the last slash it has a name to put a suffix to.
  path_ = std::filesystem::path(path).lexically_normal();
  if (!path_.has_filename()) path_ = path_.parent_path();
  refuse_to_replace(path_, force);
  unfinished_ = path_;
  unfinished_ += fmt::format(".unfinished.{}", getpid());
  std::error_code error;
  if (!std::filesystem::create_directory(unfinished_, error)) {
    throw Error({path_.string(), 0, 0},
                fmt::format("cannot be made: {}",
                            error ? error.message() : "a folder of that name is in the way"),
                "a place where folders can be made, whose parent folder exists");
  }
}

RunFolder::~RunFolder() {
  if (committed_) return;
  std::error_code ignored;
  std::filesystem::remove_all(unfinished_, ignored);
}

std::ofstream RunFolder::open(const std::string& name) {
  std::ofstream file(unfinished_ / name, std::ios::binary);
  if (!file) {
    throw std::system_error(errno, std::generic_category(), (path_ / name).string());
  }
  return file;
}

void RunFolder::close(std::ofstream& file, const std::string& name) {
  file.close();
  if (!file) {
    throw std::system_error(errno, std::generic_category(), (path_ / name).string());
  }
}

void RunFolder::write(const std::string& name, const std::string& content) {
  std::ofstream file = open(name);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  close(file, name);
}

void RunFolder::commit() {
  if (std::filesystem::is_directory(path_)) std::filesystem::remove_all(path_);
  std::filesystem::rename(unfinished_, path_);
  committed_ = true;
}

}  // namespace steptwin::cli
