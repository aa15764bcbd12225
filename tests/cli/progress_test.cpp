#include "cli/progress.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "tests/cli/run_program.h"
#include "tests/property_count.h"

namespace steptwin::cli {
namespace {

const std::vector<Phase> kPlan = {{"first", 100}, {"second", 300}, {"third", 600}};

//          |first|second        |third                       |
//  share   0    0.1            0.4                           1
TEST_CASE("what is done: phases that are over, and of the present one what it tells") {
  CHECK(done_share(kPlan, 1e6, {0, 0, 0, 0}) == 0);
  CHECK(done_share(kPlan, 1e6, {1, 5, 5, 0.5}) == doctest::Approx(0.1 + 0.15));
  CHECK(done_share(kPlan, 1e6, {2, 5, 5, 1}) == 1);
}

// A million kernels of 100 ns are a tenth of a second.
TEST_CASE("a phase that does not tell goes by its time, and never counts as done before its end") {
  CHECK(done_share(kPlan, 1e6, {0, 0, 0.05}) == doctest::Approx(0.05));
  CHECK(done_share(kPlan, 1e6, {0, 0, 60}) == doctest::Approx(0.095));
  // The first phase took ten times what was expected: so does the second.
  CHECK(done_share(kPlan, 1e6, {1, 1, 1.5}) == doctest::Approx(0.1 + 0.15));
  // What took next to no time says nothing about the machine.
  CHECK(done_share(kPlan, 1e6, {1, 0.001, 0.15}) == doctest::Approx(0.1 + 0.15));
}

TEST_CASE("the line has a rate and the time left") {
  CHECK(progress_line("simulating", 1e6, 0.25, 3) ==
        "simulating  25 % done, 83 k kernels/s, 9 s left");
  CHECK(progress_line("lowering", 1e9, 0.01, 4) ==
        "lowering  1 % done, 2.5 M kernels/s, 7 min left");
}

// What a Progress writes to a file that it takes for the terminal.
template <typename Work>
std::string shown(ProgressOptions options, Work&& work) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  REQUIRE(file != nullptr);
  options.to = file.get();
  {
    Progress progress(options, 1e6, kPlan);
    work(progress);
  }
  std::string text(static_cast<std::size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  REQUIRE(std::fread(text.data(), 1, text.size(), file.get()) == text.size());
  return text;
}

void sleep_ms(int time) {
  std::this_thread::sleep_for(std::chrono::milliseconds(time));
}

TEST_CASE("the line is rewritten while the work goes on, and gone at the end") {
  ProgressOptions options;
  options.shown = true;
  options.silent = std::chrono::milliseconds(10);
  options.interval = std::chrono::milliseconds(10);
  const std::string text = shown(options, [](Progress& progress) {
    sleep_ms(100);
    progress.begin(kPlan[2]);
    progress.callback()(1, 2);
    sleep_ms(100);
  });
  CHECK(text.starts_with("\r\x1b[Kfirst  "));
  CHECK(text.find("\r\x1b[Kthird  70 % done, ") != std::string::npos);
  CHECK(text.ends_with(" left\r\x1b[K"));

  options.width = 12;  // one column stays free, lest the cursor go to the next line
  const std::string narrow = shown(options, [](Progress&) { sleep_ms(100); });
  CHECK(narrow.starts_with("\r\x1b[Kfirst  "));
  CHECK(narrow.find("\r\x1b[K", 1) == 4 + 11);
}

// What a process shows that a signal ends while its work goes on.
template <typename Work>
std::string shown_until_signal(Work&& work) {
  ProgressOptions options;
  options.shown = true;
  options.silent = std::chrono::milliseconds(10);
  options.interval = std::chrono::milliseconds(10);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  REQUIRE(file != nullptr);
  options.to = file.get();
  const pid_t process = fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    for (const int signal : {SIGINT, SIGUSR1}) std::signal(signal, SIG_DFL);
    Progress progress(options, 1e6, kPlan);
    work(progress);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  std::fseek(file.get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  REQUIRE(std::fread(text.data(), 1, text.size(), file.get()) == text.size());
  return text;
}

void interrupt() {
  sleep_ms(100);
  kill(getpid(), SIGINT);
  pause();
}

TEST_CASE("a signal leaves no line behind, whoever acts on it") {
  const std::string alone = shown_until_signal([](Progress&) { interrupt(); });
  CHECK(alone.starts_with("\r\x1b[Kfirst  "));
  CHECK(alone.ends_with(" left\r\x1b[K"));
  const std::string guarded = shown_until_signal([](Progress& progress) {
    progress.leave_signals();
    const SignalGuard guard([&progress] { progress.clear(); });
    interrupt();
  });
  CHECK(guarded.starts_with("\r\x1b[Kfirst  "));
  CHECK(guarded.ends_with(" left\r\x1b[K"));
}

TEST_CASE("nothing is shown of what is soon done, or where nothing is to be shown") {
  ProgressOptions options;
  options.shown = true;
  CHECK(shown(options, [](Progress& progress) { progress.begin(kPlan[1]); }).empty());
  options.shown = false;
  options.silent = std::chrono::milliseconds(0);
  CHECK(shown(options, [](Progress& progress) {
          CHECK_FALSE(progress.callback());
          sleep_ms(20);
        }).empty());
}

// A terminal of which the program's standard error is the far end. It is read all the while: one
// that holds a few thousand characters unread makes whoever writes to it wait.
class Terminal {
 public:
  Terminal() : near_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    REQUIRE(near_ >= 0);
    REQUIRE(grantpt(near_) == 0);
    REQUIRE(unlockpt(near_) == 0);
    std::array<char, 64> name{};
    REQUIRE(ptsname_r(near_, name.data(), name.size()) == 0);
    name_ = name.data();
    far_ = open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // keeps what was written
    REQUIRE(far_ >= 0);
    REQUIRE(fcntl(near_, F_SETFL, O_NONBLOCK) == 0);
    reader_ = std::jthread([this](const std::stop_token& over) {
      do {
        sleep_ms(1);
        read_on();
      } while (!over.stop_requested());
    });
  }
  ~Terminal() {
    stop();
    close(far_);
    close(near_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  const std::string& name() const { return name_; }
  const std::string& written() {
    stop();
    read_on();
    return text_;
  }

 private:
  void stop() {
    reader_.request_stop();
    if (reader_.joinable()) reader_.join();
  }
  void read_on() {
    std::array<char, 4096> block{};
    for (ssize_t count = 0; (count = read(near_, block.data(), block.size())) > 0;) {
      text_.append(block.data(), static_cast<std::size_t>(count));
    }
  }

  int near_;
  int far_ = -1;
  std::string name_;
  std::string text_;
  std::jthread reader_;
};

// Whether the process has come to show its progress: a thread of that name does.
bool has_progress_thread(pid_t process) {
  std::error_code gone;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    if (name == "progress") return true;
  }
  return false;
}

// A run that takes more than a second, since it is stopped for one.
std::string on_terminal(const std::vector<std::string>& arguments) {
  Terminal terminal;
  RunRequest request;
  request.errors_to = terminal.name();
  request.output_to = "/dev/null";
  request.meanwhile = [](pid_t process) {
    for (int tries = 0; tries < 200 && !has_progress_thread(process); ++tries) sleep_ms(1);
    kill(process, SIGSTOP);
    sleep_ms(1100);
    kill(process, SIGCONT);
  };
  CHECK(run_program(arguments, request).status == 0);
  return terminal.written();
}

TEST_CASE("every command that can take long shows progress on a terminal, but not quietly") {
  const auto long_one = [](const std::string& command, const std::vector<std::string>& more) {
    const int micro_batches = command == "schedule" ? 2048 : 512;  // fewer for a slow program
    std::vector<std::string> arguments = {
        command, scenario_path("pipeline_1f1b.toml"),
        "--set", "pipeline.ranks=64",
        "--set", "pipeline.micro_batches=" + std::to_string(64 + property_count(micro_batches))};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  for (const std::string command : {"simulate", "lower", "check", "schedule"}) {
    CAPTURE(command);
    const std::string text = on_terminal(long_one(command, {}));
    CHECK(text.starts_with("\r\x1b[K"));
    CHECK(text.find(" % done, ") != std::string::npos);
    CHECK(text.find(" kernels/s, ") != std::string::npos);
    CHECK(text.ends_with(" left\r\x1b[K"));
  }
  CHECK(on_terminal(long_one("simulate", {"--quiet"})).empty());
}

}  // namespace
}  // namespace steptwin::cli
