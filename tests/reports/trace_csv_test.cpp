#include "reports/trace_csv.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>
#include <vector>

#include "model/error.h"
#include "model/hooks.h"
#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

const std::string kHeader =
    "kernel,rank,thread,stream,kind,part,direction,step,stage,micro,layer,peer,bytes,enqueue_ns,"
    "ready_ns,start_ns,end_ns,part_spans_ns\n";
const std::string kHostHeader = "rank,thread,command,hook,kernel,begin_ns,end_ns\n";

Trace parse(const std::string& kernels, const std::string& host) {
  return parse_trace_csv({"trace.csv", kernels}, {"host.csv", host});
}

std::string complaint(const std::string& kernels, const std::string& host = kHostHeader) {
  try {
    parse(kernels, host);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("trace.csv and host.csv, line for line") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 3, 1, 2, 12, Part::attention)
      .batch(0, {1, 1}, 13,
             {{StepType::bwd_send, 1, 0, 20, 25}, {StepType::fwd_recv, 1, 2, 21, 23}})
      .rendezvous(0, 1, Hook::b, Role::compute, 5, 9);
  maker.trace().kernels[0].layer = 0;
  maker.trace().host.push_back({0, 0, CommandType::notify, Role::comm, Hook::d_last, -1, -1, 9, 9});
  maker.trace().host.push_back({0, 0, CommandType::launch, Role::comm, Hook::none, -1, 0, 0, 1});
  std::ostringstream kernels;
  std::ostringstream host;
  write_trace_csv(maker.trace(), kernels);
  write_host_csv(maker.trace(), host);
  CHECK(kernels.str() ==
        kHeader +
            "0,0,main,compute,compute,attention,forward,FWD,0,3,1,,0,1,2,2,12,\n"
            "1,0,main,comm,p2p,p2p,none,\"BATCH_SEND_RECV[BWD_SEND(s1,m0)|FWD_RECV(s1,m2)]\",-1,"
            "-1,-1,1;1,100,0,13,20,25,20-25;21-23\n");
  CHECK(host.str() == kHostHeader +
                          "0,backward,rendezvous,B1,-1,5,9\n"
                          "0,main,notify,D_LAST,-1,9,9\n"
                          "0,main,launch,,0,0,1\n");
}

TEST_CASE("progress is told while lines are written, ascending, and at most all of them") {
  Trace trace = gpipe_trace(2, 2000);
  trace.host.assign(8000, HostRecord{});
  for (const bool host : {false, true}) {
    CAPTURE(host);
    std::vector<std::size_t> told;
    std::ostringstream out;
    const ProgressCallback progress = [&](std::size_t done, std::size_t total) {
      CHECK(total == 8000);
      told.push_back(done);
    };
    host ? write_host_csv(trace, out, progress) : write_trace_csv(trace, out, progress);
    CHECK(told.size() == out.str().size() / (1 << 16));
    CHECK(std::is_sorted(told.begin(), told.end()));
    CHECK(told.back() <= 8000);
  }
}

TEST_CASE("columns in any order, comments, CRLF and a byte order mark are read") {
  const Trace trace = parse(
      "\xEF\xBB\xBF# made by hand\r\n"
      "part_spans_ns,end_ns,start_ns,ready_ns,enqueue_ns,bytes,peer,layer,micro,stage,step,"
      "direction,part,kind,"
      "stream,thread,rank,kernel\r\n"
      "\r\n"
      "8-9;8-8,9,8,7,6,5,0;1,4,3,2,\"FWD_RECV[FWD_RECV(s2)|DATA_SEND]\",forward,p2p,p2p,comm,main,"
      "1,11\r\n",
      kHostHeader);
  REQUIRE(trace.kernels.size() == 1);
  const TraceKernel& kernel = trace.kernels[0];
  CHECK(kernel.kernel == 11);
  CHECK(kernel.rank == 1);
  CHECK(kernel.step == StepType::fwd_recv);
  CHECK(kernel.peers == std::vector<std::int32_t>{0, 1});
  CHECK(kernel.times == KernelTimes{6, 7, 8, 9});
  CHECK(kernel.first_part == 0);
  CHECK(trace.parts == std::vector<TracePart>{{StepType::fwd_recv, 2, -1, 8, 9},
                                              {StepType::data_send, -1, -1, 8, 8}});
  CHECK(trace.ranks.size() == 2);
}

