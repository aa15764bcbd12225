#include "hw/cuda/issue_queue.h"

#include <algorithm>
#include <utility>

namespace steptwin::hw::cuda {

IssueQueue::IssueQueue(std::span<const cudaStream_t> streams, std::size_t events,
                       std::size_t window)
    : window_(window), recorded_(events, 0) {
  for (auto* const stream : streams) {
    queues_.emplace_back();
    queues_.back().stream = stream;
  }
  for (std::size_t index = 0; index < events; ++index) events_.push_back(make_event(false));
}

void IssueQueue::reset() {
  for (Queue& each : queues_) {
    each.held.clear();
    each.issued.clear();
    each.passed = 0;
  }
  std::fill(recorded_.begin(), recorded_.end(), 0);
}

void IssueQueue::append(std::int32_t stream, cudaEvent_t done, std::function<void()> issue) {
  add(stream, {EntryType::kernel, -1, done, std::move(issue)});
}

void IssueQueue::record(std::int32_t event, std::int32_t stream) {
  add(stream, {EntryType::record, event, nullptr, {}});
}

void IssueQueue::wait(std::int32_t stream, std::int32_t event) {
  add(stream, {EntryType::wait, event, nullptr, {}});
}

void IssueQueue::add(std::int32_t stream, Entry entry) {
  const bool records = entry.type == EntryType::record;
  queue(stream).held.push_back(std::move(entry));
  // Only a record lets another stream go on.
  if (records) {
    pump();
  } else {
    issue_due(queue(stream));
  }
}

void IssueQueue::pump() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (Queue& each : queues_) moved = issue_due(each) || moved;
  }
}

bool IssueQueue::is_due(Queue& queue, const Entry& entry) const {
  if (entry.type == EntryType::wait && recorded_[static_cast<std::size_t>(entry.event)] == 0) {
    return false;
  }
  if (queue.issued.size() - queue.passed < window_) return true;
  advance(queue);
  return queue.issued.size() - queue.passed < window_;
}

// Whether a record was issued, so that others may have come due.
bool IssueQueue::issue_due(Queue& queue) {
  bool recorded = false;
  while (!queue.held.empty() && is_due(queue, queue.held.front())) {
    const Entry entry = std::move(queue.held.front());
    queue.held.pop_front();
    issue(queue, entry);
    recorded = recorded || entry.type == EntryType::record;
  }
  return recorded;
}

void IssueQueue::issue(Queue& queue, const Entry& entry) {
  if (entry.type == EntryType::kernel) {
    entry.issue();
    queue.issued.push_back(entry.done);
    return;
  }
  const auto index = static_cast<std::size_t>(entry.event);
  auto* const event = events_[index].get();
  if (entry.type == EntryType::record) {
    check(cudaEventRecord(event, queue.stream), "cudaEventRecord");
    recorded_[index] = 1;
  } else {
    check(cudaStreamWaitEvent(queue.stream, event, 0), "cudaStreamWaitEvent");
    queue.issued.push_back(event);
  }
}

void IssueQueue::advance(Queue& queue) {
  while (queue.passed < queue.issued.size() && cuda::is_complete(queue.issued[queue.passed])) {
    ++queue.passed;
  }
}

bool IssueQueue::is_complete(std::int32_t event) const {
  const auto index = static_cast<std::size_t>(event);
  return recorded_[index] != 0 && cuda::is_complete(events_[index].get());
}

std::vector<std::int32_t> IssueQueue::passed() {
  std::vector<std::int32_t> counts;
  for (Queue& each : queues_) {
    advance(each);
    counts.push_back(static_cast<std::int32_t>(each.passed));
  }
  return counts;
}

bool IssueQueue::all_passed() {
  pump();
  for (Queue& each : queues_) {
    advance(each);
    if (!each.held.empty() || each.passed < each.issued.size()) return false;
  }
  return true;
}

}  // namespace steptwin::hw::cuda
