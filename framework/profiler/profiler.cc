#include <rhyton/framework/profiler/profiler.h>

#include <exception>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/profiler/recording.h>

namespace rhyton::profiler {

void start(const ProfilerOptions& options) {
  if (options.max_events < 0) {
    throw ValueError("`max_events` must not be negative. Received: max_events=" + std::to_string(options.max_events));
  }
  recorder().start(options.max_events);
}

Profile stop() { return Profile(recorder().stop()->measurements()); }

bool is_running() { return recorder().is_running(); }

Session::Session(const ProfilerOptions& options) { start(options); }

Session::~Session() {
  try {
    if (running_) recorder().stop();
  } catch (const std::exception&) {
    // `stop` was called elsewhere: there is nothing left to do.
  }
}

Profile Session::stop() {
  running_ = false;
  return profiler::stop();
}

Trace::Trace(std::string_view name) {
  if (!recorder().is_running()) return;
  recording_ = recorder().recording();
  if (recording_ == nullptr) return;
  lane_ = &recording_->lane(recording_->group_of_span(std::string(name)), 0);
  start_ = Lane::now();
}

Trace::~Trace() {
  if (lane_ != nullptr) lane_->add(0, start_, Lane::now(), {});
}

}  // namespace rhyton::profiler
