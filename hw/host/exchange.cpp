#include "hw/host/exchange.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include "hw/host/alarm.h"
#include "hw/host/clock.h"

namespace steptwin::hw {

// One transfer, at which its two ends meet.
struct Exchange::Meeting {
  bool has_sender = false;
  bool has_receiver = false;
  Bytes bytes = 0;
  std::span<const std::uint64_t> sent;
  std::vector<std::uint64_t> kept;  // what an eager sender leaves behind: `sent` is of it
  // Of the ends that wait; null where none does.
  std::condition_variable_any* sender_wakes = nullptr;
  std::condition_variable_any* receiver_wakes = nullptr;
  TimeNs start_ns = -1;
  bool copied = false;

  void wake() const {
    if (sender_wakes != nullptr) sender_wakes->notify_one();
    if (receiver_wakes != nullptr) receiver_wakes->notify_one();
  }
};

// What one kernel does while it is in flight.
struct Exchange::Performance {
  struct Part {
    End* end = nullptr;
    MeetingPointer meeting;
    bool over = false;

    // When it may end, as far as the link is concerned; -1: its bytes are not there yet.
    TimeNs due_ns() const {
      const bool moved = end->transfer.is_eager || meeting->copied;
      return moved && meeting->start_ns >= 0 ? meeting->start_ns + end->transfer.link_ns : -1;
    }
  };
  std::vector<Part> parts;
  std::condition_variable_any wakes;

  Performance() = default;
  Performance(const Performance&) = delete;
  Performance& operator=(const Performance&) = delete;
  // Nobody wakes what is gone, also where the run was given up: others may come to meet it still.
  // While the lock is held.
  ~Performance() {
    for (const Part& part : parts) {
      const bool sent = part.end->transfer.is_send;
      (sent ? part.meeting->sender_wakes : part.meeting->receiver_wakes) = nullptr;
    }
  }

  // Ends what is due; whether all is over.
  bool settle() {
    const TimeNs now = host_now_ns();
    bool all = true;
    for (Part& part : parts) {
      const TimeNs due = part.due_ns();
      if (!part.over && due >= 0 && now >= due) {
        part.end->span = {part.meeting->start_ns, now};
        part.over = true;
      }
      all = all && part.over;
    }
    return all;
  }
};

Exchange::MeetingPointer Exchange::meet(std::int32_t rank, std::int32_t communicator, End& end,
                                        std::condition_variable_any& wakes) {
  const Transfer& own = end.transfer;
  const std::int32_t sender = own.is_send ? rank : own.peer;
  const std::int32_t receiver = own.is_send ? own.peer : rank;
  Channel& channel = channels_[{communicator, sender, receiver}];
  const bool is_awaited = !channel.open.empty() && channel.sends != own.is_send;
  MeetingPointer meeting;
  if (is_awaited) {
    meeting = channel.open.front();
    channel.open.pop_front();
    if (meeting->bytes != own.bytes) {
      throw std::runtime_error(fmt::format(
          "a transfer from rank {} to rank {} has {} bytes at its {} and {} bytes at the other end",
          sender, receiver, own.bytes, own.is_send ? "sender" : "receiver", meeting->bytes));
    }
  } else {
    meeting = std::make_shared<Meeting>();
    meeting->bytes = own.bytes;
    channel.sends = own.is_send;
    channel.open.push_back(meeting);
  }
  if (own.is_send) {
    meeting->has_sender = true;
    meeting->sent = end.words;
    if (own.is_eager) {
      meeting->kept.assign(end.words.begin(), end.words.end());
      meeting->sent = meeting->kept;
      meeting->start_ns = host_now_ns();
    } else {
      meeting->sender_wakes = &wakes;
    }
  } else {
    meeting->has_receiver = true;
    meeting->receiver_wakes = &wakes;
  }
  if (is_awaited) {
    if (meeting->start_ns < 0) meeting->start_ns = host_now_ns();
    meeting->wake();
  }
  return meeting;
}

// The sender waits meanwhile, so what it sent stays.
void Exchange::copy_received(Performance& performance, Lock& lock) {
  for (Performance::Part& part : performance.parts) {
    Meeting& meeting = *part.meeting;
    const bool due = !part.end->transfer.is_send && meeting.has_sender && !meeting.copied;
    if (!due) continue;
    lock.unlock();
    std::copy(meeting.sent.begin(), meeting.sent.end(), part.end->words.begin());
    lock.lock();
    meeting.copied = true;
    meeting.wake();
  }
}

// Until an end arrives, bytes have been copied, or the first link's time is over.
void Exchange::wait_for_change(Performance& performance, Lock& lock) {
  TimeNs due = std::numeric_limits<TimeNs>::max();
  bool copyable = false;
  for (const Performance::Part& part : performance.parts) {
    if (part.over) continue;
    if (part.due_ns() >= 0) due = std::min(due, part.due_ns());
    const Meeting& meeting = *part.meeting;
    copyable = copyable || (!part.end->transfer.is_send && meeting.has_sender && !meeting.copied);
  }
  if (copyable) return;
  if (due == std::numeric_limits<TimeNs>::max()) {
    // A wake-up without a reason is harmless: everything is looked at again.
    bool woken = false;
    performance.wakes.wait(lock, stop_.token(), [&woken] { return std::exchange(woken, true); });
    return;
  }
  const Clock::time_point early = instant(due) - Alarm::kMargin;
  if (Clock::now() < early) {
    bool woken = false;
    performance.wakes.wait_until(lock, stop_.token(), early,
                                 [&woken] { return std::exchange(woken, true); });
    return;
  }
  lock.unlock();
  std::this_thread::yield();
  lock.lock();
}

void Exchange::transfer(std::int32_t rank, std::int32_t communicator, std::vector<End>& ends) {
  Lock lock(mutex_);
  Performance performance;
  for (End& end : ends) {
    performance.parts.push_back({&end, meet(rank, communicator, end, performance.wakes), false});
  }
  while (true) {
    copy_received(performance, lock);
    if (performance.settle()) break;
    wait_for_change(performance, lock);
    stop_.check();
  }
}

void Exchange::reset() {
  const Lock lock(mutex_);
  channels_.clear();
}

}  // namespace steptwin::hw
