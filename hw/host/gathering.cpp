#include "hw/host/gathering.h"

#include <fmt/format.h>
#include <stdexcept>

#include "hw/host/alarm.h"
#include "hw/host/clock.h"

namespace steptwin::hw {

std::shared_ptr<Gathering::Call> Gathering::enter(const Collective& call,
                                                  std::span<const std::uint64_t> brought) {
  Communicator& communicator = communicators_[call.communicator];
  communicator.made.resize(call.members.size(), 0);
  const auto place = static_cast<std::size_t>(call.place);
  const std::size_t number = communicator.made[place]++;
  if (number == communicator.first + communicator.calls.size()) {
    communicator.calls.push_back(std::make_shared<Call>());
    communicator.calls.back()->kind = call.kind;
    communicator.calls.back()->block_bytes = call.block_bytes;
    communicator.calls.back()->blocks.resize(call.members.size());
  }
  std::shared_ptr<Call> open = communicator.calls[number - communicator.first];
  if (open->kind != call.kind || open->block_bytes != call.block_bytes) {
    throw std::runtime_error(
        fmt::format("rank {} calls {} with blocks of {} bytes where another member calls {} with "
                    "blocks of {} bytes",
                    call.members[place], name_of(call.kind), call.block_bytes, name_of(open->kind),
                    open->block_bytes));
  }
  open->blocks[place] = brought;
  if (++open->arrived == call.members.size()) {
    open->start_ns = host_now_ns();
    communicator.calls.pop_front();  // whoever is in it holds it
    ++communicator.first;
    changed_.notify_all();
  }
  return open;
}

TimeSpan Gathering::perform(const Collective& call, std::span<const std::uint64_t> brought,
                            const std::function<void(const Blocks&)>& take) {
  std::shared_ptr<Call> open;
  {
    Lock lock(mutex_);
    open = enter(call, brought);
    const auto all_here = [&] { return open->arrived == call.members.size(); };
    if (!changed_.wait(lock, stop_.token(), all_here)) throw Stopped();
  }
  take(open->blocks);
  {
    // What was brought must stay until the last has read it.
    Lock lock(mutex_);
    if (++open->taken == call.members.size()) changed_.notify_all();
    const auto all_taken = [&] { return open->taken == call.members.size(); };
    if (!changed_.wait(lock, stop_.token(), all_taken)) throw Stopped();
  }
  Alarm(stop_).sleep_until(open->start_ns + call.link_ns);
  return {open->start_ns, host_now_ns()};
}

void Gathering::reset() {
  const Lock lock(mutex_);
  communicators_.clear();
}

}  // namespace steptwin::hw
