#include <rhyton/framework/profiler/profile.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/profiler/quantity.h>

namespace rhyton::profiler {
namespace {

constexpr double nanosecond = 1e-9;

bool is_work(Kind kind) {
  return kind == Kind::op || kind == Kind::pack || kind == Kind::reduction || kind == Kind::copy;
}

double flops_of(const Activity& activity, std::int64_t count) {
  return activity.flops * static_cast<double>(count) / static_cast<double>(activity.extent);
}

double bytes_of(const Activity& activity, std::int64_t calls, std::int64_t count) {
  return activity.whole_bytes * static_cast<double>(calls) +
         activity.shared_out_bytes * static_cast<double>(count) / static_cast<double>(activity.extent);
}

/// At most `width` characters; a shortened text ends with "…".
std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "…";
}

/// "12.3", or "-" where there is no rate.
std::string giga_per_second(double amount, double seconds) {
  return amount > 0 && seconds > 0 ? fmt::format("{:.1f}", amount / seconds * 1e-9) : "-";
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

OpTime sum_of(std::span<const OpTime> ops) {
  OpTime sum;
  for (const OpTime& op : ops) {
    sum.calls += op.calls;
    sum.seconds += op.seconds;
    sum.flops += op.flops;
    sum.bytes += op.bytes;
  }
  return sum;
}

std::string table_of_ops(const std::vector<OpTime>& ops, std::size_t max_ops) {
  constexpr std::size_t op_width = 44;
  constexpr std::size_t shape_width = 24;
  constexpr const char* line = "{:<44} {:<24} {:>11} {:>11} {:>6} {:>10} {:>8} {:>7}\n";
  const OpTime all = sum_of(ops);
  std::string text = fmt::format(line, "Op", "Output", "Calls", "Total ms", "Share", "Mean µs", "GFLOP/s", "GB/s");
  const auto add = [&](const std::string& name, const std::string& shape, const OpTime& op) {
    text += fmt::format(line, name, shape, with_separators(op.calls), fmt::format("{:.3f}", op.seconds * 1e3),
                        fmt::format("{:.1f}%", percent(op.seconds, all.seconds)),
                        fmt::format("{:.2f}", op.calls > 0 ? op.seconds * 1e6 / static_cast<double>(op.calls) : 0.0),
                        giga_per_second(op.flops, op.seconds), giga_per_second(op.bytes, op.seconds));
  };
  const std::span<const OpTime> shown = std::span(ops).first(ops.size() > max_ops ? max_ops : ops.size());
  for (const OpTime& op : shown) {
    const std::string name = op.attributes.empty() ? op.name : op.name + "(" + op.attributes + ")";
    add(shortened(name, op_width), shortened(op.shape, shape_width), op);
  }
  if (const std::size_t others = ops.size() - shown.size(); others > 0) {
    add(with_separators(static_cast<std::int64_t>(others)) + " others", "", sum_of(std::span(ops).last(others)));
  }
  add("Total", "", all);
  return text;
}

std::string table_of_phases(const std::vector<PhaseTime>& phases) {
  constexpr std::size_t name_width = 44;
  constexpr const char* line = "{:<44} {:>11} {:>11} {:>11} {:>8} {:>11} {:>11} {:>6}\n";
  std::string text =
      fmt::format(line, "Step and phases", "Runs", "Wall ms", "Mean µs", "GFLOP/s", "Busy ms", "Idle ms", "Idle");
  for (const PhaseTime& phase : phases) {
    const bool is_step = phase.kind == Kind::step;
    text += fmt::format(line, shortened(is_step ? phase.function : "  " + phase.name, name_width),
                        with_separators(phase.runs), fmt::format("{:.3f}", phase.seconds * 1e3),
                        fmt::format("{:.2f}", phase.seconds * 1e6 / static_cast<double>(phase.runs)),
                        giga_per_second(phase.flops, phase.seconds), fmt::format("{:.3f}", phase.busy_seconds * 1e3),
                        fmt::format("{:.3f}", phase.idle_seconds * 1e3),
                        fmt::format("{:.1f}%", percent(phase.idle_seconds, phase.busy_seconds + phase.idle_seconds)));
  }
  return text;
}

}  // namespace

Profile::Profile(Measurements measurements) : measurements_(std::move(measurements)) {
  std::stable_sort(measurements_.events.begin(), measurements_.events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.thread, a.start, -a.duration) < std::tuple(b.thread, b.start, -b.duration);
  });
}

