#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/profiler/profile.h>

/// Measures where compiled models spend their time (`tf.profiler.experimental`).
///
/// ```
/// profiler::start();
/// model.fit(x, y);
/// const profiler::Profile profile = profiler::stop();
/// std::cout << profile.table();
/// profile.save_chrome_trace("trace.json");  // for https://ui.perfetto.dev
/// ```
///
/// It measures compiled functions, thus `fit`, `evaluate` and `predict` unless `run_eagerly` is set; ops called eagerly
/// are not timed. It costs nothing while no profiler runs; otherwise some 50 ns for each call of a kernel.
namespace rhyton::profiler {

/// Arguments of `start`.
struct ProfilerOptions {
  ByName by_name = ByName();
  /// The maximum number of single events that are kept; later ones are only counted and summed up. One takes 48 bytes
  /// of memory, and about 250 in a trace.
  std::int64_t max_events = 200'000;
};

/// Starts profiling. Throws RuntimeError when a profiler is running already and ValueError for a negative maximum.
void start(const ProfilerOptions& options = {});

/// Stops profiling. A step that is under way in another thread is counted up to now. Throws RuntimeError when no
/// profiler is running.
Profile stop();

/// True between `start` and `stop`.
bool is_running();

/// Profiles during its lifetime; stops also when an exception is thrown.
class Session {
 public:
  /// As `start`.
  explicit Session(const ProfilerOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// As `profiler::stop`.
  Profile stop();

 private:
  bool running_ = true;
};

class Recording;
class Lane;

/// A named section of the program in the trace, which encloses the events inside: `profiler::Trace epoch("epoch 1");`.
/// Does nothing while no profiler runs.
class Trace {
 public:
  explicit Trace(std::string_view name);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

 private:
  std::shared_ptr<Recording> recording_;
  Lane* lane_ = nullptr;
  std::int64_t start_ = 0;
};

}  // namespace rhyton::profiler
