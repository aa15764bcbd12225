#include "model/validate.h"

#include <doctest/doctest.h>
#include <functional>
#include <string>

#include "model/error.h"
#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// Two ranks, two communicators (c0 for p2p, c1 for collectives), one overlap on rank 0.
// Kernels: rank 0 has 0 compute, 1 send, 2 collective, 3 compute on the forked thread; rank 1 has
// 4 recv, 5 collective.
Program valid_program() {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  const std::int32_t all = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  const std::int32_t first = main.compute(kCompute, 5);        // command 0
  main.record_event(main.new_event(), kCompute, first);        // 1
  main.wait(kComm, 0);                                         // 2
  main.send(kComm, pair, 1, 3, 100);                           // 3
  ThreadWriter backward = main.fork();                         // 4
  main.collective(kComm, all, KernelKind::all_to_all, 4, 64);  // 5
  main.join(backward);                                         // 6
  main.host_work(2);                                           // 7
  backward.compute(kCompute, 1);                               // 0
  backward.host_wait(backward.record(kCompute));               // 1, 2
  ThreadWriter other(program, 1, 0);
  other.recv(kComm, pair, 0, 3, 100);
  other.collective(kComm, all, KernelKind::all_to_all, 4, 64);
  return program;
}

std::string complaint(const std::function<void(Program&)>& break_it) {
  Program program = valid_program();
  break_it(program);
  try {
    validate(program);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<Command>& commands_of(Program& program, std::size_t rank, std::size_t thread) {
  return program.ranks[rank].threads[thread].commands;
}

TEST_CASE("a valid program passes") {
  CHECK_NOTHROW(validate(valid_program()));
}

TEST_CASE("validate: host costs are not negative") {
  CHECK(complaint([](Program& p) { p.host.launch_ns = -1; }) ==
        "error: the host's launch time is -1; expected 0 or more");
  CHECK(complaint([](Program& p) { p.host.event_ns = -2; }) ==
        "error: the host's event time is -2; expected 0 or more");
  CHECK(complaint([](Program& p) { p.host.rendezvous_ns = -3; }) ==
        "error: the host's rendezvous time is -3; expected 0 or more");
  CHECK(complaint([](Program& p) { p.host.wake_ns = -4; }) ==
        "error: the host's wake time is -4; expected 0 or more");
  CHECK(complaint([](Program& p) { p.host.fork_ns = -5; }) ==
        "error: the host's fork time is -5; expected 0 or more");
}

TEST_CASE("validate: a communicator's members are ranks, ascending and distinct") {
  CHECK(complaint([](Program& p) {
          p.communicators[0].ranks = {0, 2};
        }) == "error: communicator c0 has rank 2; expected ranks 0..1");
  CHECK(complaint([](Program& p) {
          p.communicators[0].ranks = {-1, 0};
        }) == "error: communicator c0 has rank -1; expected ranks 0..1");
  CHECK(complaint([](Program& p) {
          p.communicators[1].ranks = {1, 0};
        }) ==
        "error: communicator c1 has rank 0 after rank 1; expected members ascending and distinct");
  CHECK(complaint([](Program& p) {
          p.communicators[1].ranks = {0, 0};
        }) ==
        "error: communicator c1 has rank 0 after rank 0; expected members ascending and distinct");
}

TEST_CASE("validate: a kernel's indices are in range and its amounts not negative") {
  CHECK(complaint([](Program& p) { p.kernels[0].rank = 2; }) ==
        "error: kernel 0 (FWD(s0,m0)) is on rank 2; expected ranks 0..1");
  CHECK(complaint([](Program& p) { p.kernels[0].stream = 2; }) ==
        "error: kernel 0 (FWD(s0,m0)) is on stream 2 of rank 0; expected streams 0..1");
  CHECK(complaint([](Program& p) { p.kernels[0].launches = -1; }) ==
        "error: kernel 0 (FWD(s0,m0)): its number of launches is -1; expected 0 or more");
  CHECK(complaint([](Program& p) { p.kernels[0].duration_ns = -1; }) ==
        "error: kernel 0 (FWD(s0,m0)): its duration is -1; expected 0 or more");
  CHECK(complaint([](Program& p) { p.kernels[2].bytes = -7; }) ==
        "error: kernel 2 (FWD(s0,m2)): its bytes is -7; expected 0 or more");
}

TEST_CASE("validate: communication is a member's, from one stream of it") {
  CHECK(complaint([](Program& p) { p.kernels[2].communicator = 2; }) ==
        "error: kernel 2 (FWD(s0,m2)) has communicator 2; expected communicators 0..1");
  CHECK(complaint([](Program& p) { p.kernels[2].communicator = -1; }) ==
        "error: kernel 2 (FWD(s0,m2)) has communicator -1; expected communicators 0..1");
  CHECK(complaint([](Program& p) { p.communicators[1].ranks = {0}; }) ==
        "error: kernel 5 (FWD(s1,m5)) is on rank 1; expected a member of its communicator c1");
  CHECK(complaint([](Program& p) {
          p.kernels[2].communicator = 0;
          p.kernels[2].stream = kCompute;
        }) ==
        "error: kernel 2 (FWD(s0,m2)) uses communicator c0 on rank 0 from stream 0; "
        "expected stream 1, where it was used before");
}

TEST_CASE("validate: the parts of a p2p kernel exist and name another member") {
  CHECK(complaint([](Program& p) { p.kernels[1].part_count = 0; }) ==
        "error: kernel 1 (FWD_SEND(s0,m1)) is p2p without parts; expected one part or more");
  CHECK(complaint([](Program& p) { p.kernels[4].part_count = 2; }) ==
        "error: kernel 4 (FWD_RECV(s1,m4)) has parts 1..2; expected parts 0..1");
  CHECK(complaint([](Program& p) { p.kernels[1].first_part = -1; }) ==
        "error: kernel 1 (FWD_SEND(s0,m1)) has parts -1..-1; expected parts 0..1");
  CHECK(complaint([](Program& p) { p.p2p_parts[0].peer = 0; }) ==
        "error: kernel 1 (FWD_SEND(s0,m1)) on rank 0: part 0 has peer 0; "
        "expected another member of communicator c0");
  CHECK(complaint([](Program& p) { p.p2p_parts[0].peer = 2; }) ==
        "error: kernel 1 (FWD_SEND(s0,m1)) on rank 0: part 0 has peer 2; "
        "expected another member of communicator c0");
  CHECK(complaint([](Program& p) { p.p2p_parts[0].bytes = -1; }) ==
        "error: kernel 1 (FWD_SEND(s0,m1)): bytes of part 0 is -1; expected 0 or more");
  CHECK(complaint([](Program& p) { p.p2p_parts[0].transfer_ns = -1; }) ==
        "error: kernel 1 (FWD_SEND(s0,m1)): transfer time of part 0 is -1; expected 0 or more");
}

TEST_CASE("validate: every kernel is launched exactly once, on its own rank") {
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[0].kernel = 6; }) ==
        "error: rank 0, thread main, command 0 (launch): there is no kernel 6; "
        "expected kernels 0..5");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[0].kernel = 4; }) ==
        "error: rank 0, thread main, command 0 (launch): kernel 4 belongs to rank 1; "
        "expected a kernel of the thread's own rank");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 1)[0].kernel = 0; }) ==
        "error: rank 0, thread backward.1, command 0 (launch): kernel 0 was launched before; "
        "expected one launch of every kernel");
  CHECK(complaint([](Program& p) { commands_of(p, 1, 0).pop_back(); }) ==
        "error: kernel 5 (FWD(s1,m5)) is never launched; expected one launch of every kernel");
}