TEST_CASE("compute and main come first however the files begin") {
  const Trace trace = parse(kHeader +
                                "0,0,main,comm,p2p,p2p,forward,FWD_RECV,1,0,-1,1,5,0,0,0,0,\n"
                                "1,0,main,compute,compute,chunk,forward,FWD,1,0,-1,,0,0,0,0,10,\n",
                            kHostHeader + "0,backward.1,launch,,0,0,1\n");
  CHECK(trace.ranks[0].streams == std::vector<std::string>{"compute", "comm"});
  CHECK(trace.ranks[0].threads == std::vector<std::string>{"main", "backward.1"});
  CHECK(trace.kernels[0].stream == 1);
  CHECK(trace.kernels[1].stream == 0);
  CHECK(trace.kernels[0].thread == 0);
  CHECK(trace.host[0].thread == 1);
}

TEST_CASE("layers are numbered from 1 in the files; hooks tell roles, main being the forward") {
  const Trace trace =
      parse(kHeader + "0,0,main,compute,compute,attention,forward,FWD,0,3,2,,0,1,2,2,12,\n",
            kHostHeader +
                "0,main,rendezvous,A2,-1,0,1\n0,main,notify,D_LAST,-1,1,1\n"
                "0,backward.1,rendezvous,A1,-1,0,1\n0,backward.1,notify,A1,-1,1,1\n");
  CHECK(trace.kernels[0].layer == 1);
  const auto hook_and_role = [&](std::size_t record) {
    const HostRecord& read = trace.host[record];
    return hook_label({read.hook, read.layer}) + " " + std::string(name_of(read.role));
  };
  CHECK(hook_and_role(0) == "A2 comm");
  CHECK(hook_and_role(1) == "D_LAST comm");
  CHECK(hook_and_role(2) == "A1 compute");
  CHECK(hook_and_role(3) == "A1 comm");
}

TEST_CASE("what is wrong is said with its place") {
  const std::string row = "0,0,main,comm,p2p,p2p,forward,FWD_RECV,1,0,-1,1,5,0,1,2,3,\n";
  CHECK(complaint(kHeader + row) == "");
  CHECK(complaint("") == "trace.csv: error: there is no header line; expected the columns " +
                             kHeader.substr(0, kHeader.size() - 1));
  CHECK(complaint("kernel,colour\n")
            .starts_with("trace.csv:1:8: error: there is no column \"colour\"; expected the "
                         "columns kernel,rank"));
  CHECK(complaint("kernel,kernel\n")
            .starts_with("trace.csv:1:8: error: column \"kernel\" is there twice"));
  CHECK(complaint("kernel\n").starts_with("trace.csv:1:1: error: column \"rank\" is missing"));
  CHECK(complaint(kHeader + "0,0\n") ==
        "trace.csv:2:1: error: the row has 2 fields; expected 18, as the header has");
  CHECK(complaint(kHeader + row + row) ==
        "trace.csv:3:1: error: kernel 0 comes after kernel 0; expected ascending ids");
  CHECK(complaint(kHeader + "0,-1,main,comm,p2p,p2p,forward,FWD,1,0,-1,1,5,0,1,2,3,\n") ==
        "trace.csv:2:3: error: rank is \"-1\"; expected a whole number from 0 to 1048575");
  CHECK(complaint(kHeader + "0,0,main,comm,pp,p2p,forward,FWD,1,0,-1,1,5,0,1,2,3,\n") ==
        "trace.csv:2:15: error: \"pp\" is unknown; expected one like \"compute\"");
  CHECK(complaint(kHeader + "0,0,main,comm,p2p,p2p,forward,FW,1,0,-1,1,5,0,1,2,3,\n") ==
        "trace.csv:2:31: error: \"FW\" is unknown; expected a step like \"FWD\", or "
        "\"BATCH_SEND_RECV[FWD_SEND(s0,m1)|...]\"");
  CHECK(complaint(kHeader + "0,0,main,comm,p2p,p2p,forward,FWD,1,0,-1,1;,5,0,1,2,3,\n") ==
        "trace.csv:2:42: error: peer is \"1;\"; expected ranks, as in \"1;3\"");
  CHECK(complaint(kHeader + "0,0,main,comm,p2p,p2p,forward,FWD,1,0,-1,1,5,0,4,2,3,\n") ==
        "trace.csv:2:50: error: the kernel starts before it is ready; expected ready <= start <= "
        "end");
  CHECK(complaint(kHeader + "0,0,main,comm,p2p,p2p,forward,FWD,1,0,-1,1,5,0,1,2,1,\n") ==
        "trace.csv:2:52: error: the kernel ends before it starts; expected ready <= start <= end");
  CHECK(complaint(kHeader + "0,0,\"main,comm\n") ==
        "trace.csv:2:5: error: the quoted field has no end; expected a closing quote");
  CHECK(complaint(kHeader + "0,0,main,comm,p2p,p2p,forward,FWD,1,0,0,1,5,0,1,2,3,\n") ==
        "trace.csv:2:39: error: layer is \"0\"; expected a layer from 1, or -1 for none");
  CHECK(complaint(kHeader, kHostHeader + "0,main,rendezvous,A0,-1,0,1\n") ==
        "host.csv:2:19: error: hook is \"A0\"; expected letter and layer from 1, as in \"A2\", or "
        "\"D_LAST\"");
  CHECK(complaint(kHeader, kHostHeader + "0,main,launch,,3,5,1\n") ==
        "host.csv:2:20: error: the record ends before it begins; expected begin <= end");
}

