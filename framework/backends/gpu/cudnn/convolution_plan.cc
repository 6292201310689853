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

ConvolutionPlans::Limits limits_of_environment() {
  ConvolutionPlans::Limits limits;
  if (const auto text = environment_if_set("RHYTON_CUDNN_WORKSPACE_MB")) {
    std::uint32_t megabytes = 0;
    const auto [end, error] = std::from_chars(text->begin(), text->end(), megabytes);
    if (error != std::errc() || end != text->end()) {
      throw ValueError("RHYTON_CUDNN_WORKSPACE_MB must be a number of MB that is not negative. Received: " +
                       std::string(*text));
    }
    limits.max_workspace_bytes = static_cast<std::size_t>(megabytes) << 20;
  }
  limits.measures = is_switched_on("RHYTON_CUDNN_AUTOTUNE");
  return limits;
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

bool is_capturing(GpuStream& stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream.handle(), &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

/// Memory for the duration of a search for algorithms.
class Scratch {
 public:
  Scratch(Allocator& allocator, std::int64_t bytes)
      : allocator_(allocator), bytes_(static_cast<std::size_t>(bytes)), data_(allocator.allocate(bytes_, 256)) {}
  ~Scratch() { allocator_.deallocate(data_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Fills it with bytes that are normal numbers in every floating dtype.
  void* filled(GpuStream& stream) const {
    stream.fill(data_, 0x3C, bytes_);
    return data_;
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Allocator& allocator_;
  std::size_t bytes_;
  void* data_;
};

/// Measures algorithms in memory that is released afterwards; empty if there is not enough of it.
std::vector<ConvolutionAlgorithm> measure(const Convolution& convolution, const ConvolutionProblem& problem,
                                          std::size_t workspace_bytes, GpuStream& stream, Allocator& allocator) {
  try {
    const auto element_bytes = static_cast<std::int64_t>(size_of(problem.dtype));
    const Scratch x(allocator, problem.x_size() * element_bytes);
    const Scratch kernel(allocator, problem.kernel_size() * element_bytes);
    const Scratch y(allocator, problem.y_size() * element_bytes);
    const Scratch workspace(allocator, static_cast<std::int64_t>(workspace_bytes));
    std::vector<ConvolutionAlgorithm> result =
        convolution.measured_algorithms(stream.dnn(), {.x = x.filled(stream),
                                                       .kernel = kernel.filled(stream),
                                                       .y = y.filled(stream),
                                                       .workspace = workspace.data(),
                                                       .workspace_bytes = workspace.bytes()});
    stream.synchronize();
    return result;
  } catch (const ResourceExhaustedError&) {
    return {};
  }
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

ConvolutionPlans::ConvolutionPlans(const Limits& limits)
    : limits_(limits), plans_(max_plans), estimated_(max_plans), measured_(max_plans) {}

ConvolutionPlans& ConvolutionPlans::instance() {
  static ConvolutionPlans plans(limits_of_environment());
  return plans;
}

std::size_t ConvolutionPlans::KeyHash::operator()(const Key& key) const {
  const std::size_t flags = static_cast<std::size_t>(key.direction) * 4 + (key.settings.tensor_float_32 ? 2 : 0) +
                            (key.settings.deterministic ? 1 : 0);
  return (ConvolutionProblemHash()(key.problem) * 31 + flags) * 31 + std::hash<std::string>()(key.device);
}

ConvolutionPlans::Key ConvolutionPlans::key_of(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                               const ConvolutionSettings& settings, const GpuStream& stream) {
  Key key{problem, direction, settings, device_name(stream.ordinal()), cudnnGetVersion()};
  // The setting does not affect half types.
  if (problem.dtype != DType::float32) key.settings.tensor_float_32 = false;
  return key;
}

std::shared_ptr<ConvolutionPlan> ConvolutionPlans::get(const ConvolutionProblem& problem,
                                                       ConvolutionDirection direction,
                                                       const ConvolutionSettings& settings, GpuStream& stream,
                                                       Allocator* scratch) {
  const Key key = key_of(problem, direction, settings, stream);
  return plans_.get(key, [&] { return make(key, stream, scratch); });
}

std::size_t ConvolutionPlans::workspace_bytes(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                              GpuStream& stream, Allocator* scratch) {
  std::size_t most = 0;
  for (const bool tensor_float_32 : {false, true}) {
    if (tensor_float_32 && problem.dtype != DType::float32) continue;
    for (const bool deterministic : {false, true}) {
      const ConvolutionSettings settings{tensor_float_32, deterministic};
      most = std::max(most, get(problem, direction, settings, stream, scratch)->workspace_bytes());
    }
    if (!limits_.measures) continue;
    // A plan that is evicted and measured again may get another algorithm: any of these.
    const Key key = key_of(problem, direction, {.tensor_float_32 = tensor_float_32}, stream);
    most = std::max(most, choices(key, stream, scratch)->max_workspace_bytes);
  }
  return most;
}

std::shared_ptr<const ConvolutionPlans::Choices> ConvolutionPlans::choices(const Key& key, GpuStream& stream,
                                                                           Allocator* scratch) {
  Key any = key;
  any.settings.deterministic = false;
  if (!limits_.measures || scratch == nullptr || is_capturing(stream)) {
    return estimated_.get(any, [&] { return find_choices(any, stream, nullptr); });
  }
  return measured_.get(any, [&] { return find_choices(any, stream, scratch); });
}

std::shared_ptr<const ConvolutionPlans::Choices> ConvolutionPlans::find_choices(const Key& key, GpuStream& stream,
                                                                                Allocator* scratch) const {
  const Convolution convolution(key.problem, key.direction, key.settings.tensor_float_32);
  auto choices = std::make_shared<Choices>();
  choices->ranked = convolution.algorithms(stream.dnn());
  std::size_t& most = choices->max_workspace_bytes;
  for (const ConvolutionAlgorithm& algorithm : choices->ranked) {
    if (algorithm.workspace_bytes <= limits_.max_workspace_bytes) most = std::max(most, algorithm.workspace_bytes);
  }
  if (scratch == nullptr || choices->ranked.empty()) return choices;
  std::vector<ConvolutionAlgorithm> measured = measure(convolution, key.problem, most, stream, *scratch);
  // The workspaces of earlier calls were computed for the algorithms of the first list.
  std::erase_if(measured, [&](const ConvolutionAlgorithm& algorithm) { return algorithm.workspace_bytes > most; });
  if (!measured.empty()) choices->ranked = std::move(measured);
  return choices;
}

std::shared_ptr<ConvolutionPlan> ConvolutionPlans::make(const Key& key, GpuStream& stream, Allocator* scratch) {
  return std::make_shared<ConvolutionPlan>(key.problem, key.direction, key.settings.tensor_float_32,
                                           algorithms_to_try(choices(key, stream, scratch)->ranked,
                                                             key.settings.deterministic, limits_.max_workspace_bytes));
}

}  // namespace rhyton::gpu
