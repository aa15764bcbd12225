#include <cstddef>
#include <cstdint>

#include "tests/fuzz/readers.h"

// A fuzzer of libFuzzer for the reader that STEPTWIN_FUZZ_READER names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const steptwin::fuzz::Reader& reader : steptwin::fuzz::kReaders) {
    if (reader.name == STEPTWIN_FUZZ_READER) reader.read(bytes);
  }
  return 0;
}
