#include <rhyton/framework/context.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <random>
#include <utility>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/framework/threading/thread_pool.h>
#include <rhyton/framework/threading/thread_pool_scope.h>

namespace rhyton {
namespace {

constexpr std::array<std::string_view, 4> float_types = {"bfloat16", "float16", "float32", "float64"};
constexpr std::array<std::string_view, 2> mixed_policies = {"mixed_float16", "mixed_bfloat16"};
constexpr std::array<std::string_view, 2> data_formats = {"channels_last", "channels_first"};

template <std::size_t count>
bool contains(const std::array<std::string_view, count>& choices, std::string_view choice) {
  return std::find(choices.begin(), choices.end(), choice) != choices.end();
}

std::optional<int> num_threads_of_environment() {
  const std::string_view text = environment("RHYTON_NUM_THREADS");
  if (text.empty()) return std::nullopt;
  const char* const end = text.data() + text.size();
  int threads = 0;
  const auto [parsed, error] = std::from_chars(text.data(), end, threads);
  if (error != std::errc() || parsed != end || threads < 1) {
    throw ValueError("RHYTON_NUM_THREADS must be a positive integer, got '" + std::string(text) + "'");
  }
  return threads;
}

}  // namespace

Context::Context() = default;
Context::~Context() = default;

void Context::set_random_seed(std::uint64_t seed) {
  const std::scoped_lock lock(mutex_);
  seed_ = seed;
  seeds_given_ = 0;
}

std::optional<std::uint64_t> Context::seed() const {
  const std::scoped_lock lock(mutex_);
  return seed_;
}

std::uint64_t Context::seed_base_locked() {
  if (seed_) return *seed_;
  if (!unseeded_) {
    std::random_device device;
    unseeded_ = (std::uint64_t{device()} << 32) | device();
  }
  return *unseeded_;
}

std::uint64_t Context::next_seed() {
  const std::scoped_lock lock(mutex_);
  return random::mix_key(seed_base_locked(), seeds_given_++);
}

Context::RandomState Context::random_state() {
  const std::scoped_lock lock(mutex_);
  return {.is_seeded = seed_.has_value(), .base = seed_base_locked(), .seeds_given = seeds_given_};
}

void Context::set_random_state(const RandomState& state) {
  const std::scoped_lock lock(mutex_);
  if (state.is_seeded) {
    seed_ = state.base;
  } else {
    seed_.reset();
    unseeded_ = state.base;
  }
  seeds_given_ = state.seeds_given;
}

std::string Context::unique_name(const std::string& prefix) {
  const std::scoped_lock lock(mutex_);
  const std::int64_t given = names_given_[prefix]++;
  return given == 0 ? prefix : prefix + "_" + std::to_string(given);
}

void Context::clear_session() {
  std::vector<std::function<void()>> actions;
  {
    const std::scoped_lock lock(mutex_);
    names_given_.clear();
    actions = clear_actions_;
  }
  for (const auto& action : actions) action();
}

void Context::on_clear_session(std::function<void()> action) {
  const std::scoped_lock lock(mutex_);
  clear_actions_.push_back(std::move(action));
}

int Context::num_threads_locked() {
  if (!num_threads_) num_threads_ = num_threads_of_environment().value_or(threading::default_thread_count());
  return *num_threads_;
}

threading::ThreadPool& Context::thread_pool() {
  if (threading::ThreadPool* pool = threading::ThreadPoolScope::current()) return *pool;
  if (threading::ThreadPool* pool = pool_.load(std::memory_order_acquire)) return *pool;
  const std::scoped_lock lock(pool_mutex_);
  if (threading::ThreadPool* pool = pool_.load(std::memory_order_acquire)) return *pool;
  pools_.push_back(std::make_unique<threading::ThreadPool>(num_threads_locked()));
  pool_.store(pools_.back().get(), std::memory_order_release);
  return *pools_.back();
}

int Context::num_threads() {
  const std::scoped_lock lock(pool_mutex_);
  return num_threads_locked();
}

void Context::set_num_threads(int threads) {
  if (threads < 0) throw ValueError("The number of threads must not be negative, got " + std::to_string(threads));
  if (threading::ThreadPool::is_inside_task()) {
    throw RuntimeError("The number of threads cannot be changed from inside a task of the thread pool");
  }
  const std::scoped_lock lock(pool_mutex_);
  const int before = num_threads_.value_or(0);
  num_threads_ = threads == 0 ? std::nullopt : std::optional<int>(threads);
  if (num_threads_locked() == before) return;
  if (threading::ThreadPool* pool = pool_.exchange(nullptr, std::memory_order_acq_rel)) pool->stop();
}

std::string Context::floatx() const {
  const std::scoped_lock lock(mutex_);
  return floatx_;
}

void Context::set_floatx(const std::string& dtype) {
  if (!contains(float_types, dtype)) {
    throw ValueError("Unknown `floatx` value: " + dtype +
                     ". Expected one of {'bfloat16', 'float16', 'float32', 'float64'}");
  }
  const std::scoped_lock lock(mutex_);
  floatx_ = dtype;
}

std::string Context::image_data_format() const {
  const std::scoped_lock lock(mutex_);
  return image_data_format_;
}

void Context::set_image_data_format(const std::string& format) {
  if (!contains(data_formats, format)) {
    throw ValueError(
        "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: data_format=" +
        format);
  }
  const std::scoped_lock lock(mutex_);
  image_data_format_ = format;
}

std::string Context::dtype_policy() const {
  const std::scoped_lock lock(mutex_);
  return dtype_policy_.value_or(floatx_);
}

void Context::set_dtype_policy(const std::string& policy) {
  if (!contains(float_types, policy) && !contains(mixed_policies, policy)) {
    throw ValueError(
        "Cannot convert '" + policy +
        "' to a mixed precision DTypePolicy. Valid policies include 'mixed_float16', 'mixed_bfloat16', and "
        "the name of any float dtype such as 'float32'.");
  }
  const std::scoped_lock lock(mutex_);
  dtype_policy_ = policy;
}

Context& context() {
  // Never destroyed: static objects of the program may use it while static destructors run, and its threads still sleep
  // then.
  alignas(Context) static std::byte memory[sizeof(Context)];
  static Context* const instance = std::construct_at(reinterpret_cast<Context*>(memory));
  return *instance;
}

void set_random_seed(std::uint64_t seed) { context().set_random_seed(seed); }

void clear_session() { context().clear_session(); }

namespace config {

void set_num_threads(int threads) { context().set_num_threads(threads); }
int num_threads() { return context().num_threads(); }
std::string floatx() { return context().floatx(); }
void set_floatx(const std::string& dtype) { context().set_floatx(dtype); }
double epsilon() { return context().epsilon(); }
void set_epsilon(double value) { context().set_epsilon(value); }
std::string image_data_format() { return context().image_data_format(); }
void set_image_data_format(const std::string& format) { context().set_image_data_format(format); }
std::string dtype_policy() { return context().dtype_policy(); }
void set_dtype_policy(const std::string& policy) { context().set_dtype_policy(policy); }

bool fast_math() { return context().fast_math(); }
void set_fast_math(bool enabled) { context().set_fast_math(enabled); }

void enable_tensor_float_32_execution(bool enabled) { context().enable_tensor_float_32_execution(enabled); }
bool tensor_float_32_execution_enabled() { return context().tensor_float_32_execution_enabled(); }
void enable_op_determinism() { context().enable_op_determinism(); }
bool op_determinism_enabled() { return context().op_determinism_enabled(); }

}  // namespace config

}  // namespace rhyton
