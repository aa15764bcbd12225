#include "cli/machine_report.h"

#include <fmt/format.h>

#include "cli/json_writer.h"

namespace steptwin::cli {
namespace {

std::string row(std::string_view name, const MachineFigure& figure) {
  return fmt::format("  {:<12} {:>10.2f} us   +- {:.2f} us, {} samples\n", name, figure.us,
                     figure.residual_us, figure.samples);
}

std::string row(std::string_view name, const MachineFit& fit, double unit, std::string_view rate) {
  const std::string speed =
      fit.per_second > 0 ? fmt::format("{:.3g} {}", fit.per_second / unit, rate) : "any rate";
  return fmt::format("  {:<12} {:>10.2f} us   + {}, residual {:.1f} %, {} samples\n", name,
                     fit.latency_us, speed, fit.residual * 100, fit.samples);
}

void write(JsonWriter& writer, const char* key, const MachineFigure& figure) {
  writer.Key(key);
  writer.StartObject();
  writer.Key("us");
  writer.Double(figure.us);
  writer.Key("residual_us");
  writer.Double(figure.residual_us);
  writer.Key("samples");
  writer.Int(figure.samples);
  writer.EndObject();
}

void write(JsonWriter& writer, const char* key, const MachineFit& fit) {
  writer.Key(key);
  writer.StartObject();
  writer.Key("latency_us");
  writer.Double(fit.latency_us);
  writer.Key("per_second");
  writer.Double(fit.per_second);
  writer.Key("residual");
  writer.Double(fit.residual);
  writer.Key("samples");
  writer.Int(fit.samples);
  writer.EndObject();
}

void write(JsonWriter& writer, const char* key, const std::string& text) {
  writer.Key(key);
  writer.String(text.c_str(), static_cast<rapidjson::SizeType>(text.size()));
}

}  // namespace

std::string machine_report(const Machine& machine) {
  constexpr double kGiga = 1e9;
  std::string text = fmt::format("{}, {} cores, {} backend, {}\n\n", machine.name, machine.cores,
                                 machine.backend, machine.date);
  text += "Host threads\n";
  text += row("launch", machine.launch) + row("event", machine.event);
  text += row("rendezvous", machine.rendezvous) + row("wake", machine.wake);
  text += row("fork", machine.fork) + row("resume", machine.resume);
  text += "\nKernels\n";
  text += row("product", machine.product, kGiga, "Gflop/s");
  text += row("copy", machine.copy, kGiga, "GB/s");
  text += row("transfer", machine.transfer, kGiga, "GB/s");
  text += row("all-to-all", machine.collective, kGiga, "GB/s");
  text += row("lateness", machine.lateness);
  text += fmt::format(
      "\nTogether\n  {:.2f} cores' worth of products on {} cores; beside a copy a product loses "
      "{:.0f} %,\n  a copy {:.0f} %\n",
      machine.effective_cores, machine.cores, machine.compute_loss * 100, machine.comm_loss * 100);
  if (!machine.noise.empty()) text += "\nToo noisy to trust: " + machine.noise + "\n";
  return text;
}

std::string machine_json(const Machine& machine) {
  rapidjson::StringBuffer buffer;
  JsonWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write(writer, "name", machine.name);
  write(writer, "date", machine.date);
  write(writer, "backend", machine.backend);
  writer.Key("cores");
  writer.Int(machine.cores);
  write(writer, "noise", machine.noise);
  write(writer, "launch", machine.launch);
  write(writer, "event", machine.event);
  write(writer, "rendezvous", machine.rendezvous);
  write(writer, "wake", machine.wake);
  write(writer, "fork", machine.fork);
  write(writer, "resume", machine.resume);
  write(writer, "product", machine.product);
  write(writer, "copy", machine.copy);
  write(writer, "transfer", machine.transfer);
  write(writer, "collective", machine.collective);
  write(writer, "lateness", machine.lateness);
  writer.Key("effective_cores");
  writer.Double(machine.effective_cores);
  writer.Key("compute_loss");
  writer.Double(machine.compute_loss);
  writer.Key("comm_loss");
  writer.Double(machine.comm_loss);
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace steptwin::cli
