#pragma once

#include <array>

#include <rhyton/framework/backends/cpu/conv/max_pool_geometry.h>
#include <rhyton/framework/backends/cpu/pooling/max_pool.h>

namespace rhyton::cpu {

/// The general form of the derivatives of a convolution followed by a max-pooling: one image after the other is
/// unpooled, and passed to the dense kernel of a convolution's derivative.
template <class T>
class Unpooled {
 public:
  /// `dense` is the op of that derivative, `x` are the images and `other` is the kernel: one of the two is its first
  /// input, the other its output.
  Unpooled(const ConvMaxPoolGeometry& geometry, const Op& dense, const TensorSpec& x, const TensorSpec& other,
           void* workspace)
      : pool_(geometry.pool),
        pooled_size_(geometry.pooled_pixels() * geometry.conv.filters),
        images_(geometry.conv.images),
        one_image_(x),
        full_{{1, geometry.conv.rows.output, geometry.conv.columns.output, geometry.conv.filters}, x.dtype},
        cutter_(workspace) {
    pool_.images = 1;
    one_image_.shape[0] = 1;
    const bool reads_images = dynamic_cast<const Conv2DKernelGradientOp*>(&dense) != nullptr;
    const std::array<TensorSpec, 2> inputs = {reads_images ? one_image_ : other, full_};
    const std::array<TensorSpec, 1> outputs = {reads_images ? other : one_image_};
    kernel_ = reads_images ? conv_kernel_gradient_kernel<T>() : conv_input_gradient_kernel<T>();
    gradient_ = cutter_.take<T>(full_.shape.size());
    workspace_ = cutter_.take<std::byte>(static_cast<std::int64_t>(kernel_.workspace_bytes(dense, inputs, outputs)));
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }
  const Kernel& kernel() const { return kernel_; }
  const TensorSpec& one_image() const { return one_image_; }
  void* workspace() { return workspace_; }

  /// Calls function(image, the gradient of the convolution's output for that image).
  template <class Function>
  void for_each_image(const T* dy, const std::uint8_t* index, Function&& function) {
    for (std::int64_t image = 0; image < images_; ++image) {
      max_pool_gradient(pool_, dy + image * pooled_size_, index + image * pooled_size_, gradient_);
      function(image, TensorView{gradient_, full_});
    }
  }

 private:
  PoolGeometry pool_;
  std::int64_t pooled_size_;
  std::int64_t images_;
  TensorSpec one_image_;
  TensorSpec full_;
  Kernel kernel_;
  WorkspaceCutter cutter_;
  T* gradient_ = nullptr;
  std::byte* workspace_ = nullptr;
};

}  // namespace rhyton::cpu
