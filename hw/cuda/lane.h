#pragma once

#include <cassert>
#include <cstddef>
#include <memory>

#include "hw/cuda/communicators.h"
#include "hw/cuda/handles.h"
#include "hw/cuda/needs.h"
#include "hw/cuda/products.h"

namespace steptwin::hw::cuda {

// A stream and the memory that its kernels use, one after the other.
struct Lane {
  explicit Lane(const StreamNeeds& needs)
      : stream(make_stream(needs.communicates ? Urgency::urgent : Urgency::ordinary)),
        room(make_device_memory(needs.words * sizeof(std::uint64_t))),
        words(reinterpret_cast<std::uint64_t*>(room.get()), needs.words),
        copied_bytes(needs.copied_bytes),
        on_device(make_device_memory(needs.copied_bytes)),
        on_host(make_pinned_memory(needs.copied_bytes)) {}

  // The next words of the room from `taken` on.
  Words take(std::size_t& taken, std::size_t count) const {
    assert(taken + count <= words.size());
    const Words piece = words.subspan(taken, count);
    taken += count;
    return piece;
  }

  Stream stream;
  DeviceMemory room;  // for payloads
  Words words;        // the same
  std::size_t copied_bytes = 0;
  DeviceMemory on_device;  // where copies come from and go to
  PinnedMemory on_host;
  std::unique_ptr<Products> products;
};

}  // namespace steptwin::hw::cuda
