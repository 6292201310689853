#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rhyton::profiler {

/// What an event is the time of.
enum class Kind {
  /// One run of a compiled function.
  step,
  /// A part of a step between two barriers.
  phase,
  /// A call of an op's kernel, for a slice of the batch, a piece of a tensor or the whole of it.
  op,
  /// Weights brought into the layout that a kernel wants them in.
  pack,
  /// Partial sums of the slices added up.
  reduction,
  /// Bytes copied at the end of a step.
  copy,
  /// What a `Trace` of the program encloses.
  span,
};

/// Something that is timed whenever it happens: an op at its place in a compiled function, a phase, a step, a span.
struct Activity {
  Kind kind = Kind::span;
  /// "FusedConv2D", "phase 1", "train_function".
  std::string name = {};
  /// The op's attributes: "strides=1,1, padding=valid".
  std::string attributes = {};
  /// The shapes of the op's outputs for the whole batch: "(64, 26, 26, 32)".
  std::string shape = {};
  /// The compiled function that it is part of: "train_function, batch 64".
  std::string function = {};
  int phase = -1;
  /// What the events of one step share out among them: the samples of the batch, the rows of a tensor.
  std::int64_t extent = 1;
  /// What the extent counts: "samples", "rows", "elements"; empty where each event is of the whole.
  std::string unit = {};
  /// Floating point operations of the whole extent.
  double flops = 0;
  /// Bytes of the operands of which an event touches its share, and of those that every event touches whole.
  double shared_out_bytes = 0;
  double whole_bytes = 0;
};

/// One time that an activity took, on one thread.
struct Event {
  /// Indices into `Profile::activities` and `Profile::threads`.
  int activity = 0;
  int thread = 0;
  /// Nanoseconds since `start()`.
  std::int64_t start = 0;
  std::int64_t duration = 0;
  /// The number of the slice, or of the piece of a tensor; -1 for neither.
  int part = -1;
  /// Its share of the extent: the first sample or row, and how many. Of a step or phase: 0 and the number of threads.
  std::int64_t first = 0;
  std::int64_t count = 1;

  std::int64_t end() const { return start + duration; }
};

/// All events of an activity together, kept or not.
struct Totals {
  std::int64_t calls = 0;
  std::int64_t nanoseconds = 0;
  /// The sum of `Event::count`.
  std::int64_t count = 0;
};

/// One line of the table of ops: everything that has this name, these attributes and this output.
struct OpTime {
  Kind kind = Kind::op;
  std::string name = {};
  std::string attributes = {};
  std::string shape = {};
  std::int64_t calls = 0;
  /// The sum over all threads.
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
};

/// One line of the table of phases: a phase, or a whole step with all that it does.
struct PhaseTime {
  Kind kind = Kind::phase;
  std::string name = {};
  std::string function = {};
  std::int64_t runs = 0;
  /// Those of the pool; their mean, where the number was changed on the way.
  double threads = 1;
  /// From start to end, on the clock.
  double seconds = 0;
  /// What its ops took, over all threads.
  double busy_seconds = 0;
  /// What threads of the pool spent waiting: for each other at its barriers, or because it has too little to share.
  double idle_seconds = 0;
  double flops = 0;
};

/// What was measured, as it comes out of a recording.
struct Measurements {
  std::vector<Activity> activities;
  /// Of each activity.
  std::vector<Totals> totals;
  std::vector<Event> events;
  /// Names, "worker 1".
  std::vector<std::string> threads;
  std::int64_t dropped_events = 0;
  std::int64_t nanoseconds = 0;
};

/// The outcome of profiling: where the time of compiled functions went. A value; nothing is measured any more.
///
/// Sums are those of all events. Single events are kept up to a maximum, the first ones: `dropped_events` tells how
/// many are missing from `events` and from the trace.
class Profile {
 public:
  Profile() = default;
  explicit Profile(Measurements measurements);

  /// Ops, packing, reductions and copies, the longest total time first.
  std::vector<OpTime> ops() const;
  /// Each compiled function, followed by its phases.
  std::vector<PhaseTime> phases() const;

  const std::vector<Activity>& activities() const { return measurements_.activities; }
  /// Of the activity of that index.
  const Totals& totals(std::size_t activity) const { return measurements_.totals.at(activity); }
  /// Thread by thread, by start; what encloses others stands before them.
  const std::vector<Event>& events() const { return measurements_.events; }
  const std::vector<std::string>& threads() const { return measurements_.threads; }
  std::int64_t dropped_events() const { return measurements_.dropped_events; }
  /// The time between `start` and `stop`.
  double seconds() const;

  /// The floating point operations of one event, and the bytes of the operands it reads and writes.
  double flops(const Event& event) const;
  double bytes(const Event& event) const;

  /// Both tables as text; of more ops than `max_ops` the last share a line. GFLOP/s and GB/s of an op are those of one
  /// thread while it runs it; of a step or phase, of all threads together. Bytes are those of the operands, wherever
  /// they lie: in a cache or in memory.
  std::string table(std::size_t max_ops = 40) const;

  /// Writes the events as a Chrome trace (https://ui.perfetto.dev opens it): one track per thread, times in
  /// microseconds, and in the arguments of an event shape, attributes, operations, bytes and its part of the batch.
  /// Throws IOError.
  void save_chrome_trace(const std::filesystem::path& path) const;

 private:
  Measurements measurements_;
};

}  // namespace rhyton::profiler
