#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace steptwin {

// Time is a whole number of nanoseconds, both as an instant and as a duration. A signed 64-bit
// count reaches 292 years, so sums of durations never need a check in the inner loops; what comes
// from outside is bounded by kLongestDuration when it is read.
using TimeNs = std::int64_t;
using Bytes = std::int64_t;

// No single duration read from outside may be longer: about 11.6 days.
inline constexpr TimeNs kLongestDuration = 1'000'000'000'000'000;

// Bytes per second. "inf" stands for a link whose transfers cost their latency only.
struct Bandwidth {
  double bytes_per_second = std::numeric_limits<double>::infinity();

  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

// Rounds to the nearest nanosecond, halves away from zero. The argument must be finite.
TimeNs nanoseconds_from_us(double duration_us);

// Exact: a nanosecond is 0.001 us.
double us_from_nanoseconds(TimeNs duration);

// Whether the bytes take at most kLongestDuration. Who reads a bandwidth refuses it otherwise.
bool transfer_fits(Bytes bytes, Bandwidth bandwidth);

// latency + bytes / bandwidth, rounded once. The transfer must fit.
TimeNs transfer_time(TimeNs latency, Bytes bytes, Bandwidth bandwidth);

// "64MiB", "1.5GB", "512" (bytes). Decimal prefixes are powers of 1000, binary ones of 1024.
// Nothing if the text is not such a size, is negative, or exceeds 2^62 bytes.
std::optional<Bytes> parse_bytes(std::string_view text);

// "400GB/s", "50Gbit/s", "inf". Nothing if the text is not a positive bandwidth.
std::optional<Bandwidth> parse_bandwidth(std::string_view text);

// The shortest text that parses back to the same value: "64MiB", "1000B".
std::string bytes_text(Bytes bytes);
std::string bandwidth_text(Bandwidth bandwidth);

// For people: "3.24 ms", "18.5 us"; at most four significant digits.
std::string duration_text(TimeNs duration);

}  // namespace steptwin