TEST_CASE("parts must be those of their kernel") {
  const auto row = [](const std::string& step, const std::string& peers, const std::string& spans) {
    return complaint(kHeader + "0,0,main,comm,p2p,p2p,none,\"" + step + "\",-1,-1,-1," + peers +
                     ",5,0,1,2,9," + spans + "\n");
  };
  const std::string two = "BATCH_SEND_RECV[FWD_SEND(s0,m1)|BWD_RECV(s0,m0)]";
  CHECK(row(two, "1;1", "2-9;2-3") == "");
  CHECK(row(two, "1", "2-9;2-3") ==
        "trace.csv:2:28: error: 2 parts in the step of a kernel with 1 peer; expected a part for "
        "each peer where there are several, and else none");
  CHECK(row("BATCH_SEND_RECV", "1;1", "2-9;2-3")
            .starts_with("trace.csv:2:28: error: 0 parts in the step of a kernel with 2 peers"));
  CHECK(row(two, "1;1", "2-9") ==
        "trace.csv:2:102: error: part_spans_ns is \"2-9\"; expected 2 spans, as in "
        "\"0-5;3-9\"");
  CHECK(row("FWD_SEND", "1", "2-9") ==
        "trace.csv:2:60: error: part_spans_ns is \"2-9\"; expected nothing, as the kernel has "
        "fewer than two parts");
  for (const char* spans : {"1-9;2-3", "2-9;3-2", "2-9;2-10"}) {
    CHECK(row(two, "1;1", spans) ==
          "trace.csv:2:102: error: a part lies outside its kernel; expected kernel's start <= "
          "part's start <= part's end <= kernel's end");
  }
  for (const char* step : {"BATCH_SEND_RECV[FWD_SEND(s0,m1)|BWD_RECV(s0,m0)", "BATCH_SEND_RECV[]",
                           "BATCH_SEND_RECV[FWD_SEND(s0,m1)|BWD_RECV(s-1,m0)]",
                           "BATCH_SEND_RECV[FWD_SEND(s0,m1)|BWD_RECV(s0,m0)]x"}) {
    CHECK(row(step, "1;1", "2-9;2-3").find("is unknown; expected a step") != std::string::npos);
  }
}

TEST_CASE("a file that is not there is an error") {
  CHECK_THROWS_WITH_AS(read_trace_csv("/nowhere/trace.csv"),
                       "/nowhere/trace.csv: error: cannot open it; expected a readable file",
                       Error);
}

}  // namespace
}  // namespace steptwin::reports
