#include "hw/rank_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "hw/thread_name.h"

namespace steptwin::hw {
namespace {

using Side = Coordinator::Side;

Side side_of(std::int32_t thread) {
  return thread == 0 ? Side::main : Side::forked;
}

// Sleeps as long as it can: below kShortest a core is faster than a sleep.
void wait_until(std::chrono::steady_clock::time_point at) {
  constexpr std::chrono::microseconds kShortest{80};
  if (std::chrono::steady_clock::now() + kShortest < at) {
    std::this_thread::sleep_until(at - kShortest);
  }
  while (std::chrono::steady_clock::now() < at) std::this_thread::yield();
}

}  // namespace

RankRun::RankRun(const Program& program, std::int32_t rank, Job& job, Stop& stop,
                 const Emulation& emulation)
    : program_(program),
      own_(program.ranks[static_cast<std::size_t>(rank)]),
      rank_(rank),
      job_(job),
      device_(job.device(rank)),
      stop_(stop),
      emulation_(emulation),
      coordinator_(stop),
      events_behind_(program.kernels.size()) {
  std::size_t first = 0;
  for (const HostThread& thread : own_.threads) {
    threads_.push_back(std::make_unique<ThreadState>());
    threads_.back()->first_command = first;
    first += thread.commands.size();
    for (const Command& command : thread.commands) {
      if (command.type != CommandType::record || command.kernel < 0) continue;
      events_behind_[static_cast<std::size_t>(command.kernel)].push_back(command.index);
    }
  }
}

void RankRun::begin() {
  for (const auto& thread : threads_) {
    thread->stop = ThreadStop::unborn;
    thread->position = 0;
  }
  forked_number_ = -1;
  const std::lock_guard lock(mutex_);
  entries_.assign(own_.streams.size(), {});
  events_.assign(static_cast<std::size_t>(own_.events), {});
}

void RankRun::run(const RankTimes& times) {
  times_ = times;
  begin();
  try {
    run_thread(0);
  } catch (...) {
    coordinator_.disable();
    if (forked_.joinable()) {
      // One that was stopped by others has no reason of its own.
      if (!stop_.requested()) {
        stop_.request("rank " + std::to_string(rank_) + ": its main thread failed");
      }
      forked_.join();
    }
    throw;
  }
}

void RankRun::run_thread(std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  const std::vector<Command>& commands = own_.threads[index].commands;
  ThreadState& state = *threads_[index];
  state.stop = ThreadStop::running;
  for (std::size_t position = 0; position < commands.size(); ++position) {
    stop_.check();
    state.position = static_cast<std::int32_t>(position);
    TimeSpan span{job_.now_ns(), 0};
    perform(number, commands[position]);
    span.end_ns = job_.now_ns();
    if (!times_.commands.empty()) times_.commands[state.first_command + position] = span;
    ++commands_done_;
  }
  state.position = static_cast<std::int32_t>(commands.size());
  state.stop = ThreadStop::ended;
}

void RankRun::perform(std::int32_t number, const Command& command) {
  const HostCosts& host = program_.host;
  ThreadState& state = *threads_[static_cast<std::size_t>(number)];
  switch (command.type) {
    case CommandType::launch:
      return launch(command);
    case CommandType::record:
      spend(host.event_ns);
      if (command.kernel < 0) record(command.index, command.stream);
      return;
    case CommandType::wait: {
      spend(host.event_ns);
      const std::lock_guard lock(mutex_);
      device_.wait(command.stream, command.index);
      entries_[static_cast<std::size_t>(command.stream)].push_back(~command.index);
      return;
    }
    case CommandType::host_wait:
      return host_wait(number, command.index);
    case CommandType::host_work:
      return wait_until(
          std::chrono::steady_clock::now() +
          std::chrono::nanoseconds(own_.host_work_ns[static_cast<std::size_t>(command.index)]));
    case CommandType::rendezvous:
      coordinator_.rendezvous(side_of(number), command.role, state.stop);
      return spend(host.rendezvous_ns);
    case CommandType::notify:
      return coordinator_.notify(side_of(number), command.role);
    case CommandType::depart:
      return coordinator_.depart(side_of(number));
    case CommandType::fork:
      return fork(command.index);
    case CommandType::join:
      return join(command.index);
  }
}

// Main goes on when the thread has begun, as with Python's threads, and so the forked one comes
// first. Both are told where both fail: a forked thread's error stops the run, which main then
// notices.
void RankRun::fork(std::int32_t number) {
  spend(program_.host.fork_ns);
  coordinator_.enable();
  forked_number_ = number;
  std::atomic<bool> born{false};
  forked_ = std::thread([this, number, &born] {
    born = true;
    born.notify_one();
    name_this_thread("rank " + std::to_string(rank_) + " fork");
    try {
      run_thread(number);
    } catch (const Stopped&) {
      coordinator_.disable();
    } catch (const std::exception& error) {
      coordinator_.disable();
      stop_.request("rank " + std::to_string(rank_) + " thread " +
                    own_.threads[static_cast<std::size_t>(number)].name + ": " + error.what());
    }
  });
  born.wait(false);
}

void RankRun::join(std::int32_t /*number*/) {
  threads_[0]->stop = ThreadStop::in_join;
  forked_.join();
  threads_[0]->stop = ThreadStop::running;
  forked_number_ = -1;
  coordinator_.disable();
}

void RankRun::host_wait(std::int32_t number, std::int32_t event) {
  ThreadState& state = *threads_[static_cast<std::size_t>(number)];
  state.stop = ThreadStop::in_event;
  device_.host_wait(event);
  state.stop = ThreadStop::running;
}

void RankRun::launch(const Command& command) {
  const auto index = static_cast<std::size_t>(command.kernel);
  const TimeNs cost = program_.host.launch_ns * program_.kernels[index].launches;
  std::unique_lock turn(launch_lock_, std::defer_lock);
  if (program_.host.one_launch_lock) turn.lock();
  spend(cost);
  append(command.kernel);
}

void RankRun::append(std::int64_t index) {
  const Kernel& kernel = program_.kernels[static_cast<std::size_t>(index)];
  const TimeNs link_ns = emulation_.links ? kernel.duration_ns : 0;
  const std::lock_guard lock(mutex_);
  // Before it is there: a kernel may be over before this thread has its core again.
  if (!times_.kernels.empty()) {
    times_.kernels[static_cast<std::size_t>(index)].enqueue_ns = job_.now_ns();
  }
  if (kernel.kind == KernelKind::compute) {
    device_.compute(kernel.stream, index, {kernel.duration_ns, kernel.launches});
  } else if (kernel.kind == KernelKind::copy) {
    device_.copy(kernel.stream, index, {kernel.bytes, link_ns, kernel.part == Part::offload});
  } else if (kernel.kind == KernelKind::p2p) {
    device_.transfer(kernel.stream, index, transfers_of(kernel));
  } else {
    device_.collective(kernel.stream, index, collective_of(kernel));
  }
  entries_[static_cast<std::size_t>(kernel.stream)].push_back(static_cast<std::int32_t>(index));
  for (const std::int32_t event : events_behind_[static_cast<std::size_t>(index)]) {
    device_.record(event, kernel.stream);
    events_[static_cast<std::size_t>(event)] = {
        kernel.stream,
        static_cast<std::int32_t>(entries_[static_cast<std::size_t>(kernel.stream)].size())};
  }
}

void RankRun::record(std::int32_t event, std::int32_t stream) {
  const std::lock_guard lock(mutex_);
  device_.record(event, stream);
  events_[static_cast<std::size_t>(event)] = {
      stream, static_cast<std::int32_t>(entries_[static_cast<std::size_t>(stream)].size())};
}

void RankRun::spend(TimeNs duration_ns) const {
  if (!emulation_.host_costs || duration_ns <= 0) return;
  wait_until(std::chrono::steady_clock::now() + std::chrono::nanoseconds(duration_ns));
}

Transfers RankRun::transfers_of(const Kernel& kernel) const {
  Transfers transfers{kernel.communicator, kernel.first_part, {}};
  std::int32_t offset = 0;
  for (const P2pPart& part : parts_of(program_, kernel)) {
    transfers.parts.push_back({part.is_send, is_eager(program_, part), part.peer, part.bytes,
                               emulation_.links ? part.transfer_ns : 0,
                               part_pattern(program_, kernel, offset++)});
  }
  return transfers;
}

Collective RankRun::collective_of(const Kernel& kernel) const {
  Collective call;
  call.kind = kernel.kind;
  call.communicator = kernel.communicator;
  call.members = program_.communicators[static_cast<std::size_t>(kernel.communicator)].ranks;
  const auto place = std::find(call.members.begin(), call.members.end(), rank_);
  call.place = static_cast<std::int32_t>(place - call.members.begin());
  call.block_bytes = kernel.bytes / static_cast<Bytes>(call.members.size());
  call.link_ns = emulation_.links ? kernel.duration_ns : 0;
  call.kernel = &kernel;
  return call;
}

StoppedRank RankRun::stopped() const {
  StoppedRank stopped;
  for (const auto& thread : threads_) stopped.threads.push_back({thread->stop, thread->position});
  stopped.forked = forked_number_;
  const std::vector<std::int32_t> passed = device_.passed();
  const std::lock_guard lock(mutex_);
  for (std::size_t stream = 0; stream < entries_.size(); ++stream) {
    stopped.streams.push_back({entries_[stream], passed[stream]});
  }
  stopped.events = events_;
  return stopped;
}

}  // namespace steptwin::hw
