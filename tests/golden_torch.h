#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/step.h"

namespace steptwin {

// "golden/torch/GPipe_pp2_mb4.compute_only.csv" below tests/data of the source tree.
inline std::string test_data(const std::string& path) {
  const char* source = std::getenv("STEPTWIN_SOURCE");
  return std::string(source == nullptr ? "." : source) + "/tests/data/" + path;
}

inline std::optional<StepType> torch_compute_type(std::string_view letter) {
  if (letter == "F") return StepType::fwd;
  if (letter == "B") return StepType::bwd;
  if (letter == "I") return StepType::bwd_input;
  if (letter == "W") return StepType::bwd_weight;
  return std::nullopt;
}

// "2F0": stage, type, micro-batch.
inline Step torch_compute_step(std::string_view cell) {
  const auto number = [&cell](std::string_view digits) {
    std::int32_t value = 0;
    const char* last = digits.data() + digits.size();
    if (const auto [end, code] = std::from_chars(digits.data(), last, value);
        code != std::errc() || end != last) {
      throw std::runtime_error("not a compute cell: " + std::string(cell));
    }
    return value;
  };
  const std::size_t letter = cell.find_first_of("FBIW");
  if (letter == std::string_view::npos) {
    throw std::runtime_error("not a compute cell: " + std::string(cell));
  }
  return make_step(*torch_compute_type(cell.substr(letter, 1)), number(cell.substr(0, letter)),
                   number(cell.substr(letter + 1)));
}

// "(0F7;7B3)OVERLAP_F_B", or a step.
inline Step torch_step_or_overlap(std::string_view cell) {
  if (!cell.starts_with('(')) return torch_compute_step(cell);
  const std::size_t middle = cell.find(';');
  const std::size_t end = cell.find(")OVERLAP_F_B");
  if (middle == std::string_view::npos || end == std::string_view::npos) {
    throw std::runtime_error("not an overlap: " + std::string(cell));
  }
  return make_overlap(StepType::overlap_f_b, torch_compute_step(cell.substr(1, middle - 1)),
                      torch_compute_step(cell.substr(middle + 1, end - middle - 1)));
}

// The cells of each rank of a PyTorch CSV, empty ones left out: one row a rank, one cell a step.
inline std::vector<std::vector<std::string>> read_torch_cells(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<std::string>> ranks;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.pop_back();
    std::vector<std::string>& cells = ranks.emplace_back();
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      if (end > begin) cells.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return ranks;
}

// The compute steps of each rank of a PyTorch compute_only CSV. F is FWD, B the full BWD, I
// BWD_INPUT, W BWD_WEIGHT. For the golden files only: a cell it does not know is an exception.
inline std::vector<std::vector<Step>> read_torch_compute_only(const std::string& path) {
  std::vector<std::vector<Step>> ranks;
  for (const std::vector<std::string>& cells : read_torch_cells(path)) {
    std::vector<Step>& steps = ranks.emplace_back();
    for (const std::string& cell : cells) steps.push_back(torch_step_or_overlap(cell));
  }
  return ranks;
}

}  // namespace steptwin
