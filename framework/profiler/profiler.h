#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/profiler/profile.h>

/// Where the time of compiled models goes (`tf.profiler.experimental`).
///
/// ```
/// profiler::start();
/// model.fit(x, y);
/// const profiler::Profile profile = profiler::stop();
/// std::cout << profile.table();
/// profile.save_chrome_trace("trace.json");  // for https://ui.perfetto.dev
/// ```
///
/// It sees what compiled functions do, thus `fit`, `evaluate` and `predict` unless `run_eagerly` is set; ops called
/// eagerly are not timed. While no profiler runs it costs nothing; while one runs, some 50 ns for each call of a
/// kernel.
namespace rhyton::profiler {

/// Arguments of `start`.
struct ProfilerOptions {
  ByName by_name = ByName();
  /// How many single events are kept; later ones are only counted and summed up. One takes 48 bytes of memory, and
  /// about 250 in a trace.
  std::int64_t max_events = 200'000;
};

/// Begins to profile. Throws RuntimeError when a profiler is running already and ValueError for a negative maximum.
void start(const ProfilerOptions& options = {});

/// Ends it. A step that is under way in another thread is counted up to here. Throws RuntimeError when no profiler is
/// running.
Profile stop();

/// True between `start` and `stop`.
bool is_running();

/// Profiles while it lives, and ends profiling also where an exception passes.
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

/// A stretch of the program that the trace shows under a name, around what it encloses: `profiler::Trace epoch("epoch
/// 1");`. Nothing happens while no profiler runs.
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
