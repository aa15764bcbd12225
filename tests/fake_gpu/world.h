#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/fake_gpu/include/nccl.h"

namespace steptwin::fake_gpu {

enum class OperationType : std::uint8_t { send, receive, all_gather, reduce_scatter, all_reduce };

// A call on a communicator. `count` is in words: of the message, or of a block.
struct Operation {
  OperationType type = OperationType::send;
  const std::uint64_t* from = nullptr;
  std::uint64_t* to = nullptr;
  std::size_t count = 0;
  int peer = -1;
};

// What all members of a communicator share: where they meet. Messages of a pair match in order,
// calls of collectives by their position at each member.
class World {
 public:
  // One member, of which kernels in flight hold on to more than its handle.
  struct Member {
    std::shared_ptr<World> world;
    int rank = 0;
    int device = 0;
    std::atomic<bool> aborted{false};
    std::atomic<ncclResult_t> failure{ncclSuccess};
    std::size_t calls = 0;  // of collectives; for its stream's thread
  };

  explicit World(int ranks) : ranks_(ranks) {}

  void join();
  bool is_complete() const;
  void leave();
  bool is_over() const;

  // A kernel of the member: returns when all its operations have met their peers, or when the
  // member is aborted.
  void run(Member& member, const std::vector<Operation>& operations);
  void abort(Member& member);

 private:
  struct Post {
    Operation operation;
    Member* member = nullptr;
    bool done = false;
  };
  struct Channel {
    std::deque<std::shared_ptr<Post>> sends;
    std::deque<std::shared_ptr<Post>> receives;
  };
  using Lock = std::unique_lock<std::mutex>;

  void await(Lock& lock, const Member& member, const std::vector<std::shared_ptr<Post>>& posts);
  std::shared_ptr<Post> post(Member& member, const Operation& operation);
  static void match(Channel& channel);
  void perform(const std::vector<std::shared_ptr<Post>>& call) const;

  const int ranks_;
  mutable std::mutex mutex_;  // for what follows
  std::condition_variable changed_;
  int joined_ = 0;
  int left_ = 0;
  std::map<std::pair<int, int>, Channel> channels_;                  // by sender, receiver
  std::map<std::size_t, std::vector<std::shared_ptr<Post>>> calls_;  // by position
};

}  // namespace steptwin::fake_gpu
