#pragma once

#include <rhyton/framework/backends/cpu/conv/geometry.h>
#include <rhyton/framework/backends/cpu/pooling/geometry.h>

namespace rhyton::cpu {

// Convolutions of a kernel of 3 x 3, 1 x 3 or 1 x 5, stride 1, no dilation and one group by minimal filtering, for
// float and double. The kernel is transformed by `pack`, once per run of a plan.

bool fits_winograd(const ConvGeometry& geometry);

/// y = activation(conv2d(x, kernel) + bias).
template <class T>
class WinogradForward {
 public:
  WinogradForward(const ConvGeometry& geometry, ConvAlgorithm algorithm) : geometry_(geometry), algorithm_(algorithm) {}

  std::size_t packed_bytes() const;
  void pack(const T* kernel, T* to) const;
  std::size_t workspace_bytes() const;
  /// `result` has bias and activation.
  void run(const T* x, const T* packed, const TileResult<T>& result, T* y, void* workspace) const;

 private:
  const ConvGeometry& geometry_;
  ConvAlgorithm algorithm_;
};

/// The same followed by a max-pooling of 2 x 2, for a geometry that is cropped to the windows.
template <class T>
class WinogradForwardPooled {
 public:
  WinogradForwardPooled(const ConvGeometry& geometry, ConvAlgorithm algorithm)
      : geometry_(geometry), algorithm_(algorithm) {}
  /// Whether the tiles consist of whole windows.
  static bool fits(const ConvGeometry& geometry, const PoolGeometry& pool) {
    return fits_winograd(geometry) && geometry.rows.window == 3 && pool.rows.window == 2 && pool.columns.window == 2;
  }

  std::size_t packed_bytes() const;
  void pack(const T* kernel, T* to) const;
  std::size_t workspace_bytes() const;
  void run(const T* x, const T* packed, const TileResult<T>& result, T* y, std::uint8_t* index, void* workspace) const;

 private:
  const ConvGeometry& geometry_;
  ConvAlgorithm algorithm_;
};

/// The derivative with respect to the images.
template <class T>
class WinogradInputGradient {
 public:
  WinogradInputGradient(const ConvGeometry& geometry, ConvAlgorithm algorithm)
      : geometry_(geometry), algorithm_(algorithm) {}

  std::size_t packed_bytes() const;
  void pack(const T* kernel, T* to) const;
  std::size_t workspace_bytes() const;
  void run(const T* dy, const T* packed, T* dx, void* workspace) const;

 private:
  const ConvGeometry& geometry_;
  ConvAlgorithm algorithm_;
};

/// The derivative with respect to the kernel, with tiles of 2 x 2, or of 4 x 4.
template <class T>
class WinogradKernelDerivative {
 public:
  WinogradKernelDerivative(const ConvGeometry& geometry, ConvAlgorithm algorithm)
      : geometry_(geometry), algorithm_(algorithm) {}

  std::size_t workspace_bytes() const;
  void run(const T* x, const T* dy, T* gradient, bool accumulate, void* workspace) const;

 private:
  const ConvGeometry& geometry_;
  ConvAlgorithm algorithm_;
};

}  // namespace rhyton::cpu
