#pragma once

#include <cudnn.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <rhyton/framework/backends/gpu/conv/problem.h>

namespace rhyton::gpu {

/// One of cuDNN's algorithms for a convolution, with its properties.
struct ConvolutionAlgorithm {
  /// The value of the enumeration for the direction.
  int number = 0;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  std::size_t workspace_bytes = 0;
  bool is_deterministic = false;
};

/// Selects from algorithms in cuDNN's order: the first deterministic one whose workspace is within the limit, as the
/// order alone is no reason for another; where there is none, the first within the limit, but nothing with
/// `deterministic`.
std::optional<ConvolutionAlgorithm> choose_algorithm(std::span<const ConvolutionAlgorithm> ranked, bool deterministic,
                                                     std::size_t max_workspace_bytes);

/// The selected algorithm, and the alternatives if cuDNN refuses it after all, the best first. None has a larger
/// workspace than the first.
std::vector<ConvolutionAlgorithm> algorithms_to_try(std::span<const ConvolutionAlgorithm> ranked, bool deterministic,
                                                    std::size_t max_workspace_bytes);

/// For logs.
std::string describe(const ConvolutionProblem& problem, ConvolutionDirection direction);
std::string describe(const ConvolutionAlgorithm& algorithm);

/// The addresses of the tensors of a convolution. For a gradient, `x` or `kernel` is written, `y` is the gradient of
/// the output. Images are NHWC, the kernel [Cout, KH, KW, Cin / groups].
struct ConvolutionAddresses {
  void* x = nullptr;
  void* kernel = nullptr;
  void* y = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// A convolution with cuDNN's descriptors: only this class calls its functions for convolutions. The problem must be
/// symmetric, not empty, and fit into 32 bits.
class Convolution {
 public:
  /// `tensor_float_32` matters for float32 only.
  Convolution(const ConvolutionProblem& problem, ConvolutionDirection direction, bool tensor_float_32);

  /// The algorithms of cuDNN, the best first by its own estimate; empty if there is none.
  std::vector<ConvolutionAlgorithm> algorithms(cudnnHandle_t handle) const;

  /// Sets the algorithm of `run`.
  void set_algorithm(const ConvolutionAlgorithm& algorithm);
  const ConvolutionAlgorithm& algorithm() const { return algorithm_; }

  /// Each submits the work to the handle's stream and returns whether cuDNN accepted it. Throws for failures of cuDNN
  /// or CUDA that do not concern the algorithm.
  bool run(cudnnHandle_t handle, const ConvolutionAddresses& addresses) const;
  /// y = x * kernel + bias; only where `is_fusible`.
  bool run_fused(cudnnHandle_t handle, const ConvolutionAddresses& addresses, const void* bias) const;
  /// Whether cuDNN supports `run_fused` for the algorithm.
  bool is_fusible() const;

 private:
  template <auto destroy>
  struct Destroyer {
    template <class Handle>
    void operator()(Handle* handle) const {
      destroy(handle);
    }
  };
  template <class Handle, auto destroy>
  using Descriptor = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<destroy>>;
  using TensorDescriptor = Descriptor<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;

  static TensorDescriptor tensor(cudnnDataType_t type, std::int64_t images, std::int64_t channels, std::int64_t rows,
                                 std::int64_t columns);
  template <class Result>
  ConvolutionAlgorithm described(const Result& result) const;
  /// The usable algorithms of cuDNN's result, each with the memory for the math it would run with.
  template <class Result>
  std::vector<ConvolutionAlgorithm> usable(cudnnHandle_t handle, std::span<const Result> results) const;
  bool workspace_bytes(cudnnHandle_t handle, const ConvolutionAlgorithm& algorithm, std::size_t& bytes) const;
  /// Whether a query has succeeded; false where cuDNN refuses it, for whatever reason that concerns this convolution.
  bool is_answered(cudnnStatus_t status, const char* call) const;
  void log_refusal(cudnnStatus_t status, const char* call) const;
  /// Whether the call has succeeded; throws as `run` does.
  bool is_done(cudnnStatus_t status, const char* call) const;

  ConvolutionProblem problem_;
  ConvolutionDirection direction_;
  /// Whether factors must keep all bits of float32.
  bool is_exact_;
  cudnnMathType_t math_;
  ConvolutionAlgorithm algorithm_;
  TensorDescriptor x_;
  TensorDescriptor y_;
  TensorDescriptor bias_;
  Descriptor<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor> kernel_;
  Descriptor<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor> convolution_;
  Descriptor<cudnnActivationDescriptor_t, cudnnDestroyActivationDescriptor> identity_;
};

}  // namespace rhyton::gpu
