#include "reports/trace_csv_parts.h"

#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>

#include "model/formats/quoted_text.h"

namespace steptwin::reports {
namespace {

// What is left of a column's text, taken from the front.
class Rest {
 public:
  explicit Rest(std::string_view text) : text_(text) {}

  bool empty() const { return text_.empty(); }

  bool take(std::string_view expected) {
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }

  template <typename Number>
  bool take_number(Number& number) {
    const auto [stop, code] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (code != std::errc()) return false;
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return true;
  }

  bool take_step_type(StepType& type) {
    const std::string_view name = text_.substr(0, text_.find_first_of("[](,|)"));
    const std::optional<StepType> named = step_type_named(name);
    if (!named) return false;
    type = *named;
    text_.remove_prefix(name.size());
    return true;
  }

 private:
  std::string_view text_;
};

bool is_index(std::int32_t number) {
  return number >= 0 && number < std::numeric_limits<std::int32_t>::max();
}

// "FWD_SEND(s0,m1)", or without what is not there.
bool take_part(Rest& rest, TracePart& part) {
  if (!rest.take_step_type(part.step)) return false;
  if (!rest.take("(s")) return true;
  if (!rest.take_number(part.stage) || !is_index(part.stage)) return false;
  if (rest.take(",m") && !(rest.take_number(part.micro) && is_index(part.micro))) return false;
  return rest.take(")");
}

bool take_whole(Rest& rest, StepType& step, std::vector<TracePart>& parts) {
  if (!rest.take_step_type(step)) return false;
  if (rest.empty()) return true;
  if (!rest.take("[")) return false;
  do {
    if (!take_part(rest, parts.emplace_back())) return false;
  } while (rest.take("|"));
  return rest.take("]") && rest.empty();
}

bool take_spans(Rest& rest, std::vector<TracePart>& parts) {
  for (std::size_t at = 0; at < parts.size(); ++at) {
    TracePart& part = parts[at];
    if (at > 0 && !rest.take(";")) return false;
    if (!rest.take_number(part.start_ns) || !rest.take("-") || !rest.take_number(part.end_ns)) {
      return false;
    }
  }
  return rest.empty();
}

}  // namespace

void read_step_and_parts(const CsvRows& rows, const PartColumns& columns, TraceKernel& kernel,
                         std::vector<TracePart>& parts) {
  const std::string& whole = rows.text(columns.step);
  const std::size_t peers = kernel.peers.size();
  std::vector<TracePart> read;
  Rest steps(whole);
  if (!take_whole(steps, kernel.step, read)) {
    throw rows.error_at(columns.step, fmt::format("{} is unknown", quoted_text(whole)),
                        "a step like \"FWD\", or \"BATCH_SEND_RECV[FWD_SEND(s0,m1)|...]\"");
  }
  if (read.size() != (peers > 1 ? peers : 0)) {
    throw rows.error_at(columns.step,
                        fmt::format("{} parts in the step of a kernel with {} peer{}", read.size(),
                                    peers, peers == 1 ? "" : "s"),
                        "a part for each peer where there are several, and else none");
  }
  const std::string& text = rows.text(columns.spans);
  Rest spans(text);
  if (!take_spans(spans, read)) {
    throw rows.error_at(columns.spans, fmt::format("part_spans_ns is {}", quoted_text(text)),
                        read.empty() ? "nothing, as the kernel has fewer than two parts"
                                     : fmt::format("{} spans, as in \"0-5;3-9\"", read.size()));
  }
  for (const TracePart& part : read) {
    const bool fits = kernel.times.start_ns <= part.start_ns && part.start_ns <= part.end_ns &&
                      part.end_ns <= kernel.times.end_ns;
    if (fits) continue;
    throw rows.error_at(columns.spans, "a part lies outside its kernel",
                        "kernel's start <= part's start <= part's end <= kernel's end");
  }
  if (read.empty()) return;
  kernel.first_part = static_cast<std::int32_t>(parts.size());
  parts.insert(parts.end(), read.begin(), read.end());
}

}  // namespace steptwin::reports
