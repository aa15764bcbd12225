#include "cli/run_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "model/error.h"

namespace steptwin::cli {
namespace {

constexpr std::array<std::string_view, 9> kOurFiles = {
    "scenario.toml", "machine.toml", "schedule.steps", "trace.csv",  "host.csv",
    "memory.csv",    "trace.json",   "summary.json",   "report.html"};

bool is_ours(const std::filesystem::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return entry.symlink_status().type() == std::filesystem::file_type::regular &&
         std::find(kOurFiles.begin(), kOurFiles.end(), name) != kOurFiles.end();
}

bool holds_only_ours(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries), is_ours);
}

// What cannot be looked at is found out when it is made.
bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

void refuse_to_replace(const std::filesystem::path& path, bool force) {
  if (!is_there(path)) return;
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

constexpr std::string_view kUnfinished = "unfinished";

std::filesystem::path sibling(const std::filesystem::path& path, std::string_view what) {
  std::filesystem::path other = path;
  other += fmt::format(".{}.{}", what, getpid());
  return other;
}

// The process whose number ends the name; -1 if it does not end in one.
pid_t process_in(std::string_view number) {
  pid_t process = -1;
  const char* end = number.data() + number.size();
  const auto [stop, code] = std::from_chars(number.data(), end, process);
  return code == std::errc() && stop == end && process > 0 ? process : -1;
}

bool is_alive(pid_t process) {
  return kill(process, 0) == 0 || errno != ESRCH;
}

// Unfinished siblings of processes that are no more, as of one that was killed without a chance to
// remove its own. One of our own number was left by an earlier process of that number.
void remove_leftovers(const std::filesystem::path& path) {
  const std::string prefix = fmt::format("{}.{}.", path.filename().string(), kUnfinished);
  std::error_code error;
  const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::vector<std::filesystem::path> leftovers;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const pid_t process = process_in(std::string_view(name).substr(prefix.size()));
    if (process < 0 || (process != getpid() && is_alive(process))) continue;
    const auto type = entry.symlink_status(error).type();
    if (type == std::filesystem::file_type::directory && holds_only_ours(entry.path())) {
      leftovers.push_back(entry.path());
    }
  }
  for (const std::filesystem::path& folder : leftovers) std::filesystem::remove_all(folder, error);
}

}  // namespace

RunFolder::RunFolder(const std::string& path, bool force, std::function<void()> at_signal)
    : force_(force), guard_([this, at_signal = std::move(at_signal)] {
        at_signal();
        remove_unfinished();
      }) {
  // "runs/a/" names the folder a: without the last slash it has a name to put a suffix to.
  path_ = std::filesystem::path(path).lexically_normal();
  if (!path_.has_filename()) path_ = path_.parent_path();
  refuse_to_replace(path_, force);
  remove_leftovers(path_);
  const auto held = guard_.hold();
  unfinished_ = sibling(path_, kUnfinished);
  std::error_code error;
  if (!std::filesystem::create_directory(unfinished_, error)) {
    throw Error({path_.string(), 0, 0},
                fmt::format("cannot be made: {}",
                            error ? error.message() : "a folder of that name is in the way"),
                "a place where folders can be made, whose parent folder exists");
  }
  is_made_ = true;
}

RunFolder::~RunFolder() {
  const auto held = guard_.hold();
  remove_unfinished();
}

// Another thread may be writing to it: what it makes while we remove is removed next time.
void RunFolder::remove_unfinished() {
  constexpr int kMostTries = 100;
  if (!is_made_) return;
  is_made_ = false;
  std::error_code error;
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::filesystem::remove_all(unfinished_, error);
    if (!error) return;
  }
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

// The old folder goes only when the new one stands in its place.
void RunFolder::commit() {
  const auto held = guard_.hold();
  refuse_to_replace(path_, force_);  // again: meanwhile anything may have been put there
  const std::filesystem::path replaced = sibling(path_, "replaced");
  const bool replaces = is_there(path_);
  if (replaces) std::filesystem::rename(path_, replaced);
  std::error_code error;
  std::filesystem::rename(unfinished_, path_, error);
  if (error) {
    if (replaces) std::filesystem::rename(replaced, path_);
    throw std::system_error(error, path_.string());
  }
  is_made_ = false;
  if (replaces) std::filesystem::remove_all(replaced);
}

}  // namespace steptwin::cli
