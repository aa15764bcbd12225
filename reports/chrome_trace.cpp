#include "reports/chrome_trace.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/append_format.h"
#include "model/hooks.h"
#include "reports/activations.h"
#include "reports/decimal.h"
#include "reports/output_text.h"
#include "reports/slice_names.h"
#include "reports/trace_index.h"
#include "reports/transfers.h"

namespace steptwin::reports {
namespace {

constexpr std::int64_t kLanesSorted = 64;                  // tracks of one stream that sort apart
constexpr std::int64_t kHostSort = std::int64_t{1} << 30;  // host threads below all streams

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
      quoted += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
    } else {
      quoted += letter;
    }
  }
  return quoted + "\"";
}

std::string peers_text(const TraceKernel& kernel) {
  std::string text;
  for (const std::int32_t peer : kernel.peers) {
    if (!text.empty()) text += ';';
    text += fmt::format_int(peer).c_str();
  }
  return text;
}

// Puts kernels of a stream on as few lanes as do without overlaps: the lowest that is free.
class Lanes {
 public:
  std::size_t place(Interval interval) {
    std::size_t lane = 0;
    while (lane < free_from_.size() && free_from_[lane] > interval.begin_ns) ++lane;
    if (lane == free_from_.size()) free_from_.push_back(0);
    free_from_[lane] = interval.end_ns;
    return lane;
  }

