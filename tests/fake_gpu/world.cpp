#include "tests/fake_gpu/world.h"

#include <algorithm>

#include "tests/fake_gpu/machine.h"

namespace steptwin::fake_gpu {

void World::join() {
  const Lock lock(mutex_);
  ++joined_;
}

bool World::is_complete() const {
  const Lock lock(mutex_);
  return joined_ == ranks_;
}

void World::leave() {
  const Lock lock(mutex_);
  ++left_;
}

bool World::is_over() const {
  const Lock lock(mutex_);
  return left_ == ranks_;
}

void World::abort(Member& member) {
  const Lock lock(mutex_);
  member.aborted = true;
  changed_.notify_all();
}

void World::run(Member& member, const std::vector<Operation>& operations) {
  const Machine::Fate fate = Machine::get().next_communication(member.device);
  if (fate == Machine::Fate::fails) member.failure = ncclRemoteError;
  Lock lock(mutex_);
  if (fate != Machine::Fate::none) {
    changed_.wait(lock, [&] { return member.aborted.load(); });
    return;
  }
  if (member.aborted) return;
  std::vector<std::shared_ptr<Post>> posts;
  for (const Operation& operation : operations) posts.push_back(post(member, operation));
  changed_.notify_all();
  await(lock, member, posts);
}

void World::await(Lock& lock, const Member& member,
                  const std::vector<std::shared_ptr<Post>>& posts) {
  const auto over = [&] {
    return member.aborted ||
           std::all_of(posts.begin(), posts.end(), [](const auto& post) { return post->done; });
  };
  changed_.wait(lock, over);
  // Nobody may meet what is gone.
  for (const auto& post : posts) {
    if (post->done) continue;
    for (auto& [pair, channel] : channels_) {
      std::erase(channel.sends, post);
      std::erase(channel.receives, post);
    }
  }
}

std::shared_ptr<World::Post> World::post(Member& member, const Operation& operation) {
  auto own = std::make_shared<Post>(Post{operation, &member, false});
  if (operation.type == OperationType::send) {
    Channel& channel = channels_[{member.rank, operation.peer}];
    channel.sends.push_back(own);
    match(channel);
  } else if (operation.type == OperationType::receive) {
    Channel& channel = channels_[{operation.peer, member.rank}];
    channel.receives.push_back(own);
    match(channel);
  } else {
    const std::size_t position = member.calls++;
    std::vector<std::shared_ptr<Post>>& call = calls_[position];
    call.push_back(own);
    if (call.size() == static_cast<std::size_t>(ranks_)) {
      perform(call);
      calls_.erase(position);
    }
  }
  return own;
}

void World::match(Channel& channel) {
  while (!channel.sends.empty() && !channel.receives.empty()) {
    const std::shared_ptr<Post> sent = channel.sends.front();
    const std::shared_ptr<Post> received = channel.receives.front();
    channel.sends.pop_front();
    channel.receives.pop_front();
    const std::size_t count = std::min(sent->operation.count, received->operation.count);
    std::copy_n(sent->operation.from, count, received->operation.to);
    const std::int64_t spoiled = Machine::get().next_spoiled(received->member->device);
    if (spoiled >= 0) received->operation.to[spoiled] ^= 1U;
    sent->done = received->done = true;
  }
}

void World::perform(const std::vector<std::shared_ptr<Post>>& call) const {
  const auto members = static_cast<std::size_t>(ranks_);
  const std::size_t count = call.front()->operation.count;
  for (const auto& receiver : call) {
    const auto own = static_cast<std::size_t>(receiver->member->rank);
    std::uint64_t* to = receiver->operation.to;
    if (receiver->operation.type != OperationType::all_gather) std::fill_n(to, count, 0);
    for (std::size_t place = 0; place < members; ++place) {
      const auto sender = std::find_if(call.begin(), call.end(), [&](const auto& post) {
        return static_cast<std::size_t>(post->member->rank) == place;
      });
      const std::uint64_t* from = (*sender)->operation.from;
      if (receiver->operation.type == OperationType::all_gather) {
        std::copy_n(from, count, to + place * count);
        continue;
      }
      if (receiver->operation.type == OperationType::reduce_scatter) from += own * count;
      for (std::size_t word = 0; word < count; ++word) to[word] += from[word];
    }
  }
  for (const auto& post : call) post->done = true;
}

}  // namespace steptwin::fake_gpu
