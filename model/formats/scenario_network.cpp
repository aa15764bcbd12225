#include <fmt/format.h>

#include "model/formats/scenario_sections.h"
#include "model/formats/scenario_words.h"

namespace steptwin {
namespace {

constexpr std::size_t kMostStreamNameBytes = 64;

void read_link(const TomlTable& link, LinkKeys& keys) {
  refuse_unknown_keys(link, {"latency_us", "bandwidth"});
  keys = LinkKeys{};
  read_duration_us(link, "latency_us", keys.latency_us);
  read_bandwidth(link, "bandwidth", keys.bandwidth);
}

// "" leaves the class to the preset.
void read_stream(const TomlTable& section, std::string_view key, std::string& into) {
  const auto value = find(section, key);
  if (!value) return;
  const std::string expected = fmt::format(
      "the name of a stream: letters, digits, '_', '-' and '.', at most {}", kMostStreamNameBytes);
  into = text_of(*value, expected);
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const bool other = into.find_first_not_of(kAllowed) != std::string::npos;
  if (other || into.size() > kMostStreamNameBytes) refuse(*value, expected);
  if (into == "compute") refuse(*value, "another stream than that of the compute kernels");
}

}  // namespace

void read_network(const TomlTable& section, NetworkKeys& keys) {
  refuse_unknown_keys(section, {"p2p_latency_us", "p2p_bandwidth", "intra_node", "inter_node",
                                "device_host", "devices_per_node", "eager_bytes"});
  read_duration_us(section, "p2p_latency_us", keys.p2p_latency_us);
  read_bandwidth(section, "p2p_bandwidth", keys.p2p_bandwidth);
  read_int32(section, "devices_per_node", 1, kMostRanks, keys.devices_per_node);
  const auto intra_node = find_table(section, "intra_node");
  const auto inter_node = find_table(section, "inter_node");
  if (intra_node || inter_node) {
    keys.by_node = true;
    keys.intra_node = LinkKeys{keys.p2p_latency_us, keys.p2p_bandwidth};
    keys.inter_node = keys.intra_node;
    if (intra_node) read_link(*intra_node, keys.intra_node);
    if (inter_node) read_link(*inter_node, keys.inter_node);
  }
  if (const auto link = find_table(section, "device_host")) read_link(*link, keys.device_host);
  read_bytes(section, "eager_bytes", keys.eager_bytes);
}

void read_streams(const TomlTable& section, StreamKeys& keys) {
  refuse_unknown_keys(section,
                      {"preset", "ep", "p2p", "p2p_forward", "p2p_backward", "fsdp", "data"});
  read_word(section, "preset", kStreamPresets, keys.preset);
  read_stream(section, "ep", keys.ep);
  read_stream(section, "p2p", keys.p2p);
  read_stream(section, "p2p_forward", keys.p2p_forward);
  read_stream(section, "p2p_backward", keys.p2p_backward);
  read_stream(section, "fsdp", keys.fsdp);
  read_stream(section, "data", keys.data);
}

}  // namespace steptwin
