#include <rhyton/models/training/progress_bar.h>

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/tensor/number_format.h>

namespace rhyton::training {
namespace {

constexpr int bar_width = 20;
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view grey = "\x1b[37m";
constexpr std::string_view plain = "\x1b[0m";
constexpr std::string_view cell = "━";

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string cells(int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += cell;
  return result;
}

std::string remaining_time(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  if (seconds > 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole % 3600 / 60, whole % 60);
  if (seconds > 60) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

std::string time_per_step(double seconds) {
  if (seconds >= 1 || seconds == 0) return fmt::format(" {:.0f}s/step", seconds);
  if (seconds >= 1e-3) return fmt::format(" {:.0f}ms/step", seconds * 1e3);
  return fmt::format(" {:.0f}us/step", seconds * 1e6);
}

/// `compared`: the value that determines the notation.
std::string value_text(const std::string& name, double value, double compared) {
  value = without_sign_of_nan(value);
  return compared > 1e-3 ? fmt::format(" - {}: {:.4f}", name, value) : fmt::format(" - {}: {:.4e}", name, value);
}

}  // namespace

ProgressBar::ProgressBar(std::optional<std::int64_t> target, const ProgressBarOptions& options)
    : target_(target),
      verbose_(options.verbose),
      stream_(options.stream != nullptr ? *options.stream : std::cout),
      is_terminal_(options.is_terminal.value_or(options.stream == nullptr && isatty(STDOUT_FILENO) != 0)),
      clock_(options.clock ? options.clock : seconds_now),
      interval_(options.interval),
      start_(clock_()) {}

ProgressBar::~ProgressBar() {
  if (is_terminal_ && previous_width_ > 0) stream_ << '\n' << std::flush;
}

void ProgressBar::update(std::int64_t current, const Values& values) {
  if (verbose_ == 0) return;
  const double now = clock_();
  if (current == 1) after_first_step_ = now;
  if (verbose_ != 1 || !is_terminal_) return;
  if (last_drawn_ && now - *last_drawn_ < interval_) return;
  draw(current, values ? values() : callbacks::Logs(), false, now);
  last_drawn_ = now;
}

void ProgressBar::finish(std::int64_t current, const Values& values) {
  if (verbose_ == 0) return;
  if (!target_) target_ = current;
  const double now = clock_();
  const callbacks::Logs logs = values ? values() : callbacks::Logs();
  if (verbose_ == 1) {
    draw(current, logs, true, now);
    return;
  }
  if (*target_ <= 0) return;
  std::string line = position(current, false).bytes + fmt::format(" - {:.0f}s", now - start_) + " -" +
                     time_per_step(seconds_per_step(current, now));
  // Keras compares without the sign here.
  for (const auto& [name, value] : logs) line += value_text(name, value, value);
  stream_ << line << '\n' << std::flush;
}

double ProgressBar::seconds_per_step(std::int64_t current, double now) {
  if (current <= 0) return 0;
  // Without the first step, which includes compilation.
  if (after_first_step_ && current > 1) return (now - *after_first_step_) / static_cast<double>(current - 1);
  return (now - start_) / static_cast<double>(current);
}

ProgressBar::Text ProgressBar::position(std::int64_t current, bool with_colors) const {
  Text text;
  if (!target_ || *target_ <= 0) {
    text.bytes = fmt::format("{:7}/Unknown", current);
    text.width = text.bytes.size();
    return text;
  }
  const std::string target = std::to_string(*target_);
  text.bytes = fmt::format("{:{}}/{}", current, target.size(), target);
  text.width = text.bytes.size();
  if (with_colors) text.bytes = std::string(bold) + text.bytes + std::string(plain);
  return text;
}

void ProgressBar::draw(std::int64_t current, const callbacks::Logs& values, bool is_final, double now) {
  const double per_step = seconds_per_step(current, now);
  const bool is_known = target_ && *target_ > 0;
  Text line = position(current, is_terminal_);
  const auto add = [&](std::string_view text) {
    line.bytes += text;
    line.width += text.size();
  };
  const auto style = [&](std::string_view code) {
    if (is_terminal_) line.bytes += code;
  };

  if (is_known) {
    const double done = static_cast<double>(current) / static_cast<double>(*target_);
    const int filled = static_cast<int>(bar_width * done);
    add(" ");
    if (filled > 0) {
      style(green);
      line.bytes += cells(filled);
      style(plain);
    }
    style(grey);
    line.bytes += cells(bar_width - filled);
    style(plain);
    line.width += bar_width;
  }
  add(" ");
  style(bold);
  if (is_known && !is_final) {
    add(remaining_time(per_step * static_cast<double>(*target_ - current)));
  } else {
    add(fmt::format("{:.0f}s", now - start_));
  }
  style(plain);
  add(time_per_step(per_step));
  for (const auto& [name, value] : values) add(value_text(name, value, std::abs(value)));

  if (is_terminal_) {
    std::string erased(previous_width_, '\b');
    stream_ << erased << '\r';
    if (previous_width_ > line.width) line.bytes.append(previous_width_ - line.width, ' ');
  }
  stream_ << line.bytes << (is_final ? "\n" : "") << std::flush;
  previous_width_ = is_final ? 0 : line.width;
}

}  // namespace rhyton::training
