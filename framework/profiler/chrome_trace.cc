#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/profiler/profile.h>
#include <rhyton/framework/profiler/quantity.h>

namespace rhyton::profiler {
namespace {

constexpr int process = 1;
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

std::string quoted(const std::string& text) { return io::Json(text).dump(); }

std::string_view category_of(Kind kind) {
  constexpr std::array<std::string_view, 7> names = {"step", "phase", "op", "pack", "reduction", "copy", "span"};
  return names[static_cast<std::size_t>(kind)];
}

std::string metadata(std::string_view name, int thread, const std::string& argument, const std::string& value) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"{}":{}}}}})", name, process, thread,
                     argument, value);
}

/// The common part of all events of an activity: its name and category, and the beginning of the arguments.
struct Frame {
  std::string head;
  std::string arguments;

  explicit Frame(const Activity& activity)
      : head(fmt::format(R"("name":{},"cat":"{}","ph":"X")", quoted(activity.name), category_of(activity.kind))) {
    const auto add = [&](std::string_view name, const std::string& value) {
      arguments += fmt::format(R"({}"{}":{})", arguments.empty() ? "" : ",", name, value);
    };
    if (!activity.function.empty() && activity.kind != Kind::op) add("function", quoted(activity.function));
    if (activity.phase >= 0) add("phase", std::to_string(activity.phase));
    if (!activity.shape.empty()) add("shape", quoted(activity.shape));
    if (!activity.attributes.empty()) add("attributes", quoted(activity.attributes));
  }
};

/// The arguments that differ from event to event.
std::string arguments_of(const Profile& profile, const Activity& activity, const Event& event) {
  if (activity.kind == Kind::span) return {};
  if (activity.kind == Kind::step || activity.kind == Kind::phase) return fmt::format(R"("threads":{})", event.count);
  std::string text = fmt::format(R"("flops":{:.0f},"bytes":{:.0f})", profile.flops(event), profile.bytes(event));
  if (event.index >= 0) text += fmt::format(R"(,"{}":{})", activity.unit == "samples" ? "slice" : "piece", event.index);
  if (!activity.unit.empty()) text += fmt::format(R"(,"first":{},"{}":{})", event.first, activity.unit, event.count);
  return text;
}

/// The file, written through a buffer: a trace may be larger than memory should be.
class TraceFile {
 public:
  explicit TraceFile(const std::filesystem::path& path) : file_(path) {}

  void add(const std::string& event) {
    buffer_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    add_text(event);
  }
  void add_text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffer_bytes) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

  io::AtomicFile file_;
  std::string buffer_;
  bool is_first_ = true;
};

}  // namespace

void Profile::save_chrome_trace(const std::filesystem::path& path) const {
  TraceFile file(path);
  file.add_text(
      fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"events":{},"dropped_events":{}}},"traceEvents":[)",
                  events().size(), dropped_events()));
  file.add(metadata("process_name", 0, "name", R"("Rhyton")"));
  if (dropped_events() > 0) {
    file.add(metadata("process_labels", 0, "labels",
                      quoted("the last " + with_separators(dropped_events()) + " events are not kept")));
  }
  for (std::size_t t = 0; t < threads().size(); ++t) {
    const int thread = static_cast<int>(t) + 1;
    file.add(metadata("thread_name", thread, "name", quoted(threads()[t])));
    file.add(metadata("thread_sort_index", thread, "sort_index", std::to_string(thread)));
  }
  std::vector<Frame> frames;
  frames.reserve(activities().size());
  for (const Activity& activity : activities()) frames.emplace_back(activity);
  for (const Event& event : events()) {
    const auto index = static_cast<std::size_t>(event.activity);
    const std::string own = arguments_of(*this, activities()[index], event);
    const Frame& frame = frames[index];
    file.add(fmt::format(R"({{{},"ts":{}.{:03},"dur":{}.{:03},"pid":{},"tid":{},"args":{{{}{}{}}}}})", frame.head,
                         event.start / 1000, event.start % 1000, event.duration / 1000, event.duration % 1000, process,
                         event.thread + 1, frame.arguments, frame.arguments.empty() || own.empty() ? "" : ",", own));
  }
  file.add_text("\n]}\n");
  file.commit();
}

}  // namespace rhyton::profiler
