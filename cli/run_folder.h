#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "cli/signal_guard.h"

namespace steptwin::cli {

// An output folder that appears complete or not at all: files go to a sibling of a temporary name,
// which commit() renames. Without commit() nothing is left, nor when a signal ends the process.
class RunFolder {
 public:
  // Throws Error if `path` exists and `force` is not given, or cannot be made. With force only a
  // folder is replaced that is empty or holds nothing but what steptwin writes. Removes what
  // processes that were killed have left beside it. A signal runs `at_signal` as well.
  RunFolder(
      const std::string& path, bool force, std::function<void()> at_signal = [] {});
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // A file in it, ready to be written to.
  std::ofstream open(const std::string& name);
  // Closes it; throws std::system_error if anything could not be written.
  void close(std::ofstream& file, const std::string& name);
  void write(const std::string& name, const std::string& content);

  // Throws as the constructor does if something to be kept has come to be there meanwhile.
  void commit();

 private:
  void remove_unfinished();

  std::filesystem::path path_;
  std::filesystem::path unfinished_;
  bool force_;
  bool is_made_ = false;  // and not yet committed; changed while the guard is held
  SignalGuard guard_;
};

}  // namespace steptwin::cli
