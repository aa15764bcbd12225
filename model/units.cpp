#include "model/units.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace steptwin {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 12> kByteUnits = {{{"", 1},
                                              {"B", 1},
                                              {"kB", 1e3},
                                              {"KB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"TB", 1e12},
                                              {"KiB", 1024.0},
                                              {"MiB", 1048576.0},
                                              {"GiB", 1073741824.0},
                                              {"TiB", 1099511627776.0},
                                              {"PB", 1e15}}};
constexpr std::array<Unit, 12> kBandwidthUnits = {{{"B/s", 1},
                                                   {"kB/s", 1e3},
                                                   {"MB/s", 1e6},
                                                   {"GB/s", 1e9},
                                                   {"TB/s", 1e12},
                                                   {"KiB/s", 1024.0},
                                                   {"MiB/s", 1048576.0},
                                                   {"GiB/s", 1073741824.0},
                                                   {"kbit/s", 125.0},
                                                   {"Mbit/s", 1.25e5},
                                                   {"Gbit/s", 1.25e8},
                                                   {"Tbit/s", 1.25e11}}};
constexpr double kMostBytes = 4.611686018427387904e18;  // 2^62

// The factor of the unit that follows a number, after a blank or at once. Nothing if it is none.
template <std::size_t kCount>
std::optional<double> unit_factor(std::string_view text, const std::array<Unit, kCount>& units) {
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const Unit& unit : units) {
    if (unit.name == text) return unit.factor;
  }
  return std::nullopt;
}

// Splits "64 MiB" into 64 and the factor of MiB. Nothing if either is not there.
template <std::size_t kCount>
std::optional<std::pair<double, double>> number_and_unit(std::string_view text,
                                                         const std::array<Unit, kCount>& units) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const auto factor = unit_factor(text, units);
  return factor ? std::optional(std::pair(number, *factor)) : std::nullopt;
}

// A whole number of units, exactly: a double does not hold all of them beyond 2^53.
std::optional<Bytes> whole_bytes(std::string_view text) {
  Bytes number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const auto factor = unit_factor(text, kByteUnits);
  if (!factor) return std::nullopt;
  const auto unit = static_cast<Bytes>(*factor);
  constexpr Bytes kMost = Bytes{1} << 62U;
  return number <= kMost / unit ? std::optional(number * unit) : std::nullopt;
}

double transfer_ns(Bytes bytes, Bandwidth bandwidth) {
  const double seconds = static_cast<double>(bytes) / bandwidth.bytes_per_second;
  return seconds * 1e9;
}

}  // namespace

TimeNs nanoseconds_from_us(double duration_us) {
  assert(std::isfinite(duration_us));
  return std::llround(duration_us * 1000.0);
}

double us_from_nanoseconds(TimeNs duration) {
  return static_cast<double>(duration) / 1000.0;
}

bool transfer_fits(Bytes bytes, Bandwidth bandwidth) {
  return transfer_ns(bytes, bandwidth) <= static_cast<double>(kLongestDuration);
}

TimeNs transfer_time(TimeNs latency, Bytes bytes, Bandwidth bandwidth) {
  assert(transfer_fits(bytes, bandwidth));
  return latency + std::llround(transfer_ns(bytes, bandwidth));
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  if (text.find_first_of(".eE") == std::string_view::npos) return whole_bytes(text);
  const auto parsed = number_and_unit(text, kByteUnits);
  if (!parsed) return std::nullopt;
  const double bytes = parsed->first * parsed->second;
  if (bytes < 0 || bytes > kMostBytes) return std::nullopt;
  return std::llround(bytes);
}

std::optional<Bandwidth> parse_bandwidth(std::string_view text) {
  if (text == "inf") return Bandwidth{};
  const auto parsed = number_and_unit(text, kBandwidthUnits);
  if (!parsed || parsed->first <= 0) return std::nullopt;
  const double bytes_per_second = parsed->first * parsed->second;
  if (!std::isfinite(bytes_per_second)) return std::nullopt;
  return Bandwidth{bytes_per_second};
}

std::string bytes_text(Bytes bytes) {
  constexpr std::array<std::pair<std::string_view, int>, 4> kBinary = {
      {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};
  for (const auto& [name, shift] : kBinary) {
    const Bytes unit = Bytes{1} << shift;
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes >> shift, name);
  }
  return fmt::format("{}B", bytes);
}

std::string bandwidth_text(Bandwidth bandwidth) {
  if (std::isinf(bandwidth.bytes_per_second)) return "inf";
  const double gigabytes = bandwidth.bytes_per_second / 1e9;
  if (gigabytes * 1e9 == bandwidth.bytes_per_second) return fmt::format("{}GB/s", gigabytes);
  return fmt::format("{}B/s", bandwidth.bytes_per_second);
}

std::string duration_text(TimeNs duration) {
  const double magnitude = std::abs(static_cast<double>(duration));
  const auto value = static_cast<double>(duration);
  if (magnitude < 1e3) return fmt::format("{} ns", duration);
  if (magnitude < 1e6) return fmt::format("{:.4g} us", value / 1e3);
  if (magnitude < 1e9) return fmt::format("{:.4g} ms", value / 1e6);
  return fmt::format("{:.4g} s", value / 1e9);
}

}  // namespace steptwin
