#include "reports/trace_csv.h"

#include <cstddef>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <ostream>

#include "model/hooks.h"

namespace steptwin::reports {
namespace {

constexpr std::size_t kFlushBytes = 1 << 16;

void flush(fmt::memory_buffer& buffer, std::ostream& out) {
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  buffer.clear();
}

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
void write_step(const Trace& trace, const TraceKernel& kernel, fmt::memory_buffer& buffer) {
  if (kernel.first_part < 0) return buffer.append(name_of(kernel.step));
  buffer.push_back('"');
  buffer.append(name_of(kernel.step));
  char before = '[';
  for (const TracePart& part : parts_of(trace, kernel)) {
    buffer.push_back(before);
    buffer.append(step_label(part.step, part.stage, part.micro));
    before = '|';
  }
  buffer.append(std::string_view("]\""));
}

// The last column.
void write_part_spans(const Trace& trace, const TraceKernel& kernel, fmt::memory_buffer& buffer) {
  bool first = true;
  for (const TracePart& part : parts_of(trace, kernel)) {
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{}{}-{}"), first ? "" : ";",
                   part.start_ns, part.end_ns);
    first = false;
  }
  buffer.push_back('\n');
}

}  // namespace

void write_trace_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress) {
  const std::vector<TraceRank> ranks = quoted_names(trace);
  fmt::memory_buffer buffer;
  fmt::format_to(std::back_inserter(buffer),
                 "kernel,rank,thread,stream,kind,part,direction,step,stage,micro,layer,peer,bytes,"
                 "enqueue_ns,ready_ns,start_ns,end_ns,part_spans_ns\n");
  std::size_t written = 0;
  for (const TraceKernel& kernel : trace.kernels) {
    const TraceRank& rank = ranks[static_cast<std::size_t>(kernel.rank)];
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{},{},{},{},{},{},{},"), kernel.kernel,
                   kernel.rank, rank.threads.at(static_cast<std::size_t>(kernel.thread)),
                   rank.streams.at(static_cast<std::size_t>(kernel.stream)), name_of(kernel.kind),
                   name_of(kernel.part), name_of(kernel.direction));
    write_step(trace, kernel, buffer);
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE(",{},{},{},"), kernel.stage,
                   kernel.micro, layer_number(kernel.layer));
    for (std::size_t part = 0; part < kernel.peers.size(); ++part) {
      fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{}{}"), part > 0 ? ";" : "",
                     kernel.peers[part]);
    }
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE(",{},{},{},{},{},"), kernel.bytes,
                   kernel.times.enqueue_ns, kernel.times.ready_ns, kernel.times.start_ns,
                   kernel.times.end_ns);
    write_part_spans(trace, kernel, buffer);
    ++written;
    if (buffer.size() <= kFlushBytes) continue;
    flush(buffer, out);
    if (progress) progress(written, trace.kernels.size());
  }
  flush(buffer, out);
}

void write_host_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress) {
  const std::vector<TraceRank> ranks = quoted_names(trace);
  fmt::memory_buffer buffer;
  fmt::format_to(std::back_inserter(buffer), "rank,thread,command,hook,kernel,begin_ns,end_ns\n");
  std::size_t written = 0;
  for (const HostRecord& record : trace.host) {
    const TraceRank& rank = ranks[static_cast<std::size_t>(record.rank)];
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{},{},{},{},{},{},{}\n"), record.rank,
                   rank.threads.at(static_cast<std::size_t>(record.thread)),
                   name_of(record.command), hook_label({record.hook, record.layer}), record.kernel,
                   record.begin_ns, record.end_ns);
    ++written;
    if (buffer.size() <= kFlushBytes) continue;
    flush(buffer, out);
    if (progress) progress(written, trace.host.size());
  }
  flush(buffer, out);
}

}  // namespace steptwin::reports
