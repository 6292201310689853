#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include <rhyton/framework/backends/gpu/bounded_cache.h>
#include <rhyton/framework/backends/gpu/convolution.h>
#include <rhyton/framework/backends/gpu/stream.h>
#include <rhyton/framework/device/allocator.h>

namespace rhyton::gpu {

/// What decides, beside the problem, which algorithms may be used.
struct ConvolutionSettings {
  bool tensor_float_32 = false;
  bool deterministic = false;

  friend bool operator==(const ConvolutionSettings&, const ConvolutionSettings&) = default;
};

/// Those of the program now.
ConvolutionSettings current_convolution_settings();

/// How cuDNN computes one convolution. Several streams may use it at once.
class ConvolutionPlan {
 public:
  /// That cuDNN cannot.
  ConvolutionPlan() = default;
  explicit ConvolutionPlan(std::unique_ptr<const Convolution> convolution) : convolution_(std::move(convolution)) {}

  bool is_usable() const { return convolution_ != nullptr && !is_refused_.load(std::memory_order_relaxed); }
  std::size_t workspace_bytes() const {
    return convolution_ == nullptr ? 0 : convolution_->algorithm().workspace_bytes;
  }
  /// Only where `is_usable`.
  const ConvolutionAlgorithm& algorithm() const { return convolution_->algorithm(); }

  /// Each returns false, now and from then on, when cuDNN turns out not to have it.
  bool run(cudnnHandle_t handle, const ConvolutionAddresses& addresses);
  bool run_fused(cudnnHandle_t handle, const ConvolutionAddresses& addresses, const void* bias, bool relu);

 private:
  std::unique_ptr<const Convolution> convolution_;
  std::atomic<bool> is_refused_{false};
  std::atomic<bool> is_fused_refused_{false};
};

/// The plans of this process, remembered for each problem, direction, kind of device and settings. Every member
/// function may be called from several threads at once, for different streams.
class ConvolutionPlans {
 public:
  struct Limits {
    /// No algorithm may have a larger workspace.
    std::size_t most_workspace_bytes = std::size_t{256} << 20;
    /// Whether algorithms are measured when a plan is first made.
    bool measures = false;
  };
  explicit ConvolutionPlans(const Limits& limits);
  /// With the limits in the environment: RHYTON_CUDNN_WORKSPACE_MB and RHYTON_CUDNN_AUTOTUNE=1. Throws ValueError for
  /// one that cannot be read.
  static ConvolutionPlans& instance();

  /// The plan for a problem that is symmetric, not empty, and fits into 32 bits. `scratch` is where memory to measure
  /// in comes from; null measures nothing.
  std::shared_ptr<ConvolutionPlan> get(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                       const ConvolutionSettings& settings, GpuStream& stream, Allocator* scratch);

  /// Enough for `get` with any settings, now and later.
  std::size_t workspace_bytes(const ConvolutionProblem& problem, ConvolutionDirection direction, GpuStream& stream,
                              Allocator* scratch);

 private:
  struct Key {
    ConvolutionProblem problem;
    ConvolutionDirection direction;
    ConvolutionSettings settings;
    std::string device;
    std::size_t version;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  std::shared_ptr<ConvolutionPlan> make(const Key& key, GpuStream& stream, Allocator* scratch) const;

  Limits limits_;
  BoundedCache<Key, std::shared_ptr<ConvolutionPlan>, KeyHash> plans_;
};

}  // namespace rhyton::gpu