TEST_CASE("validate: every event is recorded exactly once, on a stream of the rank") {
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[1].stream = 2; }) ==
        "error: rank 0, thread main, command 1 (record): there is no stream 2; "
        "expected streams 0..1");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[1].index = 2; }) ==
        "error: rank 0, thread main, command 1 (record): there is no event 2; "
        "expected events 0..1");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 1)[1].index = 0; }) ==
        "error: rank 0, thread backward.1, command 1 (record): event 0 was recorded before; "
        "expected one record of every event");
  CHECK(complaint([](Program& p) { p.ranks[1].events = 1; }) ==
        "error: rank 1: event 0 is never recorded; expected one record of every event");
  CHECK(complaint([](Program& p) { p.ranks[1].events = -1; }) ==
        "error: rank 1: its number of events is -1; expected 0 or more");
}

TEST_CASE("validate: an event covers up to a kernel of that stream whose launch is over") {
  const std::string not_covered =
      "error: rank 0, thread main, command 1 (record): it covers up to kernel {}; "
      "expected -1 or a kernel of that stream whose launch is certainly over by then";
  const auto with = [&](const std::string& kernel) {
    std::string text = not_covered;
    return text.replace(text.find("{}"), 2, kernel);
  };
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[1].kernel = 1; }) == with("1"));
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[1].kernel = 3; }) == with("3"));
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[1].kernel = 6; }) == with("6"));
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[1].stream = kComm; }) == with("0"));
}

