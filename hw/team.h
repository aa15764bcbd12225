#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/units.h"

namespace steptwin::hw {

// The processes of a job, each of which has the rank of its number. All of them make the same calls
// in the same order; from two threads at once in each process, that of its rank and the one that
// watches, whose calls never meet.
class Team {
 public:
  enum class Thread : std::uint8_t { rank, watch };

  Team() = default;
  virtual ~Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  virtual std::int32_t process() const = 0;
  // Which one of those on the same machine.
  virtual std::int32_t process_on_machine() const = 0;
  virtual std::int32_t processes_on_machine() const = 0;

  // Returns when all have come. Throws Stopped when the run is given up meanwhile. A rank's.
  virtual void barrier() = 0;
  // What process `from` has in `bytes`, to all. A rank's.
  virtual void broadcast(std::span<std::byte> bytes, std::int32_t from) = 0;
  // The sums of everybody's numbers, of which all have as many. The watching thread's.
  virtual std::vector<std::int64_t> sum(std::span<const std::int64_t> own) = 0;
  // At process 0 everybody's numbers, by process, of which each may have its own count; nothing
  // elsewhere. A rank's throws Stopped when the run is given up meanwhile.
  virtual std::vector<std::vector<std::int64_t>> gather(std::span<const std::int64_t> own,
                                                        Thread thread) = 0;

  // What to add to this process's clock to get that of process 0.
  virtual TimeNs clock_offset_ns() const = 0;
};

}  // namespace steptwin::hw
