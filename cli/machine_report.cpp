#include "cli/machine_report.h"

#include <fmt/format.h>

#include "reports/json_figures.h"

namespace steptwin::cli {
namespace {

namespace json = reports::json;

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

void write(json::Writer& writer, const char* key, const MachineFigure& figure) {
  json::key(writer, key);
  writer.StartObject();
  json::number(writer, "us", figure.us);
  json::number(writer, "residual_us", figure.residual_us);
  json::count(writer, "samples", figure.samples);
  writer.EndObject();
}

void write(json::Writer& writer, const char* key, const MachineFit& fit) {
  json::key(writer, key);
  writer.StartObject();
  json::number(writer, "latency_us", fit.latency_us);
  json::number(writer, "per_second", fit.per_second);
  json::number(writer, "residual", fit.residual);
  json::count(writer, "samples", fit.samples);
  writer.EndObject();
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
  json::Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  json::text(writer, "name", machine.name);
  json::text(writer, "date", machine.date);
  json::text(writer, "backend", machine.backend);
  json::count(writer, "cores", machine.cores);
  json::text(writer, "noise", machine.noise);
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
  json::number(writer, "effective_cores", machine.effective_cores);
  json::number(writer, "compute_loss", machine.compute_loss);
  json::number(writer, "comm_loss", machine.comm_loss);
  writer.EndObject();
  return json::text_of(buffer);
}

}  // namespace steptwin::cli
