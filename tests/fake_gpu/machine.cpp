#include "tests/fake_gpu/machine.h"

#include <cassert>
#include <cstdlib>
#include <string>

#include "tests/fake_gpu/fake_gpu.h"

namespace steptwin::fake_gpu {

// A program that knows nothing of the stand-in is given its devices by the environment.
Machine::Machine() {
  const char* devices = std::getenv("STEPTWIN_FAKE_GPUS");
  devices_ = devices == nullptr ? 0 : std::stoi(devices);
}

Machine& Machine::get() {
  static Machine machine;
  return machine;
}

void Machine::reset(int devices) {
  const std::lock_guard lock(mutex_);
  assert(live == 0);
  devices_ = devices;
  copy_delay_ns = 0;
  calls_.clear();
  failing_.clear();
  device_.clear();
}

std::optional<int> Machine::fault(const char* function) {
  const std::lock_guard lock(mutex_);
  const std::int64_t call = ++calls_[function];
  const auto planned = failing_.find(function);
  if (planned == failing_.end() || planned->second.nth != call) return std::nullopt;
  return static_cast<int>(planned->second.value);
}

std::int64_t Machine::calls(const std::string& function) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(function);
  return found == calls_.end() ? 0 : found->second;
}

void Machine::fail_call(const std::string& function, std::int64_t nth, int status) {
  const std::lock_guard lock(mutex_);
  failing_[function] = {calls_[function] + nth, status};
}

Machine::Fate Machine::next_communication(int device) {
  const std::lock_guard lock(mutex_);
  Device& own = device_[device];
  const std::int64_t number = ++own.communications;
  if (own.fate == Fate::none || number < own.fate_from) return Fate::none;
  return own.fate == Fate::is_lost || number == own.fate_from ? own.fate : Fate::none;
}

void Machine::set_fate(int device, std::int64_t nth, Fate fate) {
  const std::lock_guard lock(mutex_);
  Device& own = device_[device];
  own.fate = fate;
  own.fate_from = own.communications + nth;
}

std::int64_t Machine::next_spoiled(int device) {
  const std::lock_guard lock(mutex_);
  Device& own = device_[device];
  return ++own.received == own.spoil_at ? own.spoil_word : -1;
}

void Machine::spoil(int device, std::int64_t nth, std::int64_t word) {
  const std::lock_guard lock(mutex_);
  Device& own = device_[device];
  own.spoil_at = own.received + nth;
  own.spoil_word = word;
}

void reset(int devices) {
  Machine::get().reset(devices);
}

std::int64_t live() {
  return Machine::get().live;
}

std::int64_t calls(const std::string& function) {
  return Machine::get().calls(function);
}

void fail_call(const std::string& function, std::int64_t nth, int status) {
  Machine::get().fail_call(function, nth, status);
}

void fail_communication(int device, std::int64_t nth) {
  Machine::get().set_fate(device, nth, Machine::Fate::fails);
}

void lose_device(int device, std::int64_t nth) {
  Machine::get().set_fate(device, nth, Machine::Fate::is_lost);
}

void spoil_receive(int device, std::int64_t nth, std::int64_t word) {
  Machine::get().spoil(device, nth, word);
}

void slow_copies(std::chrono::nanoseconds delay) {
  Machine::get().copy_delay_ns = delay.count();
}

}  // namespace steptwin::fake_gpu
