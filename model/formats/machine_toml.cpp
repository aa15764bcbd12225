#include "model/formats/machine_toml.h"

#include <fmt/format.h>
#include <limits>

#include "model/formats/toml_table.h"

namespace steptwin {
namespace {

constexpr double kMostUs = 1e9;
constexpr double kMostRate = 1e18;
constexpr std::int64_t kMostCount = std::numeric_limits<std::int32_t>::max();

double number(const TomlTable& table, std::string_view key, double most) {
  return number_of(require(table, key, "a number"), 0, most);
}

std::int32_t count(const TomlTable& table, std::string_view key) {
  return static_cast<std::int32_t>(
      integer_of(require(table, key, "a whole number"), 0, kMostCount));
}

TomlTable section(const TomlTable& table, std::string_view key) {
  return as_table(require(table, key, "a table"));
}

MachineFigure figure(const TomlTable& host, std::string_view key) {
  const TomlTable table = section(host, key);
  refuse_unknown_keys(table, {"us", "residual_us", "samples"});
  return {number(table, "us", kMostUs), number(table, "residual_us", kMostUs),
          count(table, "samples")};
}

MachineFit fit(const TomlTable& document, std::string_view key, std::string_view rate) {
  const TomlTable table = section(document, key);
  refuse_unknown_keys(table, {"latency_us", rate, "residual", "samples"});
  return {number(table, "latency_us", kMostUs), number(table, rate, kMostRate),
          number(table, "residual", kMostRate), count(table, "samples")};
}

std::string string_of(const TomlTable& table, std::string_view key) {
  return text_of(require(table, key, "a string"), "a string");
}

std::string line(std::string_view key, const MachineFigure& value) {
  return fmt::format("{} = {{ us = {:.3f}, residual_us = {:.3f}, samples = {} }}\n", key, value.us,
                     value.residual_us, value.samples);
}

std::string line(std::string_view key, const MachineFit& value, std::string_view rate) {
  return fmt::format(
      "{} = {{ latency_us = {:.3f}, {} = {:.1f}, residual = {:.4f}, samples = {} }}\n", key,
      value.latency_us, rate, value.per_second, value.residual, value.samples);
}

constexpr std::string_view kFlops = "flops_per_second";
constexpr std::string_view kBytes = "bytes_per_second";

}  // namespace

Machine read_machine(std::string_view text, const std::string& file) {
  const toml::table tree = toml_document(text, file, {});
  const TomlTable document = whole_document(tree, file);
  refuse_unknown_keys(document, {"name", "date", "backend", "cores", "noise", "host", "product",
                                 "copy", "transfer", "collective", "lateness", "contention"});
  Machine machine;
  machine.name = string_of(document, "name");
  machine.date = string_of(document, "date");
  machine.backend = string_of(document, "backend");
  machine.cores = count(document, "cores");
  machine.noise = string_of(document, "noise");
  const TomlTable host = section(document, "host");
  refuse_unknown_keys(host, {"launch", "event", "rendezvous", "wake", "fork", "resume"});
  machine.launch = figure(host, "launch");
  machine.event = figure(host, "event");
  machine.rendezvous = figure(host, "rendezvous");
  machine.wake = figure(host, "wake");
  machine.fork = figure(host, "fork");
  machine.resume = figure(host, "resume");
  machine.product = fit(document, "product", kFlops);
  machine.copy = fit(document, "copy", kBytes);
  machine.transfer = fit(document, "transfer", kBytes);
  machine.collective = fit(document, "collective", kBytes);
  machine.lateness = figure(document, "lateness");
  const TomlTable contention = section(document, "contention");
  refuse_unknown_keys(contention, {"effective_cores", "compute_loss", "comm_loss"});
  constexpr double kMostCores = 65536;
  constexpr double kMostLoss = 0.999;
  machine.effective_cores = number(contention, "effective_cores", kMostCores);
  machine.compute_loss = number(contention, "compute_loss", kMostLoss);
  machine.comm_loss = number(contention, "comm_loss", kMostLoss);
  return machine;
}

std::string machine_text(const Machine& machine) {
  std::string out = "# What this machine was measured to be: steptwin calibrate\n";
  out += fmt::format("name = {}\ndate = {}\nbackend = {}\ncores = {}\n", toml_string(machine.name),
                     toml_string(machine.date), toml_string(machine.backend), machine.cores);
  out += fmt::format("noise = {}  # why it is too noisy to trust; empty: it is not\n",
                     toml_string(machine.noise));
  out += "\n# duration = latency + amount / rate; the residual is a share of what was measured\n";
  out += line("product", machine.product, kFlops);
  out += line("copy", machine.copy, kBytes);
  out += line("transfer", machine.transfer, kBytes);
  out += line("collective", machine.collective, kBytes);
  out += line("lateness", machine.lateness);
  out += "\n[host]\n";
  out += line("launch", machine.launch);
  out += line("event", machine.event);
  out += line("rendezvous", machine.rendezvous);
  out += line("wake", machine.wake);
  out += line("fork", machine.fork);
  out += line("resume", machine.resume);
  out += fmt::format(
      "\n[contention]\neffective_cores = {:.3f}\ncompute_loss = {:.4f}\n"
      "comm_loss = {:.4f}\n",
      machine.effective_cores, machine.compute_loss, machine.comm_loss);
  return out;
}

}  // namespace steptwin
