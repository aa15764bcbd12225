#include "hw/cuda/products.h"

#include <doctest/doctest.h>

#include "tests/hw/cuda/fake_run.h"

namespace steptwin::hw::cuda {
namespace {

// System: a device of 100 TFLOP/s, so that a product of 2048^3 takes 172 us.
TEST_CASE("products are measured as what they take, in ascending order") {
  const FakeMachine machine(1);
  const Stop stop;
  const Stream stream = make_stream(Urgency::ordinary);
  const Matrices matrices;
  Products products(stream.get(), matrices);
  const std::vector<MeasuredProduct> measured =
      measure_products(products, stream.get(), {stop, std::chrono::seconds(5)});
  REQUIRE(measured.size() == 6);
  for (std::size_t index = 1; index < measured.size(); ++index) {
    CHECK(measured[index].size == 2 * measured[index - 1].size);
  }
  CHECK(measured[4].size == 2048);
  CHECK(measured[4].took_ns >= 171'000);
  CHECK(measured[5].took_ns >= 1'374'000);
  CHECK(fake_gpu::calls("cublasGemmEx") == 6 * 60);
}

}  // namespace
}  // namespace steptwin::hw::cuda
