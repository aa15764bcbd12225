#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace steptwin {

// Memory for arrays of many megabytes that are walked in a thousand places at once: in 2 MiB pages
// where the system has them, since with 4 KiB ones the engine spends a third of its time on page
// faults and address translation; and aligned to cache lines.
template <typename Element, bool kUnset>
class LargeAllocator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that std::allocator_traits asks for.
  using value_type = Element;
  template <typename Other>
  struct rebind {
    using other = LargeAllocator<Other, kUnset>;
  };
  // NOLINTEND(readability-identifier-naming)

  LargeAllocator() = default;
  template <typename Other>
  explicit LargeAllocator(const LargeAllocator<Other, kUnset>& /*other*/) {}

  Element* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Element);
    if (bytes < kLargePage) return static_cast<Element*>(::operator new(bytes));
    const std::size_t whole_pages = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    void* memory = std::aligned_alloc(kLargePage, whole_pages);
    if (memory == nullptr) throw std::bad_alloc();
    // Advice only: without large pages everything works, slower.
    (void)madvise(memory, whole_pages, MADV_HUGEPAGE);
    return static_cast<Element*>(memory);
  }

  void deallocate(Element* memory, std::size_t count) {
    if (count * sizeof(Element) < kLargePage) {
      ::operator delete(memory);
    } else {
      std::free(memory);
    }
  }

  // An aggregate needs no constructor to begin to live.
  template <typename Other>
  void construct(Other* place) {
    if constexpr (kUnset) {
      static_assert(std::is_aggregate_v<Other> && std::is_trivially_destructible_v<Other>);
    } else {
      ::new (static_cast<void*>(place)) Other();
    }
  }
  template <typename Other, typename... Arguments>
  void construct(Other* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Other(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const LargeAllocator& /*left*/, const LargeAllocator& /*right*/) {
    return true;
  }

 private:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20U;
};

template <typename Element>
using LargeArray = std::vector<Element, LargeAllocator<Element, false>>;

// Elements made by resize() hold whatever the memory held: for arrays that are written before they
// are read, which then cost no pass of their own.
template <typename Element>
using UnsetArray = std::vector<Element, LargeAllocator<Element, true>>;

}  // namespace steptwin