// Rank 0: main launches k, forks a thread that launches another, joins it, and launches a third.
// A record on one thread covers up to the kernel of another.
TEST_CASE(
    "validate: an event may cover another thread's kernel once that launch is certainly over") {
  enum class At { before_join, after_join, on_thread };
  const auto accepted = [](At at, std::int32_t kernel) {
    Program program = empty_program(1, {"compute"});
    ThreadWriter main(program, 0, 0);
    main.compute(kCompute, 1);  // 0
    ThreadWriter forked = main.fork();
    forked.compute(kCompute, 1);  // 1
    if (at == At::on_thread) forked.record_event(forked.new_event(), kCompute, kernel);
    main.compute(kCompute, 1);  // 2
    if (at == At::before_join) main.record_event(main.new_event(), kCompute, kernel);
    main.join(forked);
    if (at == At::after_join) main.record_event(main.new_event(), kCompute, kernel);
    try {
      validate(program);
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  CHECK(accepted(At::after_join, 1));
  CHECK(accepted(At::on_thread, 0));
  CHECK(accepted(At::on_thread, 1));
  CHECK_FALSE(accepted(At::before_join, 1));  // the thread may not have come to it
  CHECK_FALSE(accepted(At::on_thread, 2));    // main may not have
}

TEST_CASE("validate: waits name events and streams of the rank, work is not negative") {
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[2].index = -1; }) ==
        "error: rank 0, thread main, command 2 (wait): there is no event -1; "
        "expected events 0..1");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[2].stream = -1; }) ==
        "error: rank 0, thread main, command 2 (wait): there is no stream -1; "
        "expected streams 0..1");
  CHECK(complaint([](Program& p) { ThreadWriter(p, 1, 0).host_wait(0); }) ==
        "error: rank 1, thread main, command 2 (host_wait): there is no event 0; "
        "expected no events");
  CHECK(complaint([](Program& p) { p.ranks[0].host_work_ns[0] = -1; }) ==
        "error: rank 0, thread main, command 7 (host_work): its duration is -1; "
        "expected 0 or more");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[7].index = 1; }) ==
        "error: rank 0, thread main, command 7 (host_work): there is no duration 1; "
        "expected durations 0..0");
}

TEST_CASE("validate: only main forks and joins, each thread once, one alive at a time") {
  const std::string fork = "error: rank 0, thread main, command 4 (fork): ";
  const std::string join = "error: rank 0, thread main, command 6 (join): ";
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[4].index = 0; }) ==
        fork + "there is no thread 0 to fork; expected the number of a thread other than main");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[4].index = 2; }) ==
        fork + "there is no thread 2 to fork; expected the number of a thread other than main");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[6].index = 2; }) ==
        join + "thread 2 is not alive; expected thread 1, which was forked last");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[6].type = CommandType::fork; }) ==
        "error: rank 0, thread main, command 6 (fork): thread 1 was forked before; "
        "expected one fork of every thread");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[4].type = CommandType::depart; }) ==
        join + "thread 1 is not alive; expected a fork before the join");
  CHECK(complaint([](Program& p) { commands_of(p, 0, 0)[6].type = CommandType::depart; }) ==
        "error: rank 0: thread 1 is never joined; expected a join of every forked thread");
  CHECK(complaint([](Program& p) {
          p.ranks[1].threads.push_back({"backward.1", {}});
        }) ==
        "error: rank 1: thread 1 is never forked; expected one fork of every thread but main");
  CHECK(complaint([](Program& p) { p.ranks[1].threads.clear(); }) ==
        "error: rank 1 has no thread; expected main");
  CHECK(complaint([](Program& p) {
          p.ranks[0].threads.push_back({"backward.2", {}});
          Command second = commands_of(p, 0, 0)[4];
          second.index = 2;
          commands_of(p, 0, 0).insert(commands_of(p, 0, 0).begin() + 5, second);
        }) ==
        "error: rank 0, thread main, command 5 (fork): thread 1 is not joined yet; "
        "expected one forked thread alive at a time");
  CHECK(complaint([](Program& p) { ThreadWriter(p, 0, 1).fork(); }) ==
        "error: rank 0, thread backward.1, command 3 (fork): a forked thread forks; "
        "expected main alone to fork and join");
  CHECK(complaint([](Program& p) { ThreadWriter(p, 0, 1).join(ThreadWriter(p, 0, 1)); }) ==
        "error: rank 0, thread backward.1, command 3 (join): a forked thread joins; "
        "expected main alone to fork and join");
}

}  // namespace
}  // namespace steptwin
