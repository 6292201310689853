#pragma once

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <vector>

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

struct cudnnTensorStruct {
  bool is_set = false;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::array<int, 4> nchw = {};
};

struct cudnnFilterStruct {
  bool is_set = false;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::array<int, 4> kcrs = {};
};

struct cudnnActivationStruct {
  bool is_set = false;
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
};

struct cudnnConvolutionStruct {
  bool is_set = false;
  std::array<int, 2> pad = {};
  std::array<int, 2> stride = {};
  std::array<int, 2> dilation = {};
  cudnnConvolutionMode_t mode = CUDNN_CONVOLUTION;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int groups = 1;
};

namespace rhyton::cuda_emulation {

/// The status of this call: that of a refusal if a test requests one.
cudnnStatus_t answer_to(CudnnRefusal what);
void note_query();
void note_call(int algorithm, cudnnMathType_t math, bool fused = false, bool relu = false);

enum class Direction { forward, data, filter };

std::size_t bytes_of(cudnnDataType_t type);
double read(const void* data, cudnnDataType_t type, std::int64_t index);
void write(void* data, cudnnDataType_t type, std::int64_t index, double value);
/// Reads a scaling factor, which is double for tensors of double and float otherwise.
double factor(const void* address, cudnnDataType_t type);

/// Elements of a tensor n, c, h, w, or of a filter k, c, r, s.
struct Elements {
  cudnnDataType_t type;
  std::array<int, 4> lengths;
  std::array<std::int64_t, 4> strides;

  Elements(cudnnDataType_t type, cudnnTensorFormat_t format, const std::array<int, 4>& lengths)
      : type(type), lengths(lengths) {
    const std::int64_t c = lengths[1];
    const std::int64_t h = lengths[2];
    const std::int64_t w = lengths[3];
    if (format == CUDNN_TENSOR_NHWC) {
      strides = {h * w * c, 1, w * c, c};
    } else {
      strides = {c * h * w, h * w, w, 1};
    }
  }

  std::int64_t at(int n, int c, int h, int w) const {
    return n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3];
  }
  std::int64_t size() const { return std::int64_t{1} * lengths[0] * lengths[1] * lengths[2] * lengths[3]; }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * bytes_of(type); }
};

struct Problem {
  Elements x;
  Elements w;
  Elements y;
  cudnnConvolutionStruct convolution;

  /// Calls function(element of x, element of w, element of y) for each product.
  template <class Function>
  void for_each_product(const Function& function) const {
    const int group_channels = w.lengths[1];
    const int group_filters = w.lengths[0] / convolution.groups;
    for (int n = 0; n < y.lengths[0]; ++n) {
      for (int k = 0; k < y.lengths[1]; ++k) {
        for (int p = 0; p < y.lengths[2]; ++p) {
          for (int q = 0; q < y.lengths[3]; ++q) {
            for (int r = 0; r < w.lengths[2]; ++r) {
              const int h = p * convolution.stride[0] - convolution.pad[0] + r * convolution.dilation[0];
              if (h < 0 || h >= x.lengths[2]) continue;
              for (int s = 0; s < w.lengths[3]; ++s) {
                const int v = q * convolution.stride[1] - convolution.pad[1] + s * convolution.dilation[1];
                if (v < 0 || v >= x.lengths[3]) continue;
                const bool flips = convolution.mode == CUDNN_CONVOLUTION;
                const int tap_row = flips ? w.lengths[2] - 1 - r : r;
                const int tap_column = flips ? w.lengths[3] - 1 - s : s;
                for (int c = 0; c < group_channels; ++c) {
                  function(x.at(n, k / group_filters * group_channels + c, h, v), w.at(k, c, tap_row, tap_column),
                           y.at(n, k, p, q));
                }
              }
            }
          }
        }
      }
    }
  }
};

/// Checks whether the descriptors describe one convolution.
cudnnStatus_t verify(cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                     cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y);
Problem problem_of(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t convolution,
                   cudnnTensorDescriptor_t y);

/// An algorithm as the library describes it; `bytes` is the size of its workspace.
struct RankedAlgorithm {
  int number;
  cudnnDeterminism_t determinism;
  cudnnStatus_t status;
  std::size_t bytes;
};
/// All algorithms for a direction, the fastest first in the emulation's order.
std::vector<RankedAlgorithm> ranked_algorithms(Direction direction, const Problem& problem);
cudnnStatus_t workspace_bytes(Direction direction, const Problem& problem, int number, std::size_t& bytes);

/// Checks a call with these addresses.
cudnnStatus_t verify_call(Direction direction, const Problem& problem, int algorithm, const void* workspace,
                          std::size_t workspace_size, std::initializer_list<const void*> addresses);

}  // namespace rhyton::cuda_emulation
