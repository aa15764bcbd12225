#include "model/formats/machine_toml.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"

namespace steptwin {
namespace {

const std::string kText = R"(# What this machine was measured to be: steptwin calibrate
name = "bench \"4\""
date = "2026-11-30"
backend = "host"
cores = 4
noise = "too noisy"  # why it is too noisy to trust; empty: it is not

# duration = latency + amount / rate; the residual is a share of what was measured
product = { latency_us = 0.250, flops_per_second = 51200000000.0, residual = 0.0125, samples = 100 }
copy = { latency_us = 1.000, bytes_per_second = 8000000000.5, residual = 0.0200, samples = 24 }
transfer = { latency_us = 55.125, bytes_per_second = 3000000000.0, residual = 0.0300, samples = 48 }
collective = { latency_us = 60.000, bytes_per_second = 0.0, residual = 0.0400, samples = 49 }
lateness = { us = 2.500, residual_us = 0.125, samples = 12 }

[host]
launch = { us = 1.500, residual_us = 0.250, samples = 1 }
event = { us = 0.750, residual_us = 0.001, samples = 2 }
rendezvous = { us = 3.000, residual_us = 0.000, samples = 3 }
wake = { us = 40.000, residual_us = 4.000, samples = 4 }
fork = { us = 20.000, residual_us = 5.000, samples = 5 }
resume = { us = 6.000, residual_us = 6.000, samples = 6 }

[contention]
effective_cores = 3.750
compute_loss = 0.1250
comm_loss = 0.2500
)";

TEST_CASE("machine file: every figure is read, and written as it was") {
  const Machine machine = read_machine(kText, "m.toml");
  CHECK(machine.name == "bench \"4\"");
  CHECK(machine.date == "2026-11-30");
  CHECK(machine.backend == "host");
  CHECK(machine.cores == 4);
  CHECK(machine.noise == "too noisy");
  CHECK(machine.product.latency_us == 0.25);
  CHECK(machine.product.per_second == 51.2e9);
  CHECK(machine.product.residual == 0.0125);
  CHECK(machine.product.samples == 100);
  CHECK(machine.copy.per_second == 8000000000.5);
  CHECK(machine.transfer.latency_us == 55.125);
  CHECK(machine.collective.per_second == 0);
  CHECK(machine.collective.samples == 49);
  CHECK(machine.lateness.us == 2.5);
  CHECK(machine.launch.us == 1.5);
  CHECK(machine.launch.residual_us == 0.25);
  CHECK(machine.event.us == 0.75);
  CHECK(machine.rendezvous.samples == 3);
  CHECK(machine.wake.us == 40);
  CHECK(machine.fork.us == 20);
  CHECK(machine.resume.us == 6);
  CHECK(machine.effective_cores == 3.75);
  CHECK(machine.compute_loss == 0.125);
  CHECK(machine.comm_loss == 0.25);
  CHECK(machine_text(machine) == kText);
}

TEST_CASE("machine file: a machine that never was measured reads back as well") {
  const std::string text = machine_text({});
  CHECK(machine_text(read_machine(text, "m.toml")) == text);
}

std::string replaced(const std::string& what, const std::string& by) {
  std::string text = kText;
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

std::string error_of(const std::string& text) {
  try {
    (void)read_machine(text, "m.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("machine file: what is wrong is told where it is") {
  CHECK(error_of(replaced("cores = 4", "cores = -4")) ==
        "m.toml:5:9: error: cores is -4; expected a whole number from 0 to 2147483647");
  CHECK(error_of(replaced("cores = 4", "cores = 4\nkernels = 3"))
            .starts_with("m.toml:6:1: error: unknown key \"kernels\"; expected one of name, "));
  CHECK(error_of(replaced("us = 40.000", "us = nan"))
            .starts_with("m.toml:19:15: error: host.wake.us"));
  CHECK(error_of(replaced("us = 40.000", "us = \"40\""))
            .starts_with("m.toml:19:15: error: host.wake.us is \"40\"; expected a number"));
  CHECK(error_of(replaced("us = 40.000, ", "")).starts_with("m.toml:19:"));
  CHECK(error_of(replaced("event = {", "evnt = {")).find("event") != std::string::npos);
  CHECK(error_of(replaced("compute_loss = 0.1250", "compute_loss = 1"))
            .starts_with("m.toml:25:16: error: contention.compute_loss is 1; expected "));
  CHECK(error_of(replaced("bytes_per_second = 3000000000.0", "flops_per_second = 3"))
            .starts_with("m.toml:11:"));
  CHECK(error_of(replaced("[contention]", "[contentions]")).find("contention") !=
        std::string::npos);
  CHECK(error_of("").starts_with("m.toml:1:1: error: "));
  CHECK(error_of("name = ").starts_with("m.toml:1:"));
  CHECK(error_of(kText.substr(0, kText.find("[contention]"))).find("contention") !=
        std::string::npos);
}

}  // namespace
}  // namespace steptwin
