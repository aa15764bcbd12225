#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/collective.h"
#include "hw/payload.h"
#include "model/program.h"
#include "model/trace.h"
#include "model/trace_of.h"
#include "standstill/standstill.h"

namespace steptwin::hw {

// The seam between the executor and what it runs on. Everything above it is written once: it knows
// commands, rendezvous and deadlocks, but no CUDA, no MPI and no sockets. Everything below it knows
// streams and bytes, but no Program.

// A compute kernel: as much work as takes `duration_ns` alone on the device it was modelled for.
struct ComputeWork {
  TimeNs duration_ns = 0;
  std::int32_t launches = 1;  // device launches it is cut into
};

// One end of a transfer to or from another rank. The two ends of a pair of ranks match by position
// among those on the same communicator in the same direction.
struct Transfer {
  bool is_send = false;
  bool is_eager = false;  // ends without its receiver; for a send
  std::int32_t peer = 0;
  Bytes bytes = 0;
  TimeNs link_ns = 0;  // what it takes on the modelled link; 0 where none is emulated
  Pattern pattern;
};

// The transfers of one kernel, which are under way together.
struct Transfers {
  std::int32_t communicator = 0;
  std::int32_t first_part = 0;  // of the Program: where their times go
  std::vector<Transfer> parts;
};

// Between the device and its host.
struct Copy {
  Bytes bytes = 0;
  TimeNs link_ns = 0;
  bool to_host = true;
};

// The times of one iteration, by kernel and by part as in the Program; every device writes those of
// its own kernels. On the job's clock, the same for all its devices.
struct Stamps {
  std::vector<KernelTimes> kernels;
  std::vector<TimeSpan> parts;
  // By rank, its communication kernels in the order in which they went to their streams; of devices
  // that cannot see when a peer came (Job::complete).
  std::vector<std::vector<std::int64_t>> communications;
};

// What an iteration has measured: of the ranks of this process, or of all.
struct IterationTimes {
  TimeNs zero_ns = 0;  // when all ranks were released together
  Stamps stamps;
  std::vector<TimeSpan> commands;  // by (rank, thread, position)
  std::vector<TimeNs> ended_ns;    // by rank: when its streams were empty
};

// How far the ranks of a process have come, or those of all processes.
struct Headway {
  std::int64_t done = 0;  // grows with every command and every stream entry
  std::int64_t ranks_over = 0;
  bool is_stopped = false;    // by any process
  bool is_impatient = false;  // any process: nothing has happened for the deadline
};

struct Iteration {
  bool every_byte = false;  // write and check whole payloads, not some words of each
  bool traced = true;       // else nobody asks for stamps
};

// One rank's device. Streams and events are numbered as in the Program. The calls that append
// return at once and may come from all host threads of the rank. What cannot be done stops the run
// (hw/stop.h), now or later; what waits throws Stopped when the run is stopped.
class Device {
 public:
  Device() = default;
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Nothing is in flight. No event is recorded any more, and every stream is empty.
  virtual void begin(const Iteration& iteration) = 0;

  virtual void compute(std::int32_t stream, std::int64_t kernel, const ComputeWork& work) = 0;
  virtual void transfer(std::int32_t stream, std::int64_t kernel, Transfers transfers) = 0;
  virtual void collective(std::int32_t stream, std::int64_t kernel, Collective call) = 0;
  virtual void copy(std::int32_t stream, std::int64_t kernel, const Copy& copy) = 0;

  // The event completes when all that was appended to the stream so far has ended.
  virtual void record(std::int32_t event, std::int32_t stream) = 0;
  // What is appended to the stream after it begins once the event has completed, also if it is
  // recorded later.
  virtual void wait(std::int32_t stream, std::int32_t event) = 0;
  virtual void host_wait(std::int32_t event) = 0;

  // How many of its entries, kernels and waits, each stream has passed. From any thread.
  virtual std::vector<std::int32_t> passed() = 0;
  // Whether a stream does what needs nobody else and will surely end, however long it takes. From
  // any thread. A device that cannot tell says no.
  virtual bool is_working() { return false; }
  // Returns when all streams have passed all that was appended.
  virtual void drain() = 0;
  // The times of the iteration that was drained, but for `enqueue`, which the host knows.
  virtual void collect(Stamps& stamps) = 0;
};

// The ranks of a Program that this process runs.
class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  virtual std::span<const std::int32_t> ranks() const = 0;
  virtual Device& device(std::int32_t rank) = 0;
  // Now, on the clock of the job's stamps.
  virtual TimeNs now_ns() const = 0;
  // Between two iterations, when nothing is in flight in this process: returns when that is so in
  // all processes of the job.
  virtual void synchronize() = 0;
  // Of a job of several processes, each of which calls these at the same points of a run:
  // what they have done together;
  virtual Headway together(const Headway& own) { return own; }
  // what they have measured, on the clock of the process that reports, which alone gets it;
  virtual void gather(IterationTimes& /*times*/) {}
  // where their ranks have stopped.
  virtual void gather(Standstill& /*standstill*/) {}
  virtual bool reports() const { return true; }
  // Where they are gathered: what shows only in the times of several ranks, such as when the last
  // end of a transfer came to it.
  virtual void complete(Stamps& /*stamps*/) {}
};

}  // namespace steptwin::hw
