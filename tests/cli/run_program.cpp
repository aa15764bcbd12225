#include "tests/cli/run_program.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace steptwin {
namespace {

std::string required_variable(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, std::string(name) << " is not set");
  return value;
}

bool changes_output(std::string_view variable) {
  return variable.starts_with("NO_COLOR=") || variable.starts_with("COLUMNS=");
}

// The test's own environment but for what changes the program's output.
std::vector<std::string> environment_of(const RunRequest& request) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!changes_output(*variable)) variables.emplace_back(*variable);
  }
  variables.insert(variables.end(), request.environment.begin(), request.environment.end());
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Standard output and error go to files: nothing that the program writes can block it.
class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void start_in(const std::filesystem::path& folder) {
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  void read_from(const std::string& path) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, path.c_str(), O_RDONLY, 0);
  }
  void write_to(int descriptor, const std::string& path) {
    constexpr mode_t kOwnerOnly = 0600;
    posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, kOwnerOnly);
  }
  void write_to(int descriptor, int other) {
    posix_spawn_file_actions_adddup2(&actions_, other, descriptor);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The exit status of the process, which is ended if it takes too long.
void wait_for(pid_t process, RunResult& result) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(kMostSeconds);
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      result.hung = true;
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t start(const std::vector<std::string>& arguments, const RunRequest& request,
            const SpawnActions& actions) {
  const std::string program = required_variable("STEPTWIN_PROGRAM");
  std::vector<std::string> words = request.launcher;
  words.push_back(program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_of(request);
  pid_t process = -1;
  const int error = posix_spawnp(&process, words.front().c_str(), actions.get(), nullptr,
                                 pointers_to(words).data(), pointers_to(variables).data());
  REQUIRE_MESSAGE(error == 0, "cannot start " << words.front());
  return process;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "steptwin-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  const std::string path = (path_ / name).string();
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  REQUIRE_MESSAGE(!file.fail(), "cannot write " << path);
  return path;
}

std::vector<std::string> TemporaryFolder::names() const {
  return names_in(path_);
}

RunResult run_program(const std::vector<std::string>& arguments, const RunRequest& request) {
  const TemporaryFolder folder;
  const std::string output = request.output_to.empty() ? (folder / "out").string()  //
                                                       : request.output_to;
  const std::string errors = request.errors_to.empty() ? (folder / "err").string()  //
                                                       : request.errors_to;
  SpawnActions actions;
  actions.start_in(request.folder);
  actions.read_from(folder.write("in", request.input));
  actions.write_to(STDERR_FILENO, errors);
  std::array<int, 2> pipe_ends = {-1, -1};
  if (request.reader_gone) {
    REQUIRE(pipe2(pipe_ends.data(), O_CLOEXEC) == 0);
    close(pipe_ends[0]);
    actions.write_to(STDOUT_FILENO, pipe_ends[1]);
  } else {
    actions.write_to(STDOUT_FILENO, output);
  }
  RunResult result;
  const pid_t process = start(arguments, request, actions);
  if (request.meanwhile) request.meanwhile(process);
  wait_for(process, result);
  if (request.reader_gone) close(pipe_ends[1]);
  if (!request.reader_gone && request.output_to.empty()) result.output = text_of_file(output);
  if (request.errors_to.empty()) result.errors = text_of_file(errors);
  return result;
}

std::string scenario_path(const std::string& name) {
  return required_variable("STEPTWIN_SOURCE") + "/scenarios/" + name;
}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace steptwin
