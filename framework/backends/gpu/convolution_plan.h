#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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
  /// With the first of the algorithms, and with the next one whenever cuDNN turns out not to have the one before. None
  /// may have a larger workspace than the first; where there is none, cuDNN cannot.
  ConvolutionPlan(const ConvolutionProblem& problem, ConvolutionDirection direction, bool tensor_float_32,
                  std::vector<ConvolutionAlgorithm> algorithms);

  bool is_usable() const { return current() != nullptr; }
  /// Enough for all algorithms.
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// Only where `is_usable`.
  ConvolutionAlgorithm algorithm() const { return current()->algorithm(); }

  /// Each returns false, now and from then on, when cuDNN turns out not to have it.
  bool run(cudnnHandle_t handle, const ConvolutionAddresses& addresses);
  /// With the bias added.
  bool run_fused(cudnnHandle_t handle, const ConvolutionAddresses& addresses, const void* bias);

 private:
  std::shared_ptr<const Convolution> current() const;
  /// Goes on to the next algorithm, unless another stream has done so.
  void replace(const std::shared_ptr<const Convolution>& refused);
  /// Null after the last algorithm.
  std::shared_ptr<const Convolution> make_next();

  ConvolutionProblem problem_;
  ConvolutionDirection direction_;
  bool tensor_float_32_;
  std::vector<ConvolutionAlgorithm> algorithms_;
  std::size_t workspace_bytes_;
  std::atomic<bool> is_fused_refused_{false};
  mutable std::mutex mutex_;
  // Both are guarded by the mutex. A convolution never changes, as other streams may be about to run it.
  std::size_t next_ = 0;
  std::shared_ptr<const Convolution> convolution_;
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

  /// What plans choose from, whether they are to be deterministic or not.
  struct Choices {
    std::vector<ConvolutionAlgorithm> ranked;
    /// Enough for every one that is within the limit.
    std::size_t most_workspace_bytes = 0;
  };

  static Key key_of(const ConvolutionProblem& problem, ConvolutionDirection direction,
                    const ConvolutionSettings& settings, const GpuStream& stream);
  std::shared_ptr<const Choices> choices(const Key& key, GpuStream& stream, Allocator* scratch);
  /// Measured only where there is an allocator.
  std::shared_ptr<const Choices> find_choices(const Key& key, GpuStream& stream, Allocator* scratch) const;
  std::shared_ptr<ConvolutionPlan> make(const Key& key, GpuStream& stream, Allocator* scratch);

  Limits limits_;
  BoundedCache<Key, std::shared_ptr<ConvolutionPlan>, KeyHash> plans_;
  BoundedCache<Key, std::shared_ptr<const Choices>, KeyHash> measured_;
};

}  // namespace rhyton::gpu
