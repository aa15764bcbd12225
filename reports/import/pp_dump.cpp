#include "reports/import/pp_dump.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <utility>

#include "model/formats/named_file.h"
#include "model/formats/quoted_text.h"
#include "reports/import/json_events.h"
#include "reports/occupancy.h"

namespace steptwin::reports {
namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 20U;
constexpr std::int32_t kMostRanks = 1 << 16;
constexpr std::int32_t kMostMicroBatches = 1 << 20;
constexpr double kUsPerMs = 1e3;
constexpr double kNsPerMs = 1e6;

constexpr std::array<std::string_view, 6> kMembers = {"total",   "memory",    "fwd_start",
                                                      "fwd_end", "bwd_start", "bwd_end"};

std::string member_list() {
  std::string list;
  for (const std::string_view member : kMembers) {
    if (!list.empty()) list += ", ";
    list += member;
  }
  return list;
}
constexpr std::size_t kTotal = 0;
constexpr std::size_t kMemory = 1;
constexpr std::size_t kFirstArray = 2;

struct Config {
  std::int32_t ranks = -1;
  std::int32_t chunks = -1;
  std::int32_t micro_batches = -1;
};

// The three members of config.json that count; they stand in its outermost object.
class ConfigHandler {
 public:
  ConfigHandler(const std::string& file, std::string_view text) : file_(file), json_(file, text) {}

  Config read() {
    json_.read(*this);
    require(config_.ranks, "pp_size");
    require(config_.chunks, "vp_size");
    require(config_.micro_batches, "num_mbs");
    return config_;
  }

  void key(std::string_view name) {
    if (depth_ == 1) name_ = name;
  }
  void begin(bool is_object) {
    if (depth_ == 0 && !is_object) throw json_.error("this is no object", "an object");
    ++depth_;
    name_.clear();
  }
  void end() { --depth_; }
  void scalar(const JsonScalar& value) {
    if (depth_ == 0) throw json_.error("this is no object", "an object");
    if (name_ == "pp_size") take(value, config_.ranks, kMostRanks);
    if (name_ == "vp_size") take(value, config_.chunks, 1);
    if (name_ == "num_mbs") take(value, config_.micro_batches, kMostMicroBatches);
  }

 private:
  void take(const JsonScalar& value, std::int32_t& member, std::int32_t most) const {
    if (!value.is_number || value.number != std::floor(value.number) || value.number < 1) {
      throw json_.error(fmt::format("{} is not a count", name_), "a whole number from 1");
    }
    if (value.number > most) {
      throw json_.error(fmt::format("{} is {}", name_, value.number),
                        most == 1 ? "1: runs with interleaved chunks are not read"
                                  : fmt::format("at most {}", most));
    }
    if (member >= 0) throw json_.error(fmt::format("{} is there twice", name_), "it once");
    member = static_cast<std::int32_t>(value.number);
  }

  void require(std::int32_t member, std::string_view name) const {
    if (member < 0) {
      throw Error({file_, 1, 1}, fmt::format("{} is missing", name),
                  "pp_size, vp_size and num_mbs");
    }
  }

  std::string file_;
  JsonReading<ConfigHandler> json_;
  Config config_;
  std::string name_;
  int depth_ = 0;
};

// The iterations of one rank.
class RankHandler {
 public:
  RankHandler(const std::string& file, std::string_view text, std::int32_t micro_batches)
      : json_(file, text), micro_batches_(static_cast<std::size_t>(micro_batches)) {}

  std::vector<std::pair<std::int32_t, PpRank>> read() {
    json_.read(*this);
    return std::move(iterations_);
  }

  void key(std::string_view name) {
    if (depth_ == 1) return begin_iteration(name);
    const auto found = std::find(kMembers.begin(), kMembers.end(), name);
    if (found == kMembers.end()) {
      throw json_.error(fmt::format("there is no member {}", quoted_text(name)), member_list());
    }
    member_ = static_cast<std::size_t>(found - kMembers.begin());
    if (has_[member_]) throw json_.error(fmt::format("{} is there twice", name), "it once");
    has_[member_] = true;
  }

