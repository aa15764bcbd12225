#include "model/units.h"

#include <doctest/doctest.h>
#include <initializer_list>
#include <utility>

namespace steptwin {
namespace {

TEST_CASE("microseconds become whole nanoseconds, halves away from zero") {
  CHECK(nanoseconds_from_us(0) == 0);
  CHECK(nanoseconds_from_us(12.5) == 12'500);
  CHECK(nanoseconds_from_us(0.0005) == 1);
  CHECK(nanoseconds_from_us(0.00049) == 0);
  CHECK(nanoseconds_from_us(-0.0015) == -2);
  CHECK(nanoseconds_from_us(1e12) == kLongestDuration);
}

TEST_CASE("nanoseconds become microseconds exactly") {
  CHECK(us_from_nanoseconds(1) == 0.001);
  CHECK(us_from_nanoseconds(1'234'567) == 1234.567);
}

// 32 MiB at 50 GB/s: 33554432 / 50 = 671088.64 ns.
TEST_CASE("a transfer takes its latency and its bytes over the bandwidth, rounded once") {
  CHECK(transfer_time(20'000, 33'554'432, Bandwidth{50e9}) == 691'089);
  CHECK(transfer_time(5, 0, Bandwidth{1}) == 5);
  CHECK(transfer_time(5, 1'000'000'000'000, Bandwidth{}) == 5);
}

// 1e15 ns is a million seconds.
TEST_CASE("a transfer fits if its bytes take no longer than the longest duration") {
  CHECK(transfer_fits(1'000'000, Bandwidth{1}));
  CHECK(transfer_time(kLongestDuration, 1'000'000, Bandwidth{1}) == 2 * kLongestDuration);
  CHECK_FALSE(transfer_fits(1'000'001, Bandwidth{1}));
  CHECK_FALSE(transfer_fits(Bytes{1} << 62U, Bandwidth{1e-300}));  // infinite in between
  CHECK(transfer_fits(Bytes{1} << 62U, Bandwidth{}));
}

TEST_CASE("sizes: decimal and binary prefixes, one blank at most") {
  const std::initializer_list<std::pair<const char*, Bytes>> sizes = {
      {"0", 0},
      {"512", 512},
      {"7B", 7},
      {"2kB", 2'000},
      {"2KB", 2'000},
      {"2KiB", 2'048},
      {"1.5MB", 1'500'000},
      {"64MiB", 67'108'864},
      {"64 MiB", 67'108'864},
      {"1.5GB", 1'500'000'000},
      {"4GiB", 4'294'967'296},
      {"1TiB", 1'099'511'627'776},
      {"0.5B", 1},
      {"9007199254740993", 9'007'199'254'740'993},
      {"4611686018427387903B", (Bytes{1} << 62U) - 1},
      {"4194304TiB", Bytes{1} << 62U},
      {"1e3", 1'000}};
  for (const auto& [text, bytes] : sizes) {
    CAPTURE(text);
    CHECK(parse_bytes(text) == bytes);
  }
}

TEST_CASE("what is not a size is nothing") {
  for (const char* text :
       {"", "B", "MiB", "-1", "-1MiB", "1 MIB", "1mb", "1  MiB", "1MiB ", "inf", "nan", "1e400",
        "5EB", "4612PB", "1MiB/s", "4611686018427387905", "4194305TiB", "99999999999999999999B"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text).has_value());
  }
  CHECK(parse_bytes("4611PB") == 4'611'000'000'000'000'000);  // 2^62 is 4.6117e18
}

TEST_CASE("bandwidths in bytes and in bits a second") {
  const std::initializer_list<std::pair<const char*, double>> bandwidths = {
      {"400GB/s", 400e9}, {"50Gbit/s", 6.25e9}, {"1 Tbit/s", 1.25e11},
      {"8kbit/s", 1000},  {"1MiB/s", 1048576},  {"0.5B/s", 0.5}};
  for (const auto& [text, bytes_per_second] : bandwidths) {
    CAPTURE(text);
    REQUIRE(parse_bandwidth(text).has_value());
    CHECK(parse_bandwidth(text)->bytes_per_second == bytes_per_second);
  }
  CHECK(parse_bandwidth("inf") == Bandwidth{});
}

TEST_CASE("what is not a positive bandwidth is nothing") {
  for (const char* text : {"", "0B/s", "-1GB/s", "400", "400GB", "400Gb/s", "infinity", "nan",
                           "infGB/s", "1e308GB/s"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bandwidth(text).has_value());
  }
}

TEST_CASE("texts of sizes and bandwidths parse back to the same value") {
  CHECK(bytes_text(0) == "0B");
  CHECK(bytes_text(1000) == "1000B");
  CHECK(bytes_text(1024) == "1KiB");
  CHECK(bytes_text(67'108'864) == "64MiB");
  CHECK(bytes_text(67'108'865) == "67108865B");
  CHECK(bandwidth_text(Bandwidth{}) == "inf");
  CHECK(bandwidth_text(Bandwidth{400e9}) == "400GB/s");
  CHECK(bandwidth_text(Bandwidth{6.25e9}) == "6.25GB/s");
  for (const Bytes bytes : {Bytes{1}, Bytes{1536}, Bytes{1} << 40, (Bytes{1} << 52) + 1}) {
    CHECK(parse_bytes(bytes_text(bytes)) == bytes);
  }
  for (const double value : {1.0, 3.0, 1e9 / 3, 1e-3, 123456789.0, 0.1 + 0.2}) {
    CHECK(parse_bandwidth(bandwidth_text(Bandwidth{value})) == Bandwidth{value});
  }
}

TEST_CASE("durations for people have four significant digits at most") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(999) == "999 ns");
  CHECK(duration_text(18'500) == "18.5 us");
  CHECK(duration_text(3'240'000) == "3.24 ms");
  CHECK(duration_text(-3'240'000) == "-3.24 ms");
  CHECK(duration_text(12'345'678'901) == "12.35 s");
}

TEST_CASE("a duration is shown in the largest unit of which it has one") {
  CHECK(duration_text(1'000) == "1 us");
  CHECK(duration_text(999'900) == "999.9 us");
  CHECK(duration_text(1'000'000) == "1 ms");
  CHECK(duration_text(1'000'000'000) == "1 s");
}

}  // namespace
}  // namespace steptwin
