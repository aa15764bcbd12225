#include <dlfcn.h>
#include <fmt/format.h>
#include <stdexcept>

#include "hw/cuda/backend.h"
#include "hw/cuda/module.h"

namespace steptwin::hw::cuda {
namespace {

// Null if it cannot be loaded; dlerror says why. It stays for good: the toolkit does not like to
// be unloaded.
const Module* load() {
  void* handle = dlopen(kModuleFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  // POSIX has it that a function may be looked up so.
  const auto module = reinterpret_cast<const Module* (*)()>(dlsym(handle, kModuleSymbol));
  return module == nullptr ? nullptr : module();
}

std::string load_failure() {
  const char* reason = dlerror();
  return fmt::format("the CUDA toolkit cannot be loaded: {}",
                     reason == nullptr ? "no reason given" : reason);
}

}  // namespace

Probe probe() {
  const Module* module = load();
  return module == nullptr ? Probe{0, "", load_failure()} : module->probe();
}

std::unique_ptr<Job> make_job(const Program& program, const Settings& settings, Stop& stop,
                              Team* team) {
  const Module* module = load();
  if (module == nullptr) throw std::runtime_error(load_failure());
  return module->make_job(program, settings, stop, team);
}

}  // namespace steptwin::hw::cuda
