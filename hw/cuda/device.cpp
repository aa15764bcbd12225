#include "hw/cuda/device.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "hw/cuda/patience.h"
#include "hw/cuda/ranges.h"

namespace steptwin::hw::cuda {
namespace {

// Some words of a page of 4 KiB are enough to see that it has arrived.
constexpr std::size_t kWordsPerPage = 512;

std::vector<cudaStream_t> streams_of(const std::vector<std::unique_ptr<Lane>>& lanes) {
  std::vector<cudaStream_t> streams;
  streams.reserve(lanes.size());
  for (const auto& lane : lanes) streams.push_back(lane->stream.get());
  return streams;
}

PatternWords pattern_words(Words words, Pattern pattern, std::size_t step) {
  return {words.data(), words.size(), step, pattern.base, pattern.stride};
}

}  // namespace

CudaDevice::CudaDevice(const Program& program, std::int32_t rank, std::int32_t gpu,
                       const JobNeeds& needs, const Settings& settings, Stop& stop)
    : program_(program),
      rank_(rank),
      gpu_(gpu),
      needs_(needs),
      settings_(settings),
      stop_(stop),
      range_names_(range_names(program, rank)),
      communicators_(program, rank) {
  use();
  const RankNeeds& own = needs.ranks[static_cast<std::size_t>(rank)];
  pinned_ = make_pinned_memory(sizeof(Shared));
  new (pinned_.get()) Shared();
  if (settings.kernels == KernelMode::real) matrices_ = std::make_unique<Matrices>();
  for (const StreamNeeds& stream : own.streams) {
    lanes_.push_back(std::make_unique<Lane>(stream));
    if (matrices_ && stream.computes) {
      lanes_.back()->products = std::make_unique<Products>(lanes_.back()->stream.get(), *matrices_);
    }
  }
  queue_ = std::make_unique<IssueQueue>(streams_of(lanes_), own.events);
  stopwatch_ = std::make_unique<Stopwatch>(own.kernels);
}

// A device that does not come to rest keeps its memory, which is better than to wait for ever.
CudaDevice::~CudaDevice() {
  end_watch();
  try {
    use();
    communicators_.abort();
    const Stop nobody;
    await(Patience{nobody, settings_.deadline}, "the last kernel", [this] { return is_idle(); });
  } catch (const std::exception&) {
    for (auto& each : lanes_) (void)each.release();
    (void)matrices_.release();
    (void)pinned_.release();
  }
}

void CudaDevice::use() const {
  check(cudaSetDevice(gpu_), "cudaSetDevice");
}

std::size_t CudaDevice::number(std::int64_t kernel) const {
  return static_cast<std::size_t>(needs_.number[static_cast<std::size_t>(kernel)]);
}

std::size_t CudaDevice::word_step() const {
  return iteration_.every_byte ? 1 : kWordsPerPage;
}

void CudaDevice::begin(const Iteration& iteration) {
  const Lock lock(mutex_);
  use();
  iteration_ = iteration;
  queue_->reset();
  issued_.clear();
  communications_.clear();
  shared().mismatch = {};
  constexpr int kPoison = 0xa5;
  for (const auto& each : lanes_) {
    if (!iteration.every_byte || each->words.empty()) continue;
    check(
        cudaMemsetAsync(each->words.data(), kPoison, each->words.size_bytes(), each->stream.get()),
        "cudaMemsetAsync");
  }
  if (iteration.traced && !lanes_.empty()) {
    stopwatch_->tie(lanes_.front()->stream.get(), {stop_, settings_.deadline});
  }
}

// `put`: what puts the kernel on its stream, once it is due.
template <typename Put>
void CudaDevice::append(std::int32_t stream, std::int64_t kernel, Put put) {
  const Lock lock(mutex_);
  stop_.check();
  use();
  queue_->append(stream, stopwatch_->end(number(kernel)),
                 [this, stream, kernel, put = std::move(put)] {
                   const Range range(range_names_[number(kernel)]);
                   issued_.push_back(kernel);
                   put(lane(stream));
                 });
}

// Between its two events.
template <typename Put>
void CudaDevice::put_timed(Lane& own, std::int64_t kernel, Put put) {
  if (iteration_.traced) {
    check(cudaEventRecord(stopwatch_->begin(number(kernel)), own.stream.get()), "cudaEventRecord");
  }
  put();
  check(cudaEventRecord(stopwatch_->end(number(kernel)), own.stream.get()), "cudaEventRecord");
}

void CudaDevice::compute(std::int32_t stream, std::int64_t kernel, const ComputeWork& work) {
  append(stream, kernel, [this, kernel, work](Lane& own) {
    put_timed(own, kernel, [&] { put_compute(own, work); });
  });
}

void CudaDevice::put_compute(Lane& own, const ComputeWork& work) {
  if (settings_.kernels == KernelMode::real) {
    for (const PlannedProducts& products : plans_.at({work.duration_ns, work.launches})) {
      own.products->append(products);
    }
    return;
  }
  TimeNs left = work.duration_ns;
  for (std::int32_t launches = std::max(work.launches, 1); launches > 0; --launches) {
    const TimeNs share = left / launches;
    check(spin(share, &shared().over, own.stream.get()), "spin");
    left -= share;
  }
}

void CudaDevice::transfer(std::int32_t stream, std::int64_t kernel, Transfers transfers) {
  append(stream, kernel, [this, kernel, transfers = std::move(transfers)](Lane& own) {
    put_transfers(own, kernel, transfers);
  });
}

void CudaDevice::put_transfers(Lane& own, std::int64_t kernel, const Transfers& transfers) {
  std::vector<Words> payloads;
  std::size_t taken = 0;
  for (const Transfer& part : transfers.parts) {
    payloads.push_back(own.take(taken, words_carried(part.bytes)));
    if (!part.is_send) continue;
    check(fill_pattern(pattern_words(payloads.back(), part.pattern, word_step()), own.stream.get()),
          "fill_pattern");
  }
  communications_.push_back(kernel);
  put_timed(own, kernel, [&] {
    communicators_.post(transfers, payloads, own.stream.get());
    communicators_.settle(transfers.communicator, {stop_, settings_.deadline});
  });
  for (std::size_t index = 0; index < payloads.size(); ++index) {
    const Transfer& part = transfers.parts[index];
    if (part.is_send) continue;
    check_payload(own, payloads[index], part.pattern, {kernel, static_cast<std::int32_t>(index)});
  }
}

void CudaDevice::collective(std::int32_t stream, std::int64_t kernel, Collective call) {
  append(stream, kernel,
         [this, kernel, call = std::move(call)](Lane& own) { put_collective(own, kernel, call); });
}

void CudaDevice::put_collective(Lane& own, std::int64_t kernel, const Collective& call) {
  const std::size_t block_words = words_carried(call.block_bytes);
  std::size_t taken = 0;
  const Words brought = own.take(taken, brought_blocks(call) * block_words);
  const Words results = own.take(taken, result_blocks(call) * block_words);
  const auto block_of = [&](Words words, std::size_t block) {
    return words.subspan(block * block_words, block_words);
  };
  for (std::size_t block = 0; block < brought_blocks(call); ++block) {
    check(fill_pattern(
              pattern_words(block_of(brought, block), brought_pattern(call, block), word_step()),
              own.stream.get()),
          "fill_pattern");
  }
  communications_.push_back(kernel);
  put_timed(own, kernel, [&] {
    communicators_.post(call, brought, results, own.stream.get());
    communicators_.settle(call.communicator, {stop_, settings_.deadline});
  });
  for (std::size_t block = 0; block < result_blocks(call); ++block) {
    check_payload(own, block_of(results, block), result_pattern(call, block),
                  {kernel, static_cast<std::int32_t>(block)});
  }
}

void CudaDevice::check_payload(Lane& own, Words words, Pattern pattern, CheckedPart part) {
  check(check_pattern(pattern_words(words, pattern, word_step()), part, &shared().mismatch,
                      own.stream.get()),
        "check_pattern");
}

void CudaDevice::copy(std::int32_t stream, std::int64_t kernel, const Copy& copy) {
  append(stream, kernel, [this, kernel, copy](Lane& own) {
    put_timed(own, kernel, [&] {
      if (copy.bytes == 0) return;
      void* const to = copy.to_host ? own.on_host.get() : own.on_device.get();
      const void* const from = copy.to_host ? own.on_device.get() : own.on_host.get();
      check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(copy.bytes),
                            copy.to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
                            own.stream.get()),
            "cudaMemcpyAsync");
    });
  });
}

