#include "reports/measured_run.h"

#include <cmath>

#include "reports/import/json_events.h"

namespace steptwin::reports {
namespace {

// Takes what it knows of the outermost object, and leaves the rest.
class Reader {
 public:
  void key(std::string_view name) {
    if (depth_ == 1) key_ = name;
  }
  void scalar(const JsonScalar& value) {
    if (depth_ != 1) return;
    if (key_ == "steps" && value.is_number && value.number >= 1) {
      run_.steps.steps = static_cast<std::size_t>(value.number);
    }
    if (key_ == "step_time_us") run_.steps.median_ns = time_of(value);
    if (key_ == "step_time_p5_us") run_.steps.p5_ns = time_of(value);
    if (key_ == "step_time_p95_us") run_.steps.p95_ns = time_of(value);
    if (key_ == "measured_on") run_.machine = value.text;
    if (key_ == "kernel_mode") run_.kernels = value.text;
  }
  void begin(bool /*is_object*/) { ++depth_; }
  void end() { --depth_; }

  std::optional<MeasuredRun> run() const {
    if (run_.steps.steps == 0) return std::nullopt;
    return run_;
  }

 private:
  static TimeNs time_of(const JsonScalar& value) {
    constexpr double kMost = 9e15;  // us are read as exactly as they were written
    constexpr double kNs = 1000;
    const bool is_time = value.is_number && value.number >= 0 && value.number < kMost;
    return is_time ? static_cast<TimeNs>(std::llround(value.number * kNs)) : 0;
  }

  int depth_ = 0;
  std::string key_;
  MeasuredRun run_;
};

}  // namespace

std::optional<MeasuredRun> read_measured_run(std::string_view summary, const std::string& file) {
  Reader reader;
  JsonReading<Reader>(file, summary).read(reader);
  return reader.run();
}

}  // namespace steptwin::reports
