#include "model/formats/program_json.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <string_view>

#include "model/hooks.h"

namespace steptwin {
namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void text(Writer& writer, std::string_view value) {
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void write_hook(Writer& writer, const Command& command) {
  if (command.hook == Hook::none) return;
  text(writer, hook_label({command.hook, command.index}));
}

void write_operands(Writer& writer, const RankProgram& rank, const Command& command) {
  const auto stream_name = [&] { return rank.streams[static_cast<std::size_t>(command.stream)]; };
  switch (command.type) {
    case CommandType::launch:
      writer.Int(command.kernel);
      break;
    case CommandType::record:
      writer.Int(command.index);
      text(writer, stream_name());
      if (command.kernel >= 0) writer.Int(command.kernel);
      break;
    case CommandType::wait:
      text(writer, stream_name());
      writer.Int(command.index);
      break;
    case CommandType::host_wait:
    case CommandType::fork:
    case CommandType::join:
      writer.Int(command.index);
      break;
    case CommandType::host_work:
      writer.Int64(rank.host_work_ns[static_cast<std::size_t>(command.index)]);
      break;
    case CommandType::rendezvous:
    case CommandType::notify:
      text(writer, name_of(command.role));
      write_hook(writer, command);
      break;
    case CommandType::depart:
      break;
  }
}

void write_host(Writer& writer, const HostCosts& host) {
  writer.Key("host");
  writer.StartObject();
  writer.Key("launch_ns");
  writer.Int64(host.launch_ns);
  writer.Key("event_ns");
  writer.Int64(host.event_ns);
  writer.Key("rendezvous_ns");
  writer.Int64(host.rendezvous_ns);
  writer.Key("wake_ns");
  writer.Int64(host.wake_ns);
  writer.Key("fork_ns");
  writer.Int64(host.fork_ns);
  writer.Key("one_launch_lock");
  writer.Bool(host.one_launch_lock);
  writer.EndObject();
}

void write_numbers(Writer& writer, const char* key, const std::vector<std::int32_t>& numbers) {
  writer.Key(key);
  writer.StartArray();
  for (const std::int32_t number : numbers) writer.Int(number);
  writer.EndArray();
}

void write_contention(Writer& writer, const Contention& contention) {
  writer.Key("contention");
  writer.SetFormatOptions(rapidjson::kFormatSingleLineArray);
  writer.StartObject();
  writer.Key("share_ports");
  writer.Bool(contention.share_ports);
  writer.Key("compute_loss_ppb");
  writer.Int64(contention.compute_loss);
  writer.Key("comm_loss_ppb");
  writer.Int64(contention.comm_loss);
  writer.Key("while_waiting");
  writer.Bool(contention.while_waiting);
  writer.Key("host_cores");
  writer.Int(contention.host_cores);
  write_numbers(writer, "node_of_rank", contention.node);
  write_numbers(writer, "host_of_rank", contention.host);
  writer.Key("devices_of_rank");
  writer.Int(contention.devices);
  writer.Key("latency_within_node_ns");
  writer.Int64(contention.latency_ns[kWithinNode]);
  writer.Key("latency_across_nodes_ns");
  writer.Int64(contention.latency_ns[kAcrossNodes]);
  writer.Key("collectives_cross_nodes");
  writer.Bool(contention.collectives_cross_nodes);
  writer.EndObject();
  writer.SetFormatOptions(rapidjson::kFormatDefault);
}

void write_communicators(Writer& writer, const Program& program) {
  writer.Key("communicators");
  writer.StartArray();
  for (const Communicator& communicator : program.communicators) {
    writer.SetFormatOptions(rapidjson::kFormatSingleLineArray);
    writer.StartObject();
    writer.Key("name");
    text(writer, communicator.name);
    write_numbers(writer, "ranks", communicator.ranks);
    writer.EndObject();
    writer.SetFormatOptions(rapidjson::kFormatDefault);
  }
  writer.EndArray();
}

void write_thread(Writer& writer, const RankProgram& rank, const HostThread& thread) {
  writer.StartObject();
  writer.Key("name");
  text(writer, thread.name);
  writer.Key("commands");
  writer.StartArray();
  for (const Command& command : thread.commands) {
    writer.SetFormatOptions(rapidjson::kFormatSingleLineArray);
    writer.StartArray();
    text(writer, name_of(command.type));
    write_operands(writer, rank, command);
    writer.EndArray();
    writer.SetFormatOptions(rapidjson::kFormatDefault);
  }
  writer.EndArray();
  writer.EndObject();
}

void write_ranks(Writer& writer, const Program& program) {
  writer.Key("ranks");
  writer.StartArray();
  for (std::size_t index = 0; index < program.ranks.size(); ++index) {
    const RankProgram& rank = program.ranks[index];
    writer.StartObject();
    writer.Key("rank");
    writer.Uint64(index);
    writer.Key("streams");
    writer.StartArray();
    for (const std::string& stream : rank.streams) text(writer, stream);
    writer.EndArray();
    writer.Key("threads");
    writer.StartArray();
    for (const HostThread& thread : rank.threads) write_thread(writer, rank, thread);
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
}

void write_parts(Writer& writer, const Program& program, const Kernel& kernel) {
  writer.Key("parts");
  writer.StartArray();
  for (const P2pPart& part : parts_of(program, kernel)) {
    writer.StartObject();
    writer.Key("op");
    text(writer, part.is_send ? "send" : "recv");
    if (kernel.step == StepType::batch_send_recv) {
      writer.Key("step");
      text(writer, step_label(part.step, part.stage, part.micro));
    }
    writer.Key("peer");
    writer.Int(part.peer);
    writer.Key("bytes");
    writer.Int64(part.bytes);
    writer.Key("transfer_ns");
    writer.Int64(part.transfer_ns);
    writer.EndObject();
  }
  writer.EndArray();
}

void write_kernel(Writer& writer, const Program& program, std::size_t id) {
  const Kernel& kernel = program.kernels[id];
  writer.StartObject();
  writer.Key("id");
  writer.Uint64(id);
  writer.Key("rank");
  writer.Int(kernel.rank);
  writer.Key("stream");
  text(writer, program.ranks[static_cast<std::size_t>(kernel.rank)]
                   .streams[static_cast<std::size_t>(kernel.stream)]);
  writer.Key("kind");
  text(writer, name_of(kernel.kind));
  writer.Key("part");
  text(writer, name_of(kernel.part));
  writer.Key("direction");
  text(writer, name_of(kernel.direction));
  writer.Key("step");
  text(writer, step_label(kernel));
  writer.Key("stage");
  writer.Int(kernel.stage);
  writer.Key("micro");
  writer.Int(kernel.micro);
  writer.Key("layer");
  writer.Int(layer_number(kernel.layer));
  writer.Key("launches");
  writer.Int(kernel.launches);
  if (kernel.communicator >= 0) {
    writer.Key("communicator");
    text(writer, program.communicators[static_cast<std::size_t>(kernel.communicator)].name);
  }
  if (kernel.part_count > 0) write_parts(writer, program, kernel);
  writer.Key("duration_ns");
  writer.Int64(kernel.duration_ns);
  writer.Key("bytes");
  writer.Int64(kernel.bytes);
  writer.EndObject();
}

}  // namespace

std::string program_json(const Program& program) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.SetIndent(' ', 1);
  writer.StartObject();
  writer.Key("format");
  writer.String("steptwin-program");
  writer.Key("version");
  writer.Int(1);
  write_host(writer, program.host);
  if (program.eager_bytes > 0) {
    writer.Key("eager_bytes");
    writer.Int64(program.eager_bytes);
  }
  if (program.contention.is_on()) write_contention(writer, program.contention);
  write_communicators(writer, program);
  write_ranks(writer, program);
  writer.Key("kernels");
  writer.StartArray();
  for (std::size_t id = 0; id < program.kernels.size(); ++id) write_kernel(writer, program, id);
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace steptwin
