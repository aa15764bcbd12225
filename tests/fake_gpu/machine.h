#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace steptwin::fake_gpu {

// The state that a C interface keeps behind its functions.
class Machine {
 public:
  static Machine& get();

  void reset(int devices);
  int devices() const { return devices_; }

  // To be asked first in every function: what it must answer, if it is to fail.
  std::optional<int> fault(const char* function);
  std::int64_t calls(const std::string& function) const;
  void fail_call(const std::string& function, std::int64_t nth, int status);

  // What befalls the next communication kernel of the device.
  enum class Fate : std::uint8_t { none, fails, is_lost };
  Fate next_communication(int device);
  void set_fate(int device, std::int64_t nth, Fate fate);
  // The word to spoil in what the device receives next; -1: none.
  std::int64_t next_spoiled(int device);
  void spoil(int device, std::int64_t nth, std::int64_t word);

  std::atomic<std::int64_t> live{0};
  std::atomic<std::int64_t> copy_delay_ns{0};

 private:
  Machine();

  struct Planned {
    std::int64_t nth = 0;
    std::int64_t value = 0;
  };
  struct Device {
    std::int64_t communications = 0;
    std::int64_t received = 0;
    std::int64_t fate_from = -1;
    Fate fate = Fate::none;
    std::int64_t spoil_at = -1;
    std::int64_t spoil_word = -1;
  };

  mutable std::mutex mutex_;  // for what follows
  std::atomic<int> devices_{0};
  std::map<std::string, std::int64_t> calls_;
  std::map<std::string, Planned> failing_;  // nth counts all calls
  std::map<int, Device> device_;
};

}  // namespace steptwin::fake_gpu
