#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace steptwin {

// The built program as a process, without a shell between.

// A folder of its own for one test, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  // Makes a file in it and gives its whole name.
  std::string write(const std::string& name, const std::string& content) const;
  // The names of what is in it, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

struct RunRequest {
  std::filesystem::path folder = "/";    // the working directory
  std::vector<std::string> environment;  // NAME=value, set on top of the test's own
  std::string input;                     // standard input
  std::vector<std::string> launcher;     // what starts the program: mpirun and its options
  std::string output_to;                 // a file in the place of standard output, as /dev/full
  std::string errors_to;                 // the same for standard error
  bool reader_gone = false;              // standard output is a pipe that nobody reads
  std::function<void(pid_t)> meanwhile;  // called once, while the program runs
};

struct RunResult {
  int status = -1;     // exit status; 128 + the signal if one ended it
  bool hung = false;   // it was ended after kMostSeconds
  std::string output;  // empty where standard output went elsewhere
  std::string errors;
};

// Far longer than any test needs, also in a slow build: only what hangs takes so long.
inline constexpr int kMostSeconds = 300;

RunResult run_program(const std::vector<std::string>& arguments, const RunRequest& request = {});

// A scenario of this repository, by its path in scenarios/.
std::string scenario_path(const std::string& name);

std::string text_of_file(const std::filesystem::path& path);

// The names of what is in a folder, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace steptwin
