#include "reports/trace_csv.h"

#include <cstddef>
#include <ostream>

#include "model/hooks.h"
#include "reports/output_text.h"

namespace steptwin::reports {
namespace {

// Stream names come from the scenario: they may hold a comma.
std::string field_text(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char letter : name) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + "\"";
}

std::vector<TraceRank> quoted_names(const Trace& trace) {
  std::vector<TraceRank> ranks = trace.ranks;
  for (TraceRank& rank : ranks) {
    for (std::string& name : rank.streams) name = field_text(name);
    for (std::string& name : rank.threads) name = field_text(name);
  }
  return ranks;
}

// In quotes where it is more than a word: labels of steps hold commas.
void append_step(const Trace& trace, const TraceKernel& kernel, std::string& text) {
  if (kernel.first_part < 0) return append_fields(text, name_of(kernel.step));
  text += '"';
  text += name_of(kernel.step);
  char before = '[';
  for (const TracePart& part : parts_of(trace, kernel)) {
    text += before;
    text += step_label(part.step, part.stage, part.micro);
    before = '|';
  }
  text += "]\",";
}

// The last column.
void append_part_spans(const Trace& trace, const TraceKernel& kernel, std::string& text) {
  const char* before = "";
  for (const TracePart& part : parts_of(trace, kernel)) {
    text += before;
    append_field(text, part.start_ns);
    text += '-';
    append_field(text, part.end_ns);
    before = ";";
  }
  text += '\n';
}

void append_peers(const TraceKernel& kernel, std::string& text) {
  const char* before = "";
  for (const std::int32_t peer : kernel.peers) {
    text += before;
    append_field(text, peer);
    before = ";";
  }
  text += ',';
}

void append_kernel(const Trace& trace, const TraceRank& rank, const TraceKernel& kernel,
                   std::string& text) {
  append_fields(text, kernel.kernel, kernel.rank,
                rank.threads.at(static_cast<std::size_t>(kernel.thread)),
                rank.streams.at(static_cast<std::size_t>(kernel.stream)), name_of(kernel.kind),
                name_of(kernel.part), name_of(kernel.direction));
  append_step(trace, kernel, text);
  append_fields(text, kernel.stage, kernel.micro, layer_number(kernel.layer));
  append_peers(kernel, text);
  append_fields(text, kernel.bytes, kernel.times.enqueue_ns, kernel.times.ready_ns,
                kernel.times.start_ns, kernel.times.end_ns);
  append_part_spans(trace, kernel, text);
}

}  // namespace

void write_trace_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress) {
  const std::vector<TraceRank> ranks = quoted_names(trace);
  OutputText output(out);
  output.text =
      "kernel,rank,thread,stream,kind,part,direction,step,stage,micro,layer,peer,bytes,"
      "enqueue_ns,ready_ns,start_ns,end_ns,part_spans_ns\n";
  std::size_t written = 0;
  for (const TraceKernel& kernel : trace.kernels) {
    append_kernel(trace, ranks[static_cast<std::size_t>(kernel.rank)], kernel, output.text);
    ++written;
    if (!output.is_long()) continue;
    output.flush();
    if (progress) progress(written, trace.kernels.size());
  }
  output.flush();
}

void write_host_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress) {
  const std::vector<TraceRank> ranks = quoted_names(trace);
  OutputText output(out);
  output.text = "rank,thread,command,hook,kernel,begin_ns,end_ns\n";
  std::size_t written = 0;
  for (const HostRecord& record : trace.host) {
    const TraceRank& rank = ranks[static_cast<std::size_t>(record.rank)];
    append_last_fields(output.text, record.rank,
                       rank.threads.at(static_cast<std::size_t>(record.thread)),
                       name_of(record.command), hook_label({record.hook, record.layer}),
                       record.kernel, record.begin_ns, record.end_ns);
    ++written;
    if (!output.is_long()) continue;
    output.flush();
    if (progress) progress(written, trace.host.size());
  }
  output.flush();
}

}  // namespace steptwin::reports
