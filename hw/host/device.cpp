#include "hw/host/device.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "hw/host/alarm.h"
#include "hw/host/clock.h"
#include "hw/host/products.h"
#include "hw/host/stream.h"

namespace steptwin::hw {
namespace {

// Some words of a page of 4 KiB are enough to see that it has arrived.
constexpr std::size_t kWordsPerPage = 512;

struct Record {
  std::int64_t kernel = 0;
  KernelTimes times;
};

void check_words(std::span<const std::uint64_t> words, Pattern pattern, std::size_t step,
                 const std::string& what) {
  const std::size_t wrong = find_mismatch(words, pattern, step);
  if (wrong == words.size()) return;
  throw std::runtime_error(
      fmt::format("{} brought wrong data: word {} of {} is {:#018x} and should be {:#018x}", what,
                  wrong, words.size(), words[wrong], pattern.base + wrong * pattern.stride));
}

}  // namespace

// A stream and what its thread alone uses: room for what is sent and received, the matrices, and
// the times of the kernels it has ended.
struct HostDevice::Lane {
  explicit Lane(Stop& stop) : alarm(stop), stream(stop) {}

  std::vector<std::vector<std::uint64_t>>
      room;  // by part: a payload; or what is brought, and the results
  std::unique_ptr<Products> products;
  std::vector<Record> records;
  std::vector<std::pair<std::int32_t, std::vector<TimeSpan>>> parts;  // from the first on
  Alarm alarm;
  std::atomic<bool> is_working{false};
  HostStream stream;  // last: its thread ends before the rest goes

  std::span<std::uint64_t> room_for(std::size_t part, std::size_t words) {
    if (room.size() <= part) room.resize(part + 1);
    if (room[part].size() < words) room[part].resize(words);
    return std::span(room[part]).first(words);
  }
};

// Says so while the lane's thread does what needs no other.
struct HostDevice::Working {
  explicit Working(Lane& of) : lane(of) { lane.is_working = true; }
  ~Working() { lane.is_working = false; }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

