#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

namespace rhyton {

namespace threading {
class ThreadPool;
}  // namespace threading

/// The settings of the process: seed, threads, default types, name counters, and storage for registries of higher-level
/// modules. Every member function may be called from several threads at once.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Sets the global seed and restarts the sequence of `next_seed`.
  void set_random_seed(std::uint64_t seed);
  /// The global seed; empty when none was set.
  std::optional<std::uint64_t> seed() const;
  /// A new key at each call: a function of the global seed and the number of calls since it was set. Without a global
  /// seed, a seed drawn from the system once per process is used instead.
  std::uint64_t next_seed();

  /// The position in the sequence of `next_seed`.
  struct RandomState {
    /// Whether `base` is the global seed; otherwise it was drawn from the system.
    bool is_seeded = false;
    std::uint64_t base = 0;
    /// The number of calls of `next_seed` since `base` was set.
    std::uint64_t seeds_given = 0;
  };
  RandomState random_state();
  /// Continues the sequence of `next_seed` where this or another process was when it called `random_state`.
  void set_random_state(const RandomState& state);

  /// A name that was not returned since the last `clear_session`: "dense", then "dense_1", "dense_2", ….
  std::string unique_name(const std::string& prefix);
  /// Resets the name counters and runs the actions of `on_clear_session`. Seed and settings stay.
  void clear_session();
  /// Adds an action that `clear_session` runs, such as resetting the state of a higher-level module.
  void on_clear_session(std::function<void()> action);

  /// The threads that kernels run on, created at the first call with `num_threads()` threads. The reference stays valid
  /// to the end of the program; after `set_num_threads` it refers to a pool that runs everything on the calling thread,
  /// so call this function again for each use.
  threading::ThreadPool& thread_pool();
  /// The number of threads that the pool has or will have: the value that was set, else the environment variable
  /// RHYTON_NUM_THREADS, else the number of cores this process may use. Throws ValueError when the variable is no
  /// positive integer.
  int num_threads();
  /// Recreates the pool with that many threads; 0 restores the default. Waits for a run under way. Throws ValueError
  /// for a negative number and RuntimeError when called from inside a task of the pool.
  void set_num_threads(int threads);

  /// The dtype of weights and of inputs without one: "float32" unless set.
  std::string floatx() const;
  /// Throws ValueError for anything but "bfloat16", "float16", "float32" and "float64".
  void set_floatx(const std::string& dtype);
  /// The small number that Keras adds to avoid divisions by zero: 1e-7 unless set.
  double epsilon() const { return epsilon_.load(std::memory_order_relaxed); }
  void set_epsilon(double value) { epsilon_.store(value, std::memory_order_relaxed); }
  /// "channels_last" unless set.
  std::string image_data_format() const;
  /// Throws ValueError for anything but "channels_last" and "channels_first".
  void set_image_data_format(const std::string& format);
  /// The name of the default policy of layers: "float32", "mixed_bfloat16", …; `floatx()` unless set.
  std::string dtype_policy() const;
  /// Throws ValueError for a name that is no policy.
  void set_dtype_policy(const std::string& policy);

  /// Whether convolutions may use faster algorithms with several times the rounding error of the direct form. False
  /// unless set; affects functions that are compiled afterwards.
  bool fast_math() const { return fast_math_.load(std::memory_order_relaxed); }
  void set_fast_math(bool enabled) { fast_math_.store(enabled, std::memory_order_relaxed); }

  /// Whether GPUs may round the inputs of float32 products to TensorFloat-32, which keeps 10 bits of the mantissa. True
  /// unless set; affects functions that are compiled afterwards.
  bool tensor_float_32_execution_enabled() const { return tensor_float_32_.load(std::memory_order_relaxed); }
  void enable_tensor_float_32_execution(bool enabled) { tensor_float_32_.store(enabled, std::memory_order_relaxed); }

  /// Whether every op must give the same bits in every run on the same device. Ops on the CPU always do; on a GPU it
  /// costs speed. False unless set; cannot be disabled again.
  bool op_determinism_enabled() const { return op_determinism_.load(std::memory_order_relaxed); }
  void enable_op_determinism() { op_determinism_.store(true, std::memory_order_relaxed); }

  /// The one object of type `T` of this process, default-constructed at the first call. It lives to the end of the
  /// program; `T` must provide its own thread safety.
  template <class T>
  T& slot() {
    const std::scoped_lock lock(slots_mutex_);
    std::shared_ptr<void>& object = slots_[std::type_index(typeid(T))];
    if (object == nullptr) object = std::make_shared<T>();
    return *static_cast<T*>(object.get());
  }

 private:
  int num_threads_locked();
  std::uint64_t seed_base_locked();

  mutable std::mutex mutex_;
  std::optional<std::uint64_t> seed_;
  std::optional<std::uint64_t> unseeded_;
  std::uint64_t seeds_given_ = 0;
  std::map<std::string, std::int64_t, std::less<>> names_given_;
  std::vector<std::function<void()>> clear_actions_;
  std::string floatx_ = "float32";
  std::string image_data_format_ = "channels_last";
  std::optional<std::string> dtype_policy_;
  std::atomic<double> epsilon_{1e-7};
  std::atomic<bool> fast_math_{false};
  std::atomic<bool> tensor_float_32_{true};
  std::atomic<bool> op_determinism_{false};

  std::mutex pool_mutex_;
  std::optional<int> num_threads_;
  std::atomic<threading::ThreadPool*> pool_{nullptr};
  /// All pools so far: references to earlier ones may still be in use.
  std::vector<std::unique_ptr<threading::ThreadPool>> pools_;

  /// Recursive, as the constructor of one slot may request another.
  std::recursive_mutex slots_mutex_;
  std::map<std::type_index, std::shared_ptr<void>> slots_;
};

/// The process's context. It is never destroyed, so static objects may use it in their destructors.
Context& context();

/// Seeds all random numbers drawn afterwards (Keras's `utils.set_random_seed`).
void set_random_seed(std::uint64_t seed);

/// Resets the counters of automatic names (Keras's `backend.clear_session`).
void clear_session();

namespace config {

/// See `Context::set_num_threads`.
void set_num_threads(int threads);
int num_threads();

/// See the members of `Context` of the same names (`keras.config`).
std::string floatx();
void set_floatx(const std::string& dtype);
double epsilon();
void set_epsilon(double value);
std::string image_data_format();
void set_image_data_format(const std::string& format);
std::string dtype_policy();
void set_dtype_policy(const std::string& policy);

/// See `Context::set_fast_math`.
bool fast_math();
void set_fast_math(bool enabled);

/// See the members of `Context` of the same names (`tf.config.experimental`).
void enable_tensor_float_32_execution(bool enabled);
bool tensor_float_32_execution_enabled();
void enable_op_determinism();
bool op_determinism_enabled();

}  // namespace config

}  // namespace rhyton
