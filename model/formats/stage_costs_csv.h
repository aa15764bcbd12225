#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/units.h"

namespace steptwin {

// Costs per stage as a CSV file:
//
//   # comment
//   stage,forward_us,backward_input_us,backward_weight_us,output_bytes
//   0,1000,1000,900.5,32MiB
//   1,1200,1200,1000,0
//
// The header line is required; columns in any order, activation_bytes, parameter_bytes and
// output_bytes optional. Every stage exactly once, in any order. LF or CRLF, a byte order mark and
// blank lines are skipped. At most 4 MiB.
inline constexpr std::size_t kMostCsvBytes = std::size_t{4} << 20U;

// One value per stage; empty where the file has no such column.
struct StageCostColumns {
  std::vector<double> forward_us;
  std::vector<double> backward_input_us;
  std::vector<double> backward_weight_us;
  std::vector<Bytes> activation_bytes;
  std::vector<Bytes> parameter_bytes;
  std::vector<Bytes> output_bytes;
};

// Throws Error at file:line:column.
StageCostColumns read_stage_costs(std::string_view text, const std::string& file,
                                  std::int32_t stages);

// Throws Error at `named_at`, where the file is named, if it cannot be read.
StageCostColumns read_stage_costs_file(const std::string& file, const SourcePosition& named_at,
                                       std::int32_t stages);

}  // namespace steptwin
