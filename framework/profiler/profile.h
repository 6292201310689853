#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rhyton::profiler {

/// What an event measures.
enum class Kind {
  /// One run of a compiled function.
  step,
  /// The calls of a step between two barriers.
  phase,
  /// A call of an op's kernel, for a slice of the batch, a piece of a tensor or the whole tensor.
  op,
  /// Weights packed into the layout of a kernel.
  pack,
  /// Partial sums of the slices added up.
  reduction,
  /// Bytes copied at the end of a step.
  copy,
  /// A section of the program inside a `Trace`.
  span,
};

/// Something that is timed repeatedly: an op of a compiled function, a phase, a step, a span.
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
  /// What the events of one step share among them: the samples of the batch, the rows of a tensor.
  std::int64_t extent = 1;
  /// What the extent counts: "samples", "rows", "elements"; empty where each event covers the whole.
  std::string unit = {};
  /// Floating point operations of the whole extent.
  double flops = 0;
  /// Bytes of the operands of which an event accesses its share, and of those that every event accesses whole.
  double shared_out_bytes = 0;
  double whole_bytes = 0;
};

/// One timing of an activity, on one thread.
struct Event {
  /// Indices into `Profile::activities` and `Profile::threads`.
  int activity = 0;
  int thread = 0;
  /// Nanoseconds since `start()`.
  std::int64_t start = 0;
  std::int64_t duration = 0;
  /// The index of the slice, or of the piece of a tensor; -1 for neither.
  int index = -1;
  /// Its share of the extent: the first sample or row, and their number. For a step or phase: 0 and the number of
  /// threads.
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

/// One line of the table of ops: all activities with this name, these attributes and this output shape.
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

/// One line of the table of phases: a phase, or a whole step.
struct PhaseTime {
  Kind kind = Kind::phase;
  std::string name = {};
  std::string function = {};
  std::int64_t runs = 0;
  /// The number of the pool's threads; the mean if it was changed meanwhile.
  double threads = 1;
  /// Wall time from start to end.
  double seconds = 0;
  /// The time of its ops, over all threads.
  double busy_seconds = 0;
  /// The time that threads of the pool waited: for each other at barriers, or because there was too little work to
  /// share.
  double idle_seconds = 0;
  double flops = 0;
};

/// The measurements of a recording.
struct Measurements {
  std::vector<Activity> activities;
  /// Per activity.
  std::vector<Totals> totals;
  std::vector<Event> events;
  /// Names, "worker 1".
  std::vector<std::string> threads;
  std::int64_t dropped_events = 0;
  std::int64_t nanoseconds = 0;
};

/// The result of profiling: where compiled functions spent their time. A value; it no longer changes.
///
/// Sums include all events. Single events are kept up to a maximum, the first ones: `dropped_events` is the number of
/// those missing from `events` and from the trace.
class Profile {
 public:
  Profile() = default;
  explicit Profile(Measurements measurements);

  /// Ops, packing, reductions and copies, the longest total time first.
  std::vector<OpTime> ops() const;
  /// Each compiled function, followed by its phases.
  std::vector<PhaseTime> phases() const;

  const std::vector<Activity>& activities() const { return measurements_.activities; }
  /// The totals of the activity of that index.
  const Totals& totals(std::size_t activity) const { return measurements_.totals.at(activity); }
  /// By thread, then by start; an event that encloses others precedes them.
  const std::vector<Event>& events() const { return measurements_.events; }
  const std::vector<std::string>& threads() const { return measurements_.threads; }
  std::int64_t dropped_events() const { return measurements_.dropped_events; }
  /// The time between `start` and `stop`.
  double seconds() const;

  /// The floating point operations of one event, and the bytes of the operands it reads and writes.
  double flops(const Event& event) const;
  double bytes(const Event& event) const;

  /// Both tables as text; ops beyond `max_ops` share the last line. GFLOP/s and GB/s of an op are those of one thread
  /// while it runs the op; of a step or phase, of all threads together. Bytes are those of the operands, in a cache or
  /// in memory.
  std::string table(std::size_t max_ops = 40) const;

  /// Writes the events as a Chrome trace (https://ui.perfetto.dev opens it): one track per thread, times in
  /// microseconds; the arguments of an event contain shape, attributes, operations, bytes and its range of samples,
  /// rows or elements. Throws IOError.
  void save_chrome_trace(const std::filesystem::path& path) const;

 private:
  Measurements measurements_;
};

}  // namespace rhyton::profiler