  Lane& lane;
};

HostDevice::HostDevice(std::int32_t rank, std::size_t streams, std::size_t events,
                       const HostSettings& settings, HostLinks& links, Stop& stop)
    : rank_(rank), settings_(settings), links_(links), stop_(stop), events_(events) {
  for (std::size_t index = 0; index < streams; ++index) {
    lanes_.push_back(std::make_unique<Lane>(stop));
  }
}

HostDevice::~HostDevice() = default;

void HostDevice::end() {
  for (const auto& each : lanes_) each->stream.end();
}

void HostDevice::begin(const Iteration& iteration) {
  iteration_ = iteration;
  for (const auto& each : lanes_) {
    each->stream.reset();
    each->records.clear();
    each->parts.clear();
  }
  const std::lock_guard lock(mutex_);
  std::fill(events_.begin(), events_.end(), Event());
}

std::size_t HostDevice::word_step() const {
  return iteration_.every_byte ? 1 : kWordsPerPage;
}

void HostDevice::compute(std::int32_t stream, std::int64_t kernel, const ComputeWork& work) {
  Lane& own = lane(stream);
  own.stream.append([this, &own, kernel, work] {
    const Working working(own);
    const TimeNs start = host_now_ns();
    if (settings_.kernels == KernelMode::timed) {
      own.alarm.sleep_until(start + work.duration_ns);
    } else {
      constexpr double kNanosecond = 1e-9;
      if (!own.products) own.products = std::make_unique<Products>();
      own.products->perform(
          static_cast<double>(work.duration_ns) * kNanosecond * settings_.flops_per_second, stop_);
    }
    own.records.push_back({kernel, {0, start, start, host_now_ns()}});
  });
}

std::vector<End> HostDevice::prepared_ends(Lane& own, const Transfers& transfers) const {
  const Working working(own);
  std::vector<End> ends;
  for (std::size_t index = 0; index < transfers.parts.size(); ++index) {
    const Transfer& part = transfers.parts[index];
    ends.push_back({part, own.room_for(index, words_of(part.bytes)), {}});
    if (part.is_send) write_pattern(ends.back().words, part.pattern, word_step());
  }
  return ends;
}

void HostDevice::transfer(std::int32_t stream, std::int64_t kernel, Transfers transfers) {
  Lane& own = lane(stream);
  own.stream.append([this, &own, kernel, transfers = std::move(transfers)] {
    std::vector<End> ends = prepared_ends(own, transfers);
    const TimeNs ready = host_now_ns();
    links_.transfer(rank_, transfers.communicator, ends);
    KernelTimes times{0, ready, ends.front().span.begin_ns, 0};
    std::vector<TimeSpan> spans;
    for (const End& end : ends) {
      spans.push_back(end.span);
      times.start_ns = std::min(times.start_ns, end.span.begin_ns);
      times.end_ns = std::max(times.end_ns, end.span.end_ns);
    }
    times.start_ns = std::max(times.start_ns, ready);  // an eager send may have begun before
    own.records.push_back({kernel, times});
    own.parts.emplace_back(transfers.first_part, std::move(spans));
    const Working working(own);
    for (const End& end : ends) {
      if (end.transfer.is_send) continue;
      check_words(end.words, end.transfer.pattern, word_step(),
                  fmt::format("kernel {} of rank {}: the receive from rank {}", kernel, rank_,
                              end.transfer.peer));
    }
  });
}

void HostDevice::collective(std::int32_t stream, std::int64_t kernel, Collective call) {
  Lane& own = lane(stream);
  own.stream.append([this, &own, kernel, call = std::move(call)] {
    const auto [brought, results] = prepared_blocks(own, call);
    const TimeNs ready = host_now_ns();
    const TimeSpan span = links_.collective(call, brought, results);
    own.records.push_back({kernel, {0, ready, span.begin_ns, span.end_ns}});
    const Working working(own);
    const std::size_t size = words_of(call.block_bytes);
    for (std::size_t block = 0; block < result_blocks(call); ++block) {
      check_words(results.subspan(block * size, size), result_pattern(call, block), word_step(),
                  fmt::format("kernel {} of rank {}: block {} of the {}", kernel, rank_, block,
                              name_of(call.kind)));
    }
  });
}

// What the rank brings, and room for what it gets.
std::pair<HostDevice::Words, HostDevice::Words> HostDevice::prepared_blocks(
    Lane& own, const Collective& call) const {
  const Working working(own);
  const std::size_t size = words_of(call.block_bytes);
  const std::size_t blocks = brought_blocks(call);
  const Words brought = own.room_for(0, blocks * size);
  for (std::size_t block = 0; block < blocks; ++block) {
    write_pattern(brought.subspan(block * size, size), brought_pattern(call, block), word_step());
  }
  return {brought, own.room_for(1, result_blocks(call) * size)};
}

void HostDevice::copy(std::int32_t stream, std::int64_t kernel, const Copy& copy) {
  Lane& own = lane(stream);
  own.stream.append([&own, kernel, copy] {
    const Working working(own);
    const std::span<std::uint64_t> from = own.room_for(0, words_of(copy.bytes));
    const std::span<std::uint64_t> to = own.room_for(1, words_of(copy.bytes));
    const TimeNs start = host_now_ns();
    std::copy(from.begin(), from.end(), to.begin());
    own.alarm.sleep_until(start + copy.link_ns);
    own.records.push_back({kernel, {0, start, start, host_now_ns()}});
  });
}

void HostDevice::record(std::int32_t event, std::int32_t stream) {
  const std::lock_guard lock(mutex_);
  events_[static_cast<std::size_t>(event)] = {stream, lane(stream).stream.appended()};
  recorded_.notify_all();
}

void HostDevice::await_event(std::int32_t index) {
  std::unique_lock lock(mutex_);
  const Event& event = events_[static_cast<std::size_t>(index)];
  if (!recorded_.wait(lock, stop_.token(), [&] { return event.stream >= 0; })) throw Stopped();
  const Event found = event;
  lock.unlock();
  lane(found.stream).stream.await_passed(found.covered);
}

void HostDevice::wait(std::int32_t stream, std::int32_t event) {
  lane(stream).stream.append([this, event] { await_event(event); });
}

void HostDevice::host_wait(std::int32_t event) {
  await_event(event);
}

std::vector<std::int32_t> HostDevice::passed() {
  std::vector<std::int32_t> counts;
  for (const auto& each : lanes_) counts.push_back(each->stream.passed());
  return counts;
}

bool HostDevice::is_working() {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& each) { return each->is_working.load(); });
}

void HostDevice::drain() {
  for (const auto& each : lanes_) each->stream.await_all();
}

void HostDevice::collect(Stamps& stamps) {
  for (const auto& each : lanes_) {
    for (const Record& record : each->records) {
      KernelTimes& times = stamps.kernels[static_cast<std::size_t>(record.kernel)];
      const TimeNs enqueued = times.enqueue_ns;
      times = record.times;
      times.enqueue_ns = enqueued;
    }
    for (const auto& [first_part, spans] : each->parts) {
      std::copy(spans.begin(), spans.end(), stamps.parts.begin() + first_part);
    }
  }
}

}  // namespace steptwin::hw
