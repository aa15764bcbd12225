#include <array>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/formats/quoted_text.h"
#include "model/hooks.h"
#include "reports/csv_rows.h"
#include "reports/trace_csv.h"
#include "reports/trace_csv_parts.h"

namespace steptwin::reports {
namespace {

constexpr std::array<std::string_view, 18> kKernelColumns = {
    "kernel",    "rank",       "thread",   "stream",   "kind",   "part",
    "direction", "step",       "stage",    "micro",    "layer",  "peer",
    "bytes",     "enqueue_ns", "ready_ns", "start_ns", "end_ns", "part_spans_ns"};
constexpr std::array<std::string_view, 7> kHostColumns = {"rank",   "thread",   "command", "hook",
                                                          "kernel", "begin_ns", "end_ns"};

// Bounds of what is read, so that no sum overflows and no count fills the memory.
constexpr std::int64_t kMostRanks = 1 << 20;
constexpr std::int64_t kMostIndex = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

// The names of a rank's streams or threads, numbered as they appear.
class Names {
 public:
  std::int32_t number_of(const std::string& name) {
    const auto [place, is_new] =
        numbers_.try_emplace(name, static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return place->second;
  }

  // Moves `name` to the front, if it is there; returns where each number went.
  std::vector<std::int32_t> put_first(const std::string& name) {
    std::vector<std::int32_t> moved(names_.size());
    const auto found = numbers_.find(name);
    const std::int32_t old_first =
        found == numbers_.end() ? 0 : found->second;  // nothing moves if it is 0
    std::vector<std::string> ordered(names_.size());
    for (std::size_t old = 0; old < names_.size(); ++old) {
      const auto number = static_cast<std::int32_t>(old);
      moved[old] = number == old_first ? 0 : number < old_first ? number + 1 : number;
      ordered[static_cast<std::size_t>(moved[old])] = names_[old];
    }
    names_ = std::move(ordered);
    return moved;
  }

  const std::vector<std::string>& list() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

struct RankNames {
  Names streams;
  Names threads;
};

// The enumerator of a name, by asking each for its name. `last` is the last enumerator.
template <typename Enum>
Enum named(const CsvRows& rows, std::size_t column, Enum last) {
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    if (name_of(static_cast<Enum>(value)) == rows.text(column)) return static_cast<Enum>(value);
  }
  throw rows.error_at(column, fmt::format("{} is unknown", quoted_text(rows.text(column))),
                      fmt::format("one like \"{}\"", name_of(Enum{})));
}

std::int32_t index_in(const CsvRows& rows, std::size_t column, std::int64_t least,
                      std::int64_t most) {
  return static_cast<std::int32_t>(rows.integer(column, least, most));
}

// Numbered from 1 in the file, from 0 in a Trace.
std::int32_t layer_in(const CsvRows& rows, std::size_t column) {
  const std::int32_t number = index_in(rows, column, -1, kMostIndex);
  if (number == 0) throw rows.error_at(column, "layer is \"0\"", "a layer from 1, or -1 for none");
  return number < 0 ? -1 : number - 1;
}

TimeNs time_in(const CsvRows& rows, std::size_t column) {
  return rows.integer(column, -kLongestDuration, kLongestDuration);
}

std::vector<std::int32_t> peers_in(const CsvRows& rows, std::size_t column) {
  std::vector<std::int32_t> peers;
  const std::string& text = rows.text(column);
  const char* end = text.data() + text.size();
  for (const char* cursor = text.data(); cursor != end;) {
    std::int32_t peer = 0;
    const auto [stop, code] = std::from_chars(cursor, end, peer);
    const bool ends_well = stop == end || (*stop == ';' && stop + 1 != end);
    if (code != std::errc() || !ends_well || peer < 0 || peer >= kMostRanks) {
      throw rows.error_at(column, fmt::format("peer is {}", quoted_text(text)),
                          "ranks, as in \"1;3\"");
    }
    peers.push_back(peer);
    cursor = stop == end ? end : stop + 1;
  }
  return peers;
}

RankNames& names_of(std::vector<RankNames>& ranks, std::int32_t rank) {
  const auto position = static_cast<std::size_t>(rank);
  if (position >= ranks.size()) ranks.resize(position + 1);
  return ranks[position];
}

KernelTimes times_in(const CsvRows& rows) {
  const KernelTimes times{time_in(rows, 13), time_in(rows, 14), time_in(rows, 15),
                          time_in(rows, 16)};
  if (times.start_ns < times.ready_ns) {
    throw rows.error_at(15, "the kernel starts before it is ready", "ready <= start <= end");
  }
  if (times.end_ns < times.start_ns) {
    throw rows.error_at(16, "the kernel ends before it starts", "ready <= start <= end");
  }
  return times;
}

void read_kernels(CsvRows& rows, Trace& trace, std::vector<RankNames>& ranks) {
  rows.expect(kKernelColumns);
  while (rows.next()) {
    TraceKernel kernel;
    kernel.kernel = rows.integer(0, 0, std::numeric_limits<std::int64_t>::max());
    if (!trace.kernels.empty() && kernel.kernel <= trace.kernels.back().kernel) {
      throw rows.error_at(0,
                          fmt::format("kernel {} comes after kernel {}", kernel.kernel,
                                      trace.kernels.back().kernel),
                          "ascending ids");
    }
    kernel.rank = index_in(rows, 1, 0, kMostRanks - 1);
    kernel.thread = names_of(ranks, kernel.rank).threads.number_of(rows.text(2));
    kernel.stream = names_of(ranks, kernel.rank).streams.number_of(rows.text(3));
    kernel.kind = named(rows, 4, KernelKind::copy);
    kernel.part = named(rows, 5, Part::load);
    kernel.direction = named(rows, 6, Direction::backward_weight);
    kernel.stage = index_in(rows, 8, -1, kMostIndex);
    kernel.micro = index_in(rows, 9, -1, kMostIndex);
    kernel.layer = layer_in(rows, 10);
    kernel.peers = peers_in(rows, 11);
    kernel.bytes = rows.integer(12, 0, kMostBytes);
    kernel.times = times_in(rows);
    read_step_and_parts(rows, {7, 17}, kernel, trace.parts);
    trace.kernels.push_back(std::move(kernel));
  }
}

// The thread is still numbered as the files name it: what is forward is said by its name.
void read_hook(const CsvRows& rows, std::size_t column, bool forward, HostRecord& record) {
  const auto place = hook_labelled(rows.text(column));
  if (!place) {
    throw rows.error_at(column, fmt::format("hook is {}", quoted_text(rows.text(column))),
                        "letter and layer from 1, as in \"A2\", or \"D_LAST\"");
  }
  record.hook = place->hook;
  record.layer = place->layer;
  if (record.hook == Hook::none) return;
  const HookRoles roles = hook_roles(record.hook, forward);
  record.role = record.command == CommandType::notify ? roles.previous : roles.next;
}

void read_host(CsvRows& rows, Trace& trace, std::vector<RankNames>& ranks) {
  rows.expect(kHostColumns);
  while (rows.next()) {
    HostRecord record;
    record.rank = index_in(rows, 0, 0, kMostRanks - 1);
    record.thread = names_of(ranks, record.rank).threads.number_of(rows.text(1));
    record.command = named(rows, 2, CommandType::join);
    read_hook(rows, 3, rows.text(1) == "main", record);
    record.kernel = rows.integer(4, -1, std::numeric_limits<std::int64_t>::max());
    record.begin_ns = time_in(rows, 5);
    record.end_ns = time_in(rows, 6);
    if (record.end_ns < record.begin_ns) {
      throw rows.error_at(6, "the record ends before it begins", "begin <= end");
    }
    trace.host.push_back(record);
  }
}

// Gives ranks their names, with compute and main first.
void settle_names(std::vector<RankNames>& ranks, Trace& trace) {
  std::vector<std::vector<std::int32_t>> streams;
  std::vector<std::vector<std::int32_t>> threads;
  for (RankNames& rank : ranks) {
    streams.push_back(rank.streams.put_first("compute"));
    threads.push_back(rank.threads.put_first("main"));
    trace.ranks.push_back({rank.streams.list(), rank.threads.list()});
  }
  const auto moved = [](const auto& moves, std::int32_t rank, std::int32_t number) {
    return moves[static_cast<std::size_t>(rank)][static_cast<std::size_t>(number)];
  };
  for (TraceKernel& kernel : trace.kernels) {
    kernel.stream = moved(streams, kernel.rank, kernel.stream);
    kernel.thread = moved(threads, kernel.rank, kernel.thread);
  }
  for (HostRecord& record : trace.host) {
    record.thread = moved(threads, record.rank, record.thread);
  }
}

Trace read_both(CsvRows& kernels, CsvRows* host) {
  Trace trace;
  std::vector<RankNames> ranks;
  if (host != nullptr) read_host(*host, trace, ranks);
  read_kernels(kernels, trace, ranks);
  settle_names(ranks, trace);
  return trace;
}

}  // namespace

Trace read_trace_csv(const std::string& trace_file) {
  CsvRows kernels(trace_file);
  return read_both(kernels, nullptr);
}

Trace read_trace_csv(const std::string& trace_file, const std::string& host_file) {
  CsvRows kernels(trace_file);
  CsvRows host(host_file);
  return read_both(kernels, &host);
}

Trace parse_trace_csv(const NamedText& trace, const NamedText& host) {
  CsvRows kernels(trace.name, trace.text);
  CsvRows records(host.name, host.text);
  return read_both(kernels, &records);
}

}  // namespace steptwin::reports
