#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/measured_setting.h"
#include "model/error.h"
#include "model/units.h"
#include "reports/repeated_steps.h"

namespace steptwin::cli {

// A setting of a scenario: the keys it changes, as --set does.
struct ValidationCase {
  std::string name;
  std::vector<std::string> sets;
  std::string scenario;     // another file than the command's; "" for none
  SourcePosition position;  // of its name
};

// [[case]] tables with `name`, `set`, a list of "key=value", and possibly `scenario`, a file named
// from the folder of this one. Throws Error at file:line:column.
std::vector<ValidationCase> read_validation_cases(const std::string& text, const std::string& file);

// One setting, measured and simulated.
struct CaseResult {
  std::string name;
  reports::RepeatedSteps measured;  // traced
  // Medians with and without tracing, until the host had seen that all was over.
  TimeNs traced_ns = 0;
  TimeNs bare_ns = 0;
  TimeNs simulated_ns = 0;
  // None where nothing communicates.
  std::optional<double> measured_bubble;
  std::optional<double> simulated_bubble;
  std::optional<double> measured_overlap;
  std::optional<double> simulated_overlap;

  // (simulated - measured) / measured
  double error() const {
    return static_cast<double>(simulated_ns - measured.median_ns) /
           static_cast<double>(measured.median_ns);
  }
  std::optional<double> bubble_points() const { return points(simulated_bubble, measured_bubble); }
  std::optional<double> overlap_points() const {
    return points(simulated_overlap, measured_overlap);
  }

 private:
  static std::optional<double> points(std::optional<double> simulated,
                                      std::optional<double> measured) {
    if (!simulated || !measured) return std::nullopt;
    return (*simulated - *measured) * 100;
  }
};

// Of all settings together. A pair counts if its measured times differ by more than 5 % of the
// shorter; it is named rightly if the simulated times differ in the same direction.
struct ValidationTotals {
  double median_error = 0;  // of |error|
  double worst_error = 0;
  double worst_bubble_points = 0;
  double worst_overlap_points = 0;
  int pairs = 0;
  int pairs_right = 0;
  double tracing_cost = 0;  // median of (traced - bare) / bare
};

// At least one result.
ValidationTotals totals_of(const std::vector<CaseResult>& results);

// No line is longer than `width`, or 40.
std::string validation_text(const std::vector<CaseResult>& results, const ValidationTotals& totals,
                            const DisturbedRuns& disturbed, std::size_t width, bool color);
std::string validation_json(const std::vector<CaseResult>& results, const ValidationTotals& totals,
                            const DisturbedRuns& disturbed);

}  // namespace steptwin::cli