void CudaDevice::record(std::int32_t event, std::int32_t stream) {
  const Lock lock(mutex_);
  use();
  queue_->record(event, stream);
}

void CudaDevice::wait(std::int32_t stream, std::int32_t event) {
  const Lock lock(mutex_);
  use();
  queue_->wait(stream, event);
}

void CudaDevice::host_wait(std::int32_t event) {
  await(stop_, [&] {
    const Lock lock(mutex_);
    return queue_->is_complete(event);
  });
}

std::vector<std::int32_t> CudaDevice::passed() {
  const Lock lock(mutex_);
  return queue_->passed();
}

void CudaDevice::drain() {
  await(stop_, [this] {
    const Lock lock(mutex_);
    use();
    return queue_->all_passed() && is_idle();
  });
  throw_mismatch();
}

void CudaDevice::throw_mismatch() const {
  const Mismatch& found = shared().mismatch;
  if (found.taken == 0) return;
  const Kernel& kernel = program_.kernels[static_cast<std::size_t>(found.kernel)];
  const std::string what =
      kernel.kind == KernelKind::p2p
          ? fmt::format("the receive from rank {}",
                        parts_of(program_, kernel)[static_cast<std::size_t>(found.part)].peer)
          : fmt::format("block {} of the {}", found.part, name_of(kernel.kind));
  throw std::runtime_error(
      fmt::format("kernel {} of rank {}: {} brought wrong data: word {} of {} is {:#018x} and "
                  "should be {:#018x}",
                  found.kernel, rank_, what, found.word, found.count, found.found, found.expected));
}

void CudaDevice::collect(Stamps& stamps) {
  for (const std::int64_t kernel : issued_) {
    KernelTimes& times = stamps.kernels[static_cast<std::size_t>(kernel)];
    times.ready_ns = times.start_ns = stopwatch_->at_ns(stopwatch_->begin(number(kernel)));
    times.end_ns = stopwatch_->at_ns(stopwatch_->end(number(kernel)));
  }
  stamps.communications[static_cast<std::size_t>(rank_)] = communications_;
}

}  // namespace steptwin::hw::cuda
