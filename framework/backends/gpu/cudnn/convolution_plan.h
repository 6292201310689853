#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <rhyton/framework/backends/gpu/cudnn/convolution.h>
#include <rhyton/framework/backends/gpu/runtime/bounded_cache.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// The settings that, besides the problem, determine which algorithms may be used.
struct ConvolutionSettings {
  bool tensor_float_32 = false;
  bool deterministic = false;

  friend bool operator==(const ConvolutionSettings&, const ConvolutionSettings&) = default;
};

/// The current settings of the program.
ConvolutionSettings current_convolution_settings();

/// The algorithms of one convolution. Several streams may use it at once.
class ConvolutionPlan {
 public:
  /// Uses the first of the algorithms, and the next one whenever cuDNN refuses it. None may have a larger workspace
  /// than the first; without any, cuDNN is not usable.
  ConvolutionPlan(const ConvolutionProblem& problem, ConvolutionDirection direction, bool tensor_float_32,
                  std::vector<ConvolutionAlgorithm> algorithms);

  bool is_usable() const { return current() != nullptr; }
  /// The maximum of all algorithms.
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// Only where `is_usable`.
  ConvolutionAlgorithm algorithm() const { return current()->algorithm(); }

  /// Each returns false, now and from then on, when cuDNN refuses all algorithms.
  bool run(cudnnHandle_t handle, const ConvolutionAddresses& addresses);
  /// With the bias added.
  bool run_fused(cudnnHandle_t handle, const ConvolutionAddresses& addresses, const void* bias);

 private:
  std::shared_ptr<const Convolution> current() const;
  /// Switches to the next algorithm, unless another stream has already done so.
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

/// The plans of this process, cached by problem, direction, kind of device and settings. Every member function may be
/// called from several threads at once, for different streams.
class ConvolutionPlans {
 public:
  static constexpr std::size_t default_max_workspace_bytes = std::size_t{256} << 20;

  /// No algorithm has a larger workspace than the maximum.
  explicit ConvolutionPlans(std::size_t max_workspace_bytes = default_max_workspace_bytes);
  /// With the maximum of the environment, RHYTON_CUDNN_WORKSPACE_MB. Throws ValueError for an invalid one.
  static ConvolutionPlans& instance();

  /// The plan for a problem that is symmetric, not empty, and fits into 32 bits.
  std::shared_ptr<ConvolutionPlan> get(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                       const ConvolutionSettings& settings, GpuStream& stream);

  /// The maximum for `get` with any settings.
  std::size_t workspace_bytes(const ConvolutionProblem& problem, ConvolutionDirection direction, GpuStream& stream);

 private:
  struct Key {
    ConvolutionProblem problem;
    ConvolutionDirection direction;
    ConvolutionSettings settings;
    std::string device;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  static Key key_of(const ConvolutionProblem& problem, ConvolutionDirection direction,
                    const ConvolutionSettings& settings, const GpuStream& stream);
  /// The algorithms that plans select from, whether or not they must be deterministic.
  std::vector<ConvolutionAlgorithm> ranked(Key key, GpuStream& stream);

  std::size_t max_workspace_bytes_;
  BoundedCache<Key, std::shared_ptr<ConvolutionPlan>, KeyHash> plans_;
  /// For each kind of products once: the keys are those of plans that need not be deterministic.
  BoundedCache<Key, std::vector<ConvolutionAlgorithm>, KeyHash> ranked_;
};

}  // namespace rhyton::gpu