  void begin(bool is_object) {
    const bool fits = depth_ < 2 ? is_object : depth_ == 2 && !is_object && member_ >= kFirstArray;
    if (!fits) {
      throw json_.error(fmt::format("this is {}", is_object ? "an object" : "an array"),
                        depth_ < 2                                ? "an object"
                        : (depth_ == 2 && member_ >= kFirstArray) ? "an array"
                                                                  : kTime);
    }
    ++depth_;
  }

  void scalar(const JsonScalar& value) {
    if (depth_ < 2) throw json_.error("this is no object", "an object");
    if (depth_ == 2 && member_ >= kFirstArray) throw json_.error("this is no array", "an array");
    const double most = static_cast<double>(kLongestDuration) / kNsPerMs;
    if (!value.is_number || value.number < 0 || value.number > most) {
      throw json_.error("this is no duration", kTime);
    }
    if (depth_ == 3) {
      arrays_[member_ - kFirstArray].push_back(nanoseconds_from_us(value.number * kUsPerMs));
    } else if (member_ == kTotal) {
      rank_.total_ns = nanoseconds_from_us(value.number * kUsPerMs);
    } else {
      rank_.memory_gb = value.number;
    }
  }

  void end() {
    --depth_;
    if (depth_ == 2) end_array();
    if (depth_ == 1) end_iteration();
  }

 private:
  static constexpr const char* kTime = "milliseconds from 0 to 1e9";

  void begin_iteration(std::string_view name) {
    std::int32_t number = 0;
    const char* end = name.data() + name.size();
    const auto [stop, code] = std::from_chars(name.data(), end, number);
    if (code != std::errc() || stop != end || number < 0) {
      throw json_.error(fmt::format("{} is no iteration", quoted_text(name)),
                        "the number of one, as in \"1\"");
    }
    if (!iterations_.empty() && number <= iterations_.back().first) {
      throw json_.error(
          fmt::format("iteration {} comes after iteration {}", number, iterations_.back().first),
          "ascending iterations");
    }
    iterations_.emplace_back(number, PpRank{});
    rank_ = {};
    has_ = {};
    arrays_ = {};
  }

  void end_array() {
    const std::size_t count = arrays_[member_ - kFirstArray].size();
    if (count == micro_batches_) return;
    throw json_.error(fmt::format("{} of iteration {} has {} entries", kMembers[member_],
                                  iterations_.back().first, count),
                      fmt::format("{}, as num_mbs in config.json", micro_batches_));
  }

  void end_iteration() {
    for (std::size_t member = 0; member < kMembers.size(); ++member) {
      if (has_[member] || member == kMemory) continue;
      throw json_.error(
          fmt::format("iteration {} has no {}", iterations_.back().first, kMembers[member]),
          member_list());
    }
    rank_.forward = spans("forward", arrays_[0], arrays_[1]);
    rank_.backward = spans("backward", arrays_[2], arrays_[3]);
    iterations_.back().second = std::move(rank_);
  }

  std::vector<Interval> spans(std::string_view kind, const std::vector<TimeNs>& starts,
                              const std::vector<TimeNs>& ends) const {
    std::vector<Interval> spans;
    for (std::size_t micro = 0; micro < starts.size(); ++micro) {
      const auto wrong = [&](std::string_view what) {
        return json_.error(fmt::format("in iteration {} the {} of micro-batch {} ends {}",
                                       iterations_.back().first, kind, micro, what),
                           "start <= end <= total");
      };
      if (ends[micro] < starts[micro]) throw wrong("before it starts");
      if (ends[micro] > rank_.total_ns) throw wrong("after the total");
      spans.push_back({starts[micro], ends[micro]});
    }
    return spans;
  }

