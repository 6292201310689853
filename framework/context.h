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

/// The settings of the process: seed, threads, default types, name counters, and one place for the registries of higher
/// rooms. Every member function may be called from several threads at once.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Fixes the global seed and starts the sequence of `next_seed` anew.
  void set_random_seed(std::uint64_t seed);
  /// The global seed; empty when none was set.
  std::optional<std::uint64_t> seed() const;
  /// A fresh key at each call: a function of the global seed and the number of calls since it was set; without a global
  /// seed, of one drawn from the system once per process.
  std::uint64_t next_seed();

  /// Where the sequence of `next_seed` stands.
  struct RandomState {
    /// Whether `base` is the global seed; else it was drawn from the system.
    bool is_seeded = false;
    std::uint64_t base = 0;
    /// The calls of `next_seed` since then.
    std::uint64_t seeds_given = 0;
  };
  RandomState random_state();
  /// Lets `next_seed` go on where another process, or this one, was when it asked for `random_state`.
  void set_random_state(const RandomState& state);

  /// A name that was not given since the last `clear_session`: "dense", then "dense_1", "dense_2", ….
  std::string unique_name(const std::string& prefix);
  /// Starts the name counters anew and runs what `on_clear_session` was given. Seed and settings stay.
  void clear_session();
  /// Lets a higher room's state be reset by `clear_session` too.
  void on_clear_session(std::function<void()> action);

  /// The threads that kernels run on. Made at the first call, with `num_threads()` threads. The reference stays valid
  /// to the end of the program; after `set_num_threads` it names a pool that runs everything on the calling thread, so
  /// ask anew for each use.
  threading::ThreadPool& thread_pool();
  /// How many threads the pool has or will have: what was set, else the environment variable RHYTON_NUM_THREADS, else
  /// the cores this process may use. Throws ValueError when the variable is no positive integer.
  int num_threads();
  /// Makes the pool anew with that many threads; 0 goes back to the default. Waits for a run under way. Throws
  /// ValueError for a negative number and RuntimeError when called from inside a task of the pool.
  void set_num_threads(int threads);

  /// The dtype of weights and of inputs without one: "float32" unless set.
  std::string floatx() const;
  /// Throws ValueError for anything but "bfloat16", "float16", "float32" and "float64".
  void set_floatx(const std::string& dtype);
  /// The small number that Keras adds against divisions by zero: 1e-7 unless set.
  double epsilon() const { return epsilon_.load(std::memory_order_relaxed); }
  void set_epsilon(double value) { epsilon_.store(value, std::memory_order_relaxed); }
  /// "channels_last" unless set.
  std::string image_data_format() const;
  /// Throws ValueError for anything but "channels_last" and "channels_first".
  void set_image_data_format(const std::string& format);
  /// The name of the policy of layers that have none of their own: "float32", "mixed_bfloat16", …; `floatx()` unless
  /// set.
  std::string dtype_policy() const;
  /// Throws ValueError for a name that is no policy.
  void set_dtype_policy(const std::string& policy);

  /// Whether convolutions may round a little more to be faster: several times the error of the direct form. False
  /// unless set; acts on what is compiled afterwards.
  bool fast_math() const { return fast_math_.load(std::memory_order_relaxed); }
  void set_fast_math(bool enabled) { fast_math_.store(enabled, std::memory_order_relaxed); }

  /// Whether GPUs may round the inputs of float32 products to TensorFloat-32, which keeps 10 bits of the mantissa. True
  /// unless set; acts on what is compiled afterwards.
  bool tensor_float_32_execution_enabled() const { return tensor_float_32_.load(std::memory_order_relaxed); }
  void enable_tensor_float_32_execution(bool enabled) { tensor_float_32_.store(enabled, std::memory_order_relaxed); }

  /// Whether every op must give the same bits in every run on the same device. The CPU's always do; on a GPU it costs
  /// speed. False unless set; cannot be taken back.
  bool op_determinism_enabled() const { return op_determinism_.load(std::memory_order_relaxed); }
  void enable_op_determinism() { op_determinism_.store(true, std::memory_order_relaxed); }

  /// The one object of type `T` of this process, default-constructed at the first call. It lives to the end of the
  /// program; its own thread safety is its own affair.
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
  /// All pools so far: somebody may still hold a reference to an earlier one.
  std::vector<std::unique_ptr<threading::ThreadPool>> pools_;

  /// Recursive, as the constructor of one slot may ask for another.
  std::recursive_mutex slots_mutex_;
  std::map<std::type_index, std::shared_ptr<void>> slots_;
};

/// The process's context. It is never destroyed, so static objects may use it to the very end.
Context& context();

/// Makes everything random that follows a function of `seed` (Keras's `utils.set_random_seed`).
void set_random_seed(std::uint64_t seed);

/// Resets the counters behind automatic names (Keras's `backend.clear_session`).
void clear_session();

namespace config {

/// See `Context::set_num_threads`.
void set_num_threads(int threads);
int num_threads();

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
