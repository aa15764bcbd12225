#include "hw/calibrate/host_costs.h"

#include <thread>
#include <vector>

#include "hw/calibrate/chain.h"
#include "hw/calibrate/fit.h"
#include "hw/coordinator.h"
#include "hw/executor.h"
#include "hw/host/clock.h"
#include "hw/host/job.h"

namespace steptwin::hw {
namespace {

constexpr double kSecond = 1e-9;

// Of launches, records and waits, as host threads of a running job paid them.
void measure_commands(Machine& machine, int rounds) {
  constexpr int kHops = 40;
  constexpr TimeNs kCompute = 500'000;
  std::vector<double> launches;
  std::vector<double> events;
  for (const Trace& trace : traces_of(transfer_chain(kHops, kCompute, 64), rounds)) {
    for (const HostRecord& record : trace.host) {
      const double seconds = static_cast<double>(record.end_ns - record.begin_ns) * kSecond;
      (record.command == CommandType::launch ? launches : events).push_back(seconds);
    }
  }
  machine.launch = figure_of(std::move(launches));
  machine.event = figure_of(std::move(events));
}

// One waits as the COMPUTE side; the other comes later, which takes it the time of a rendezvous,
// and wakes it by its notify.
void measure_rendezvous(Machine& machine, int rounds) {
  const Stop stop;
  Coordinator coordinator(stop);
  coordinator.enable();
  std::vector<double> meetings;
  std::vector<double> wakes;
  std::atomic<TimeNs> notified{0};
  std::atomic<ThreadStop> waiting{ThreadStop::running};
  std::thread partner([&] {
    for (int round = 0; round < rounds; ++round) {
      coordinator.rendezvous(Coordinator::Side::forked, Role::compute, waiting);
      wakes.push_back(static_cast<double>(host_now_ns() - notified) * kSecond);
    }
  });
  std::atomic<ThreadStop> own{ThreadStop::running};
  for (int round = 0; round < rounds; ++round) {
    while (waiting != ThreadStop::in_barrier) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const TimeNs begin = host_now_ns();
    coordinator.rendezvous(Coordinator::Side::main, Role::comm, own);
    const TimeNs end = host_now_ns();
    meetings.push_back(static_cast<double>(end - begin) * kSecond);
    notified = host_now_ns();
    coordinator.notify(Coordinator::Side::main, Role::comm);
  }
  partner.join();
  machine.rendezvous = figure_of(std::move(meetings));
  machine.wake = figure_of(std::move(wakes));
}

void measure_fork(Machine& machine, int rounds) {
  std::vector<double> forks;
  std::vector<double> resumes;
  for (int round = 0; round < rounds; ++round) {
    const TimeNs begin = host_now_ns();
    std::atomic<TimeNs> born{0};
    std::thread thread([&born] {
      born = host_now_ns();
      born.notify_one();
    });
    born.wait(0);
    const TimeNs resumed = host_now_ns();
    thread.join();
    forks.push_back(static_cast<double>(born - begin) * kSecond);
    resumes.push_back(static_cast<double>(resumed - born) * kSecond);
  }
  machine.fork = figure_of(std::move(forks));
  machine.resume = figure_of(std::move(resumes));
}

}  // namespace

void measure_host_costs(Machine& machine, int rounds) {
  measure_commands(machine, 1 + rounds / 20);
  measure_rendezvous(machine, rounds);
  measure_fork(machine, rounds);
}

}  // namespace steptwin::hw
