#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "model/trace.h"
#include "reports/progress_callback.h"

namespace steptwin::reports {

// trace.csv, one line per kernel, ordered by id:
//
//   kernel,rank,thread,stream,kind,part,direction,step,stage,micro,layer,peer,bytes,
//   enqueue_ns,ready_ns,start_ns,end_ns,part_spans_ns
//
// thread and stream are names; stage and micro count from 0, layer from 1 within its stage, and are
// -1 where there is none; the peers of a p2p kernel's parts are listed as "1;3". A kernel of
// several parts names them in its step and has their times in part_spans_ns
// (reports/trace_csv_parts.h).
//
// host.csv, one line per host record, by rank, thread and position:
//
//   rank,thread,command,hook,kernel,begin_ns,end_ns
//
// hook is that of a rendezvous or notify, "A2" or "D_LAST" (model/hooks.h), and empty elsewhere;
// kernel is -1 but for a launch. The role at a hook has no column: the table of roles gives it,
// main being the forward side and any other thread the backward side. Without a hook it reads as
// COMM.
void write_trace_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress = {});
void write_host_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress = {});

// Both files back into a Trace. The files name streams and threads and do not number them: they
// are numbered as they appear (host.csv first, for threads), but "compute" and "main" are 0 where
// they are. Throws Error, with file, line and column, if something is wrong; also if kernel ids do
// not ascend, or a kernel ends before it starts.
Trace read_trace_csv(const std::string& trace_file);  // without host records
Trace read_trace_csv(const std::string& trace_file, const std::string& host_file);

// The same from memory; the names are for messages.
struct NamedText {
  std::string name;
  std::string_view text;
};
Trace parse_trace_csv(const NamedText& trace, const NamedText& host);

}  // namespace steptwin::reports
