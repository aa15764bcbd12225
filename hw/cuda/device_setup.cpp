#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "hw/cuda/device.h"
#include "hw/cuda/patience.h"

namespace steptwin::hw::cuda {

// What a device does before and after all iterations, and beside them.

void CudaDevice::join(std::int32_t communicator, const ncclUniqueId& id) {
  const Lock lock(mutex_);
  use();
  communicators_.join(communicator, id);
}

bool CudaDevice::is_settled(std::int32_t communicator) {
  const Lock lock(mutex_);
  use();
  return communicators_.is_settled(communicator);
}

std::int32_t CudaDevice::stream_of(std::int32_t communicator) const {
  const auto index = static_cast<std::size_t>(communicator);
  const auto place = static_cast<std::size_t>(place_of(program_.communicators[index], rank_));
  return needs_.communicators[index].stream_of[place];
}

void CudaDevice::try_edge(std::int32_t communicator, std::int32_t peer, bool is_send) {
  const Lock lock(mutex_);
  use();
  const Lane& own = lane(stream_of(communicator));
  Transfer part;
  part.is_send = is_send;
  part.peer = peer;
  std::size_t taken = 0;
  const Words word = own.take(taken, 1);
  communicators_.post(Transfers{communicator, 0, {part}}, std::span(&word, 1), own.stream.get());
}

void CudaDevice::try_collective(std::int32_t communicator, KernelKind kind) {
  const Lock lock(mutex_);
  use();
  const Lane& own = lane(stream_of(communicator));
  Collective call;
  call.kind = kind;
  call.communicator = communicator;
  call.members = program_.communicators[static_cast<std::size_t>(communicator)].ranks;
  std::size_t taken = 0;
  const Words brought = own.take(taken, brought_blocks(call));
  const Words results = own.take(taken, result_blocks(call));
  communicators_.post(call, brought, results, own.stream.get());
}

void CudaDevice::warm_up() {
  const Lock lock(mutex_);
  use();
  const Patience patience{stop_, settings_.deadline};
  std::vector<MeasuredProduct> measured;
  for (const auto& each : lanes_) {
    auto* const stream = each->stream.get();
    check(spin(0, &shared().over, stream), "spin");
    if (!each->words.empty()) {
      const PatternWords word{each->words.data(), 1, 1, 0, 0};
      check(fill_pattern(word, stream), "fill_pattern");
      check(check_pattern(word, {}, &shared().mismatch, stream), "check_pattern");
    }
    if (each->copied_bytes > 0) {
      check(cudaMemcpyAsync(each->on_host.get(), each->on_device.get(), each->copied_bytes,
                            cudaMemcpyDeviceToHost, stream),
            "cudaMemcpyAsync");
      check(cudaMemcpyAsync(each->on_device.get(), each->on_host.get(), each->copied_bytes,
                            cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
    }
    if (each->products) measured = measure_products(*each->products, stream, patience);
  }
  if (measured.empty()) return;
  for (const WorkKind& work : needs_.ranks[static_cast<std::size_t>(rank_)].works) {
    plans_.emplace(work, plan_products(measured, work.duration_ns, work.launches));
  }
}

bool CudaDevice::is_idle() {
  for (const auto& each : lanes_) {
    const cudaError_t status = cudaStreamQuery(each->stream.get());
    if (status == cudaErrorNotReady) return false;
    check(status, "cudaStreamQuery");
  }
  return true;
}

void CudaDevice::begin_watch() {
  watcher_ = std::jthread([this](const std::stop_token& over) { watch(over); });
}

void CudaDevice::end_watch() {
  if (!watcher_.joinable()) return;
  watcher_.request_stop();
  watcher_.join();
}

// Errors of communicators come by themselves, and nobody else may be about to look.
void CudaDevice::watch(const std::stop_token& over) {
  constexpr std::chrono::milliseconds kInterval{1};
  try {
    use();
    while (!over.stop_requested() && !stop_.requested()) {
      {
        const Lock lock(mutex_);
        communicators_.look();
        queue_->pump();
      }
      std::this_thread::sleep_for(kInterval);
    }
  } catch (const Stopped&) {
    // Whoever stopped the run has said why.
  } catch (const std::exception& error) {
    stop_.request(fmt::format("rank {}: {}", rank_, error.what()));
  }
  if (stop_.requested()) abort();
}

void CudaDevice::abort() noexcept {
  const Lock lock(mutex_);
  std::atomic_ref(shared().over).store(1);
  communicators_.abort();
}

}  // namespace steptwin::hw::cuda
