#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace steptwin::sim {

// Memory for arrays of many megabytes that are walked in a thousand places at once: in 2 MiB pages
// where the system has them, since with 4 KiB ones the engine spends a third of its time on page
// faults and address translation. Elements that are made without arguments are left as they are,
// so an array that is written before it is read costs no pass of its own.
template <typename Element>
class LargeAllocator {
 public:
  using value_type = Element;

  LargeAllocator() = default;
  template <typename Other>
  explicit LargeAllocator(const LargeAllocator<Other>& /*other*/) {}

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

  template <typename Other>
  void construct(Other* place) {
    ::new (static_cast<void*>(place)) Other;
  }
  template <typename Other, typename... Arguments>
  void construct(Other* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Other(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

 private:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20U;
};

template <typename Element>
using LargeArray = std::vector<Element, LargeAllocator<Element>>;

}  // namespace steptwin::sim
