#include "tests/fuzz/readers.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "model/error.h"
#include "model/formats/machine_toml.h"
#include "model/formats/meta_step_text.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/stage_costs_csv.h"
#include "model/formats/steps_text.h"
#include "model/formats/torch_csv.h"
#include "reports/import/pp_dump.h"
#include "reports/trace_csv.h"

namespace steptwin::fuzz {
namespace {

constexpr std::string_view kFile = "fuzzed";

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

// An Error says where and what; it is for people, so it has one line of a sane length.
void require_presentable(const Error& error) {
  const std::string text = error.what();
  if (!text.starts_with(kFile)) fail("an error without a place", text);
  if (text.find('\n') != std::string::npos) fail("an error of several lines", text);
  constexpr std::size_t kMostBytes = 4096;
  if (text.size() > kMostBytes) fail("an endless error", text);
}

// Reads, writes, reads and writes again.
template <typename Read, typename Write>
void require_round_trip(Read read, Write write) {
  try {
    const std::string once = write(read(std::nullopt));
    std::string twice;
    try {
      twice = write(read(once));
    } catch (const Error& error) {
      fail("what was written is not read", once + "\n" + error.what());
    }
    if (once != twice) fail("what was written reads otherwise", once + "\n----\n" + twice);
  } catch (const Error& error) {
    require_presentable(error);
  }
}

const std::string& file_name() {
  static const std::string kName(kFile);
  return kName;
}

}  // namespace

void read_as_scenario(std::string_view bytes) {
  require_round_trip(
      [bytes](const std::optional<std::string>& text) {
        return read_scenario(text ? std::string_view(*text) : bytes, file_name());
      },
      [](const Scenario& scenario) { return scenario_text(scenario); });
}

void read_as_steps(std::string_view bytes) {
  require_round_trip(
      [bytes](const std::optional<std::string>& text) {
        return read_steps(text ? std::string_view(*text) : bytes, file_name());
      },
      [](const Schedule& schedule) { return steps_text(schedule); });
}

void read_as_meta_steps(std::string_view bytes) {
  require_round_trip(
      [bytes](const std::optional<std::string>& text) {
        return read_meta_steps(text ? std::string_view(*text) : bytes, file_name());
      },
      [](const Schedule& schedule) { return meta_step_text(schedule); });
}

// What the format cannot say is left out when it is written, so only reading is tried.
void read_as_torch_csv(std::string_view bytes) {
  for (const bool lenient : {false, true}) {
    try {
      read_torch_csv(bytes, file_name(), Misplaced::refused, {lenient});
    } catch (const Error& error) {
      require_presentable(error);
    }
  }
}

void read_as_stage_costs(std::string_view bytes) {
  constexpr std::int32_t kStages = 4;
  try {
    read_stage_costs(bytes, file_name(), kStages);
  } catch (const Error& error) {
    require_presentable(error);
  }
}

// The part behind the first line "host.csv" is that file.
void read_as_trace_csv(std::string_view bytes) {
  constexpr std::string_view kCut = "host.csv\n";
  const std::size_t cut = bytes.find(kCut);
  const std::string_view host =
      cut == std::string_view::npos ? std::string_view() : bytes.substr(cut + kCut.size());
  try {
    const Trace trace =
        reports::parse_trace_csv({file_name(), bytes.substr(0, cut)}, {file_name(), host});
    std::ostringstream out;
    reports::write_trace_csv(trace, out);
  } catch (const Error& error) {
    require_presentable(error);
  }
}

void read_as_machine(std::string_view bytes) {
  require_round_trip(
      [bytes](const std::optional<std::string>& text) {
        return read_machine(text ? std::string_view(*text) : bytes, file_name());
      },
      [](const Machine& machine) { return machine_text(machine); });
}

void read_as_pp_rank(std::string_view bytes) {
  constexpr std::int32_t kMicroBatches = 3;
  try {
    reports::read_pp_rank(bytes, file_name(), kMicroBatches);
  } catch (const Error& error) {
    require_presentable(error);
  }
}

}  // namespace steptwin::fuzz