std::vector<OpTime> Profile::ops() const {
  std::map<std::tuple<Kind, std::string, std::string, std::string>, OpTime> lines;
  for (std::size_t i = 0; i < activities().size(); ++i) {
    const Activity& activity = activities()[i];
    const Totals& sums = totals(i);
    if (!is_work(activity.kind) || sums.calls == 0) continue;
    OpTime& line = lines[{activity.kind, activity.name, activity.attributes, activity.shape}];
    line.kind = activity.kind;
    line.name = activity.name;
    line.attributes = activity.attributes;
    line.shape = activity.shape;
    line.calls += sums.calls;
    line.seconds += static_cast<double>(sums.nanoseconds) * nanosecond;
    line.flops += flops_of(activity, sums.count);
    line.bytes += bytes_of(activity, sums.calls, sums.count);
  }
  std::vector<OpTime> ops;
  ops.reserve(lines.size());
  for (auto& [key, line] : lines) ops.push_back(std::move(line));
  std::stable_sort(ops.begin(), ops.end(), [](const OpTime& a, const OpTime& b) { return a.seconds > b.seconds; });
  return ops;
}

std::vector<PhaseTime> Profile::phases() const {
  std::vector<PhaseTime> phases;
  // Among the activities of a function, the step comes first, then its phases, each followed by its contents.
  std::size_t step = 0;
  for (std::size_t i = 0; i < activities().size(); ++i) {
    const Activity& activity = activities()[i];
    const Totals& sums = totals(i);
    const double seconds = static_cast<double>(sums.nanoseconds) * nanosecond;
    if (activity.kind == Kind::step || activity.kind == Kind::phase) {
      if (activity.kind == Kind::step) step = phases.size();
      phases.push_back(
          {.kind = activity.kind,
           .name = activity.name,
           .function = activity.function,
           .runs = sums.calls,
           .threads = static_cast<double>(sums.count) / static_cast<double>(std::max<std::int64_t>(1, sums.calls)),
           .seconds = seconds});
    } else if (is_work(activity.kind) && !phases.empty()) {
      const auto add_to = [&](PhaseTime& line) {
        line.busy_seconds += seconds;
        line.flops += flops_of(activity, sums.count);
      };
      add_to(phases[step]);
      if (activity.phase >= 0) add_to(phases.back());
    }
  }
  // Phases that were under way when the profiler was stopped have no time of their own.
  std::erase_if(phases, [](const PhaseTime& phase) { return phase.runs == 0; });
  for (PhaseTime& phase : phases) {
    phase.idle_seconds = std::max(0.0, phase.threads * phase.seconds - phase.busy_seconds);
  }
  return phases;
}

double Profile::seconds() const { return static_cast<double>(measurements_.nanoseconds) * nanosecond; }

double Profile::flops(const Event& event) const {
  return flops_of(activities().at(static_cast<std::size_t>(event.activity)), event.count);
}

double Profile::bytes(const Event& event) const {
  return bytes_of(activities().at(static_cast<std::size_t>(event.activity)), 1, event.count);
}

std::string Profile::table(std::size_t max_ops) const {
  std::string text = fmt::format("Profile of {:.3f} s on {} thread{}: {} events", seconds(), threads().size(),
                                 threads().size() == 1 ? "" : "s",
                                 with_separators(static_cast<std::int64_t>(events().size()) + dropped_events()));
  if (dropped_events() > 0) {
    text += fmt::format(", of which the last {} are not kept for the trace", with_separators(dropped_events()));
  }
  return text + "\n\n" + table_of_ops(ops(), max_ops) + "\n" + table_of_phases(phases());
}

}  // namespace rhyton::profiler