 private:
  std::vector<TimeNs> free_from_;
};

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, std::ostream& out, const ProgressCallback& progress)
      : index_(trace),
        names_(index_),
        track_of_kernel_(trace.kernels.size()),
        next_track_(trace.ranks.size()),
        drawn_of_rank_(trace.ranks.size()),
        output_(out),
        progress_(progress) {}

  void write() {
    out_buffer("{{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (std::int32_t rank = 0; rank < index_.ranks(); ++rank) rank_tracks(rank);
    order_host_records();
    find_arrows();
    for (std::int32_t rank = 0; rank < index_.ranks(); ++rank) rank_slices(rank);
    counters();
    for (std::size_t arrow = 0; arrow < arrows_.size(); ++arrow) draw_arrow(arrow);
    out_buffer("\n]}}\n");
    output_.flush();
  }

 private:
  template <typename... Values>
  void out_buffer(fmt::format_string<Values...> format, Values&&... values) {
    append_format(output_.text, format, std::forward<Values>(values)...);
    if (output_.is_long()) output_.flush();
  }

  // A kernel or an arrow is written.
  void step_done() {
    constexpr std::size_t kProgressEvery = 1 << 14;
    if (++steps_done_ % kProgressEvery != 0 || !progress_) return;
    progress_(steps_done_, track_of_kernel_.size() + arrows_.size());
  }

  // One event a line.
  template <typename... Values>
  void event(fmt::format_string<Values...> format, Values&&... values) {
    out_buffer("{}", is_first_ ? "\n" : ",\n");
    is_first_ = false;
    out_buffer(format, std::forward<Values>(values)...);
  }

  void track(std::int32_t rank, std::int64_t track_id, const std::string& name,
             std::int64_t sort_index) {
    event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", rank,
          track_id, json_text(name));
    event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index",)"
          R"("args":{{"sort_index":{}}}}})",
          rank, track_id, sort_index);
  }

  // Tracks 0.. are the streams, then the host threads, then further lanes of streams.
  void rank_tracks(std::int32_t rank) {
    const TraceRank& names = index_.trace().ranks[static_cast<std::size_t>(rank)];
    event(R"({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":"rank {0}"}}}})", rank);
    event(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})",
          rank);
    std::int64_t next = 0;
    for (const std::string& stream : names.streams) {
      track(rank, next, stream, next * kLanesSorted);
      ++next;
    }
    for (std::size_t thread = 0; thread < names.threads.size(); ++thread) {
      track(rank, next, "host " + names.threads[thread],
            kHostSort + static_cast<std::int64_t>(thread));
      ++next;
    }
    next_track_[static_cast<std::size_t>(rank)] = next;
    place_on_tracks(rank);
  }

  void place_on_tracks(std::int32_t rank) {
    const TraceRank& names = index_.trace().ranks[static_cast<std::size_t>(rank)];
    const std::span<const std::size_t> kernels = index_.kernels_of_rank(rank);
    std::vector<std::size_t> by_time(kernels.begin(), kernels.end());
    std::sort(by_time.begin(), by_time.end(), [this](std::size_t left, std::size_t right) {
      const Interval first = occupied(index_.kernel(left));
      const Interval second = occupied(index_.kernel(right));
      return std::tie(first.begin_ns, first.end_ns, left) <
             std::tie(second.begin_ns, second.end_ns, right);
    });
    std::vector<Lanes> lanes(names.streams.size());
    std::vector<std::vector<std::int64_t>> tracks(names.streams.size());
    for (const std::size_t position : by_time) {
      const auto stream = static_cast<std::size_t>(index_.kernel(position).stream);
      const std::size_t lane = lanes[stream].place(occupied(index_.kernel(position)));
      if (lane == tracks[stream].size()) {
        tracks[stream].push_back(lane == 0 ? static_cast<std::int64_t>(stream)
                                           : further_track(rank, stream, lane));
      }
      track_of_kernel_[position] = tracks[stream][lane];
    }
    std::stable_sort(by_time.begin(), by_time.end(), [this](std::size_t left, std::size_t right) {
      return track_of_kernel_[left] < track_of_kernel_[right];
    });
    drawn_of_rank_[static_cast<std::size_t>(rank)] = std::move(by_time);
  }

  // A simulated trace has its records in this order, one that was read need not.
  void order_host_records() {
    const std::vector<HostRecord>& records = index_.trace().host;
    host_.reserve(records.size());
    for (const HostRecord& record : records) host_.push_back(&record);
    const auto is_before = [](const HostRecord* left, const HostRecord* right) {
      return std::tie(left->rank, left->thread, left->begin_ns, left->end_ns) <
             std::tie(right->rank, right->thread, right->begin_ns, right->end_ns);
    };
    if (std::is_sorted(host_.begin(), host_.end(), is_before)) return;
    std::stable_sort(host_.begin(), host_.end(), is_before);
  }

  // Track by track: streams, host threads, further lanes of streams.
  void rank_slices(std::int32_t rank) {
    const TraceRank& names = index_.trace().ranks[static_cast<std::size_t>(rank)];
    const std::vector<std::size_t>& drawn = drawn_of_rank_[static_cast<std::size_t>(rank)];
    const auto lanes = std::partition_point(drawn.begin(), drawn.end(), [&](std::size_t kernel) {
      return track_of_kernel_[kernel] < static_cast<std::int64_t>(names.streams.size());
    });
    for (auto kernel = drawn.begin(); kernel != lanes; ++kernel) slices(*kernel);
    for (; next_host_ < host_.size() && host_[next_host_]->rank == rank; ++next_host_) {
      host_slice(*host_[next_host_]);
    }
    for (auto kernel = lanes; kernel != drawn.end(); ++kernel) slices(*kernel);
  }

  std::int64_t further_track(std::int32_t rank, std::size_t stream, std::size_t lane) {
    const TraceRank& names = index_.trace().ranks[static_cast<std::size_t>(rank)];
    const std::int64_t track_id = next_track_[static_cast<std::size_t>(rank)]++;
    track(rank, track_id, fmt::format("{} ({})", names.streams[stream], lane + 1),
          static_cast<std::int64_t>(stream) * kLanesSorted +
              std::min(static_cast<std::int64_t>(lane), kLanesSorted - 1));
    return track_id;
  }

  // "ph":"X" without its end, which differs.
  void slice_head(std::int32_t rank, std::int64_t track_id, std::string_view category,
                  std::string_view name, Interval interval) {
    event(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}","cat":"{}","args":)", rank,
          track_id, microseconds_fixed(interval.begin_ns), microseconds_fixed(interval.length_ns()),
          name, category);
  }

  void slice(const TraceKernel& kernel, std::int64_t track_id, std::string_view category,
             const std::string& name) {
    const KernelTimes& times = kernel.times;
    slice_head(kernel.rank, track_id, category, name, {times.start_ns, times.end_ns});
    out_buffer(R"({{"kernel":{},"step":"{}","stage":{},"micro":{},"layer":{})", kernel.kernel,
               name_of(kernel.step), kernel.stage, kernel.micro, layer_number(kernel.layer));
    if (kernel.kind != KernelKind::compute) {
      out_buffer(R"(,"kind":"{}","bytes":{})", name_of(kernel.kind), kernel.bytes);
    }
    if (!kernel.peers.empty()) out_buffer(R"(,"peers":"{}")", peers_text(kernel));
    out_buffer(R"(,"enqueued_us":{}}}}})", microseconds_fixed(times.enqueue_ns));
  }

  void slices(std::size_t position) {
    step_done();
    const TraceKernel& kernel = index_.kernel(position);
    const std::string name = names_.of(kernel);
    const KernelTimes& times = kernel.times;
    std::string_view category = kernel.kind == KernelKind::copy ? "copy" : "compute";
    if (is_communication(kernel.kind)) {
      category = "communication";
      if (times.start_ns > times.ready_ns) {
        slice_head(kernel.rank, track_of_kernel_[position], "wait", fmt::format("wait: {}", name),
                   {times.ready_ns, times.start_ns});
        out_buffer(R"({{"kernel":{}}}}})", kernel.kernel);
      }
    }
    slice(kernel, track_of_kernel_[position], category, name);
  }

  void host_slice(const HostRecord& record) {
    const Interval interval{record.begin_ns, record.end_ns};
    if (interval.length_ns() == 0) return;
    std::string name{name_of(record.command)};
    if (record.hook != Hook::none) {
      name += fmt::format(" {} {}", hook_label({record.hook, record.layer}), name_of(record.role));
    }
    const TraceRank& names = index_.trace().ranks[static_cast<std::size_t>(record.rank)];
    slice_head(record.rank, static_cast<std::int64_t>(names.streams.size()) + record.thread, "host",
               name, interval);
    out_buffer(R"({{"kernel":{}}}}})", record.kernel);
  }

  void find_arrows() {
    const Transfers transfers(index_);
    for (const Chunk& chunk : index_.chunks()) {
      const std::optional<Transfer> transfer = transfers.into(chunk);
      if (transfer && transfer->send != Transfer::kNoKernel) arrows_.push_back(*transfer);
    }
    std::sort(arrows_.begin(), arrows_.end(), [](const Transfer& left, const Transfer& right) {
      const TimeNs first = left.sending.begin_ns;
      const TimeNs second = right.sending.begin_ns;
      return std::tie(first, left.send, left.receive) < std::tie(second, right.send, right.receive);
    });
  }

  // An arrow leaves where bytes start to move and arrives within the receive's last nanosecond. Its
  // ends stand together, the start first: where both are at one instant, that decides.
  void draw_arrow(std::size_t arrow) {
    step_done();
    const Transfer& transfer = arrows_[arrow];
    const std::size_t id = arrow + 1;
    const TraceKernel& send = index_.kernel(transfer.send);
    const TraceKernel& receive = index_.kernel(transfer.receive);
    event(R"({{"ph":"s","pid":{},"tid":{},"ts":{},"id":{},"cat":"p2p","name":"p2p"}})", send.rank,
          track_of_kernel_[transfer.send], microseconds_fixed(transfer.sending.begin_ns), id);
    const TimeNs arrival = std::max(transfer.receiving.begin_ns, transfer.receiving.end_ns - 1);
    event(R"({{"ph":"f","bp":"e","pid":{},"tid":{},"ts":{},"id":{},"cat":"p2p","name":"p2p"}})",
          receive.rank, track_of_kernel_[transfer.receive], microseconds_fixed(arrival), id);
  }

  void counters() {
    const std::vector<std::vector<ActivationLife>> lives = activation_lives(index_);
    for (std::size_t rank = 0; rank < lives.size(); ++rank) {
      std::vector<Interval> intervals;
      for (const ActivationLife& life : lives[rank]) intervals.push_back(life.whole);
      for (const CountChange& change : count_over_time(intervals)) {
        event(R"({{"ph":"C","pid":{},"tid":0,"ts":{},"name":"activations in flight",)"
              R"("args":{{"micro-batches":{}}}}})",
              rank, microseconds_fixed(change.at_ns), change.count);
      }
    }
  }

  TraceIndex index_;
  SliceNames names_;
  std::vector<std::int64_t> track_of_kernel_;
  std::vector<std::int64_t> next_track_;                 // by rank
  std::vector<std::vector<std::size_t>> drawn_of_rank_;  // kernels by track and time
  std::vector<const HostRecord*> host_;                  // by rank, thread and time
  std::size_t next_host_ = 0;
  std::vector<Transfer> arrows_;  // by time
  std::size_t steps_done_ = 0;
  OutputText output_;
  const ProgressCallback& progress_;
  bool is_first_ = true;
};

}  // namespace

void write_chrome_trace(const Trace& trace, std::ostream& out, const ProgressCallback& progress) {
  ChromeWriter(trace, out, progress).write();
}

}  // namespace steptwin::reports
