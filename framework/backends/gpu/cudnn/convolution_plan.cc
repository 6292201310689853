#include <rhyton/framework/backends/gpu/cudnn/convolution_plan.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <string_view>

#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/backends/gpu/runtime/precision.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton::gpu {
namespace {

constexpr std::size_t max_plans = 4096;

std::size_t max_workspace_bytes_of_environment() {
  const auto text = environment_if_set("RHYTON_CUDNN_WORKSPACE_MB");
  if (!text) return ConvolutionPlans::default_max_workspace_bytes;
  std::uint32_t megabytes = 0;
  const auto [end, error] = std::from_chars(text->begin(), text->end(), megabytes);
  if (error != std::errc() || end != text->end()) {
    throw ValueError("RHYTON_CUDNN_WORKSPACE_MB must be a number of MB that is not negative. Received: " +
                     std::string(*text));
  }
  return static_cast<std::size_t>(megabytes) << 20;
}

/// The common name of devices with the same choice of algorithms.
std::string device_name(int ordinal) {
  static std::mutex mutex;
  static std::map<int, std::string> names;
  const std::scoped_lock lock(mutex);
  std::string& name = names[ordinal];
  if (name.empty()) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
    name = properties.name;
  }
  return name;
}

}  // namespace

ConvolutionSettings current_convolution_settings() {
  return {.tensor_float_32 = tensor_float_32_allowed(), .deterministic = context().op_determinism_enabled()};
}

ConvolutionPlan::ConvolutionPlan(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                 bool tensor_float_32, std::vector<ConvolutionAlgorithm> algorithms)
    : problem_(problem),
      direction_(direction),
      tensor_float_32_(tensor_float_32),
      algorithms_(std::move(algorithms)),
      workspace_bytes_(algorithms_.empty() ? 0 : algorithms_.front().workspace_bytes),
      convolution_(make_next()) {}

std::shared_ptr<const Convolution> ConvolutionPlan::current() const {
  const std::scoped_lock lock(mutex_);
  return convolution_;
}

void ConvolutionPlan::replace(const std::shared_ptr<const Convolution>& refused) {
  const std::scoped_lock lock(mutex_);
  if (convolution_ == refused) convolution_ = make_next();
}

std::shared_ptr<const Convolution> ConvolutionPlan::make_next() {
  const std::string problem = describe(problem_, direction_);
  if (next_ == algorithms_.size()) {
    log_device_event("cuDNN has no algorithm for " + problem + ".");
    return nullptr;
  }
  const ConvolutionAlgorithm& algorithm = algorithms_[next_++];
  auto convolution = std::make_shared<Convolution>(problem_, direction_, tensor_float_32_);
  convolution->set_algorithm(algorithm);
  log_device_event("cuDNN computes " + problem + " by " + describe(algorithm) + ".");
  return convolution;
}

bool ConvolutionPlan::run(cudnnHandle_t handle, const ConvolutionAddresses& addresses) {
  while (const std::shared_ptr<const Convolution> convolution = current()) {
    if (convolution->run(handle, addresses)) return true;
    replace(convolution);
  }
  return false;
}

bool ConvolutionPlan::run_fused(cudnnHandle_t handle, const ConvolutionAddresses& addresses, const void* bias) {
  if (is_fused_refused_.load(std::memory_order_relaxed)) return false;
  const std::shared_ptr<const Convolution> convolution = current();
  if (convolution == nullptr || !convolution->is_fusible()) return false;
  const bool has_run = convolution->run_fused(handle, addresses, bias);
  if (!has_run) is_fused_refused_.store(true, std::memory_order_relaxed);
  return has_run;
}

ConvolutionPlans::ConvolutionPlans(std::size_t max_workspace_bytes)
    : max_workspace_bytes_(max_workspace_bytes), plans_(max_plans), ranked_(max_plans) {}

ConvolutionPlans& ConvolutionPlans::instance() {
  static ConvolutionPlans plans(max_workspace_bytes_of_environment());
  return plans;
}

std::size_t ConvolutionPlans::KeyHash::operator()(const Key& key) const {
  const std::size_t flags = static_cast<std::size_t>(key.direction) * 4 + (key.settings.tensor_float_32 ? 2 : 0) +
                            (key.settings.deterministic ? 1 : 0);
  return (ConvolutionProblemHash()(key.problem) * 31 + flags) * 31 + std::hash<std::string>()(key.device);
}

ConvolutionPlans::Key ConvolutionPlans::key_of(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                               const ConvolutionSettings& settings, const GpuStream& stream) {
  Key key{problem, direction, settings, device_name(stream.ordinal())};
  // The setting does not affect half types.
  if (problem.dtype != DType::float32) key.settings.tensor_float_32 = false;
  return key;
}

std::shared_ptr<ConvolutionPlan> ConvolutionPlans::get(const ConvolutionProblem& problem,
                                                       ConvolutionDirection direction,
                                                       const ConvolutionSettings& settings, GpuStream& stream) {
  const Key key = key_of(problem, direction, settings, stream);
  return plans_.get(key, [&] {
    return std::make_shared<ConvolutionPlan>(
        problem, direction, key.settings.tensor_float_32,
        algorithms_to_try(ranked(key, stream), settings.deterministic, max_workspace_bytes_));
  });
}

std::size_t ConvolutionPlans::workspace_bytes(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                              GpuStream& stream) {
  std::size_t maximum = 0;
  for (const bool tensor_float_32 : {false, true}) {
    if (tensor_float_32 && problem.dtype != DType::float32) continue;
    for (const bool deterministic : {false, true}) {
      maximum = std::max(maximum, get(problem, direction, {tensor_float_32, deterministic}, stream)->workspace_bytes());
    }
  }
  return maximum;
}

std::vector<ConvolutionAlgorithm> ConvolutionPlans::ranked(Key key, GpuStream& stream) {
  key.settings.deterministic = false;
  return ranked_.get(key, [&] {
    return Convolution(key.problem, key.direction, key.settings.tensor_float_32).algorithms(stream.dnn());
  });
}

}  // namespace rhyton::gpu
