#include <rhyton/models/training/progress_bar.h>

#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace rhyton::training {
namespace {

// The expected bytes are those of keras.utils.Progbar.

/// A bar on a simulated terminal, whose clock starts at 100.
class Screen {
 public:
  struct Setting {
    int verbose = 1;
    bool is_terminal = true;
  };

  Screen(const Setting& setting, std::optional<std::int64_t> target)
      : bar_(target,
             {.verbose = setting.verbose, .stream = &stream_, .is_terminal = setting.is_terminal, .clock = [this] {
                return 100.0 + time_;
              }}) {}

  void update(double time, std::int64_t current, const callbacks::Logs& logs) {
    time_ = time;
    bar_.update(current, counted(logs));
  }
  void finish(double time, std::int64_t current, const callbacks::Logs& logs) {
    time_ = time;
    bar_.finish(current, counted(logs));
  }
  std::string text() const { return stream_.str(); }
  /// How often values were requested.
  int questions() const { return questions_; }

 private:
  ProgressBar::Values counted(const callbacks::Logs& logs) {
    return [this, logs] {
      ++questions_;
      return logs;
    };
  }

  std::ostringstream stream_;
  double time_ = 0;
  int questions_ = 0;
  ProgressBar bar_;
};

std::string erase(std::size_t columns) { return std::string(columns, '\b'); }

/// With `<b>`, `<g>`, `<w>` for bold, green and white, and `</>` for their end.
std::string styled(std::string text) {
  const std::pair<std::string, std::string> styles[] = {
      {"<b>", "\x1b[1m"}, {"<g>", "\x1b[32m"}, {"<w>", "\x1b[37m"}, {"</>", "\x1b[0m"}};
  for (const auto& [mark, code] : styles) {
    for (auto place = text.find(mark); place != std::string::npos; place = text.find(mark)) {
      text.replace(place, mark.size(), code);
    }
  }
  return text;
}

TEST(ProgressBar, KnownTarget) {
  Screen screen({.verbose = 1}, 938);
  screen.update(0.5, 1, {{"accuracy", 0.125}, {"loss", 2.3}});
  screen.update(0.55, 2, {{"accuracy", 0.2}, {"loss", 2.2}});
  screen.update(2.5, 469, {{"accuracy", 0.8}, {"loss", 0.00042}});
  screen.update(4.25, 938, {{"accuracy", 0.9012}, {"loss", 0.3456}});
  screen.finish(4.3, 938, {{"accuracy", 0.9012}, {"loss", 0.3456}, {"val_accuracy", 0.95}, {"val_loss", 0.2}});
  EXPECT_EQ(
      screen.text(),
      styled("\r<b>  1/938</> <w>━━━━━━━━━━━━━━━━━━━━</> <b>7:48</> 500ms/step - accuracy: 0.1250 - loss: 2.3000") +
          erase(78) +
          styled("\r<b>469/938</> <g>━━━━━━━━━━</><w>━━━━━━━━━━</> <b>2s</> 4ms/step - accuracy: 0.8000 - loss: "
                 "4.2000e-04") +
          erase(78) +
          styled("\r<b>938/938</> <g>━━━━━━━━━━━━━━━━━━━━</><w></> <b>0s</> 4ms/step - accuracy: 0.9012 - loss: 0.3456 "
                 "   ") +
          erase(74) +
          styled("\r<b>938/938</> <g>━━━━━━━━━━━━━━━━━━━━</><w></> <b>4s</> 4ms/step - accuracy: 0.9012 - loss: 0.3456 "
                 "- val_accuracy: 0.9500 - val_loss: 0.2000\n"));
}

TEST(ProgressBar, UnknownTarget) {
  Screen screen({.verbose = 1}, std::nullopt);
  screen.update(2.0, 1, {{"loss", -12.5}});
  screen.update(4.0, 2, {{"loss", 0.0}});
  screen.finish(4.0, 2, {{"loss", 0.0}});
  EXPECT_EQ(screen.text(),
            styled("\r      1/Unknown <b>2s</> 2s/step - loss: -12.5000") + erase(43) +
                styled("\r      2/Unknown <b>4s</> 2s/step - loss: 0.0000e+00") + erase(45) +
                styled("\r<b>2/2</> <g>━━━━━━━━━━━━━━━━━━━━</><w></> <b>4s</> 2s/step - loss: 0.0000e+00\n"));
}

TEST(ProgressBar, LongTimes) {
  Screen screen({.verbose = 1}, 10);
  screen.update(800.0, 1, {});
  screen.update(1500.0, 2, {});
  screen.update(2200.0, 8, {});
  screen.update(3000.0, 9, {});
  screen.finish(3000.0, 10, {});
  EXPECT_EQ(screen.text(),
            styled("\r<b> 1/10</> <g>━━</><w>━━━━━━━━━━━━━━━━━━</> <b>2:00:00</> 800s/step") + erase(44) +
                styled("\r<b> 2/10</> <g>━━━━</><w>━━━━━━━━━━━━━━━━</> <b>1:33:20</> 700s/step") + erase(44) +
                styled("\r<b> 8/10</> <g>━━━━━━━━━━━━━━━━</><w>━━━━</> <b>6:40</> 200s/step   ") + erase(41) +
                styled("\r<b> 9/10</> <g>━━━━━━━━━━━━━━━━━━</><w>━━</> <b>4:35</> 275s/step") + erase(41) +
                styled("\r<b>10/10</> <g>━━━━━━━━━━━━━━━━━━━━</><w></> <b>3000s</> 244s/step\n"));
}

TEST(ProgressBar, ShortTimes) {
  Screen screen({.verbose = 1}, 5);
  screen.update(1e-05, 1, {{"loss", 1.0}});
  screen.finish(0.0002, 5, {{"loss", 1.0}});
  EXPECT_EQ(screen.text(),
            styled("\r<b>1/5</> <g>━━━━</><w>━━━━━━━━━━━━━━━━</> <b>0s</> 10us/step - loss: 1.0000") + erase(52) +
                styled("\r<b>5/5</> <g>━━━━━━━━━━━━━━━━━━━━</><w></> <b>0s</> 48us/step - loss: 1.0000\n"));
}

TEST(ProgressBar, LinePerEpoch) {
  Screen screen({.verbose = 2}, 938);
  screen.update(0.5, 1, {{"accuracy", 0.125}, {"loss", 2.3}});
  screen.finish(4.3, 938, {{"accuracy", 0.9012}, {"loss", -0.3456}});
  EXPECT_EQ(screen.text(), styled("938/938 - 4s - 4ms/step - accuracy: 0.9012 - loss: -3.4560e-01\n"));
}

TEST(ProgressBar, AsksForValuesOnlyWhereItDraws) {
  Screen screen({}, 1000);
  for (int step = 1; step <= 1000; ++step) screen.update(step * 1e-3, step, {{"loss", 1.0}});
  EXPECT_LE(screen.questions(), 11);
  EXPECT_GE(screen.questions(), 9);
}

TEST(ProgressBar, WithoutTerminalShowsTheLastStatePlainly) {
  Screen screen({.is_terminal = false}, 938);
  screen.update(0.5, 1, {{"loss", 2.0}});
  screen.update(2.0, 500, {{"loss", 1.0}});
  EXPECT_EQ(screen.text(), "");
  EXPECT_EQ(screen.questions(), 0);
  screen.finish(4.3, 938, {{"accuracy", 0.9012}, {"loss", 0.3456}, {"val_accuracy", 0.95}, {"val_loss", 0.2}});
  EXPECT_EQ(screen.text(),
            "938/938 ━━━━━━━━━━━━━━━━━━━━ 4s 4ms/step - accuracy: 0.9012 - loss: 0.3456 - val_accuracy: 0.9500 - "
            "val_loss: 0.2000\n");
}

TEST(ProgressBar, NanHasNoSign) {
  Screen screen({.is_terminal = false}, 1);
  screen.finish(1, 1, {{"loss", -std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_NE(screen.text().find(" - loss: nan"), std::string::npos) << screen.text();
}

TEST(ProgressBar, SilentWritesNothing) {
  Screen screen({.verbose = 0}, 10);
  screen.update(1, 5, {{"loss", 2.0}});
  screen.finish(2, 10, {{"loss", 2.0}});
  EXPECT_EQ(screen.text(), "");
  EXPECT_EQ(screen.questions(), 0);
}

}  // namespace
}  // namespace rhyton::training
