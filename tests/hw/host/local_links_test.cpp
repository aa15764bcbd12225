#include "hw/host/local_links.h"

#include <doctest/doctest.h>
#include <thread>
#include <vector>

namespace steptwin::hw {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kMembers = 3;
constexpr std::size_t kBlock = 2;  // words

// Word w of block b of member m is 1000 m + 10 b + w.
std::vector<Words> results_of(KernelKind kind, std::size_t block_words = kBlock) {
  const Stop stop;
  LocalLinks links(stop);
  std::vector<Words> results(kMembers);
  std::vector<std::thread> threads;
  for (std::size_t member = 0; member < kMembers; ++member) {
    threads.emplace_back([&, member] {
      Collective call;
      call.kind = kind;
      call.members = {2, 5, 7};
      call.place = static_cast<std::int32_t>(member);
      call.block_bytes = static_cast<Bytes>(block_words * 8);
      Words brought;
      for (std::size_t block = 0; block < brought_blocks(call); ++block) {
        for (std::size_t word = 0; word < block_words; ++word) {
          brought.push_back(1000 * member + 10 * block + word);
        }
      }
      results[member].assign(result_blocks(call) * block_words, 99);  // to be written over
      links.collective(call, brought, results[member]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

using Results = std::vector<Words>;

TEST_CASE("all_to_all: block b of a member is at b, at the member's place") {
  CHECK(results_of(KernelKind::all_to_all) == Results{{0, 1, 1000, 1001, 2000, 2001},
                                                      {10, 11, 1010, 1011, 2010, 2011},
                                                      {20, 21, 1020, 1021, 2020, 2021}});
}

TEST_CASE("all_gather: everyone has everyone's one block") {
  const Words all{0, 1, 1000, 1001, 2000, 2001};
  CHECK(results_of(KernelKind::all_gather) == Results{all, all, all});
}

TEST_CASE("reduce_scatter: member b has the sum of all blocks b") {
  CHECK(results_of(KernelKind::reduce_scatter) ==
        Results{{3000, 3003}, {3030, 3033}, {3060, 3063}});
}

TEST_CASE("all_reduce: everyone has all sums") {
  const Words sums{3000, 3003, 3030, 3033, 3060, 3063};
  CHECK(results_of(KernelKind::all_reduce) == Results{sums, sums, sums});
}

TEST_CASE("a call that carries nothing is a call all the same") {
  CHECK(results_of(KernelKind::all_to_all, 0) == Results{{}, {}, {}});
}

TEST_CASE("transfers and collectives begin anew together") {
  const Stop stop;
  LocalLinks links(stop);
  for (const std::uint64_t word : {3U, 4U}) {
    Words sent{word};
    Words got(1, 0);
    std::vector<End> ends = {{{true, true, 1, 8, 0, {}}, sent, {}}};
    links.transfer(0, 0, ends);
    std::vector<End> others = {{{false, false, 0, 8, 0, {}}, got, {}}};
    links.transfer(1, 0, others);
    CHECK(got == Words{word});
    links.transfer(0, 0, ends);  // nobody receives it
    links.begin();
  }
}

}  // namespace
}  // namespace steptwin::hw