  JsonReading<RankHandler> json_;
  std::size_t micro_batches_;
  std::vector<std::pair<std::int32_t, PpRank>> iterations_;
  PpRank rank_;
  std::array<bool, kMembers.size()> has_ = {};
  std::array<std::vector<TimeNs>, 4> arrays_;
  std::size_t member_ = 0;
  int depth_ = 0;
};

std::string text_of(const std::string& path, std::string_view expected) {
  return read_named_file(path, {path, 0, 0}, kMostBytes, expected);
}

void add_rank(PpDump& dump, std::int32_t rank) {
  const std::string file = pp_rank_file(dump.folder, rank);
  const std::string text =
      text_of(file, fmt::format("a file for each of the {} ranks of config.json", dump.ranks));
  auto iterations = read_pp_rank(text, file, dump.micro_batches);
  if (rank == 0) {
    for (const auto& [number, unused] : iterations) dump.iterations.push_back({number, {}});
  }
  const bool is_same = std::equal(
      iterations.begin(), iterations.end(), dump.iterations.begin(), dump.iterations.end(),
      [](const auto& own, const PpIteration& first) { return own.first == first.number; });
  if (!is_same) {
    throw Error({file, 1, 1}, "the iterations are not those of rank 0", "the same on every rank");
  }
  for (std::size_t index = 0; index < iterations.size(); ++index) {
    dump.iterations[index].ranks.push_back(std::move(iterations[index].second));
  }
}

}  // namespace

std::vector<std::pair<std::int32_t, PpRank>> read_pp_rank(std::string_view text,
                                                          const std::string& file,
                                                          std::int32_t micro_batches) {
  auto iterations = RankHandler(file, text, micro_batches).read();
  if (iterations.empty()) throw Error({file, 1, 1}, "there is no iteration", "at least one");
  return iterations;
}

std::string pp_rank_file(const std::string& folder, std::int32_t rank) {
  return (std::filesystem::path(folder) / fmt::format("pp_rank_{}.json", rank)).string();
}

bool is_pp_dump(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(folder) / "config.json", ignored) &&
         std::filesystem::exists(pp_rank_file(folder, 0), ignored);
}

PpDump read_pp_dump(const std::string& folder) {
  const std::string config_file = (std::filesystem::path(folder) / "config.json").string();
  const std::string config_text = text_of(config_file, "the shape of the run");
  const Config config = ConfigHandler(config_file, config_text).read();
  PpDump dump{folder, config.ranks, config.micro_batches, {}};
  for (std::int32_t rank = 0; rank < dump.ranks; ++rank) add_rank(dump, rank);
  std::error_code ignored;
  const std::string surplus = pp_rank_file(folder, dump.ranks);
  if (std::filesystem::exists(surplus, ignored)) {
    throw Error({surplus, 0, 0}, "there is no such rank",
                fmt::format("{} ranks, as pp_size in config.json", dump.ranks));
  }
  return dump;
}

TimeNs step_time_ns(const PpIteration& iteration) {
  TimeNs longest = 0;
  for (const PpRank& rank : iteration.ranks) longest = std::max(longest, rank.total_ns);
  return longest;
}

TimeNs compute_ns(const PpRank& rank) {
  std::vector<Interval> spans = rank.forward;
  spans.insert(spans.end(), rank.backward.begin(), rank.backward.end());
  return IntervalSet(std::move(spans)).measure_ns();
}

std::optional<double> bubble_ratio(const PpIteration& iteration, std::int32_t rank) {
  const TimeNs step_ns = step_time_ns(iteration);
  return ratio_of(step_ns - compute_ns(iteration.ranks[static_cast<std::size_t>(rank)]), step_ns);
}

std::optional<double> mean_bubble_ratio(const PpIteration& iteration) {
  double sum = 0;
  for (std::size_t rank = 0; rank < iteration.ranks.size(); ++rank) {
    const auto ratio = bubble_ratio(iteration, static_cast<std::int32_t>(rank));
    if (!ratio) return std::nullopt;
    sum += *ratio;
  }
  return sum / static_cast<double>(iteration.ranks.size());
}

}  // namespace steptwin::reports
