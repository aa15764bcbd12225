#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "hw/cuda/handles.h"
#include "hw/cuda/patience.h"
#include "hw/cuda/product_plan.h"

namespace steptwin::hw::cuda {

// Matrices that the streams of a device multiply: bf16, of any size up to the largest. Read only,
// and random: products of zeros are faster, since they take less power.
class Matrices {
 public:
  static constexpr std::int32_t kLargest = 4096;

  Matrices();
  const void* left() const { return memory_.get(); }
  const void* right() const;

 private:
  DeviceMemory memory_;
};

// cuBLAS on one stream: a handle, its workspace, and where the results go.
class Products {
 public:
  explicit Products(cudaStream_t stream, const Matrices& matrices);

  void append(const PlannedProducts& products);

 private:
  struct Release {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };
  const Matrices& matrices_;
  DeviceMemory workspace_;
  DeviceMemory result_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Release> handle_;
};

// What products of each size take on the idle stream: the median of some. Ascends.
std::vector<MeasuredProduct> measure_products(Products& products, cudaStream_t stream,
                                              const Patience& patience);

}  // namespace steptwin::hw::cuda
