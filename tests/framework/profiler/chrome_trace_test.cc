#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/profiler/profiler.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/framework/profiler/small_functions.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::profiler {
namespace {

class ChromeTrace : public ::testing::Test {
 protected:
  io::Json written(const Profile& profile) const {
    const std::filesystem::path path = folder_ / "trace.json";
    profile.save_chrome_trace(path);
    return io::Json::parse(test::content_of(path.string()));
  }

  const test::ThreadCount threads_{2};
  const test::TemporaryFolder folder_;
};

TEST_F(ChromeTrace, NamesProcessAndThreads) {
  Descent descent;
  start();
  descent.run(5);
  const Profile profile = stop();
  std::map<std::int64_t, std::string> names;
  std::string process;
  const io::Json trace = written(profile);
  for (const io::Json& event : trace["traceEvents"]) {
    if (event["ph"].as_string() != "M") continue;
    if (event["name"].as_string() == "process_name") process = event["args"]["name"].as_string();
    if (event["name"].as_string() == "thread_name") names[event["tid"].as_int()] = event["args"]["name"].as_string();
  }
  EXPECT_EQ(process, "Rhyton");
  ASSERT_EQ(names.size(), profile.threads().size());
  for (std::size_t i = 0; i < profile.threads().size(); ++i) {
    EXPECT_EQ(names[static_cast<std::int64_t>(i) + 1], profile.threads()[i]);
  }
}

TEST_F(ChromeTrace, HasOneCompleteEventForEachThatIsKept) {
  Descent descent;
  start();
  descent.run(2);
  const Profile profile = stop();
  const io::Json trace = written(profile);
  EXPECT_EQ(trace["otherData"]["events"].as_int(), static_cast<std::int64_t>(profile.events().size()));
  EXPECT_EQ(trace["otherData"]["dropped_events"].as_int(), 0);
  std::vector<const io::Json*> complete;
  for (const io::Json& event : trace["traceEvents"]) {
    if (event["ph"].as_string() == "X") complete.push_back(&event);
  }
  ASSERT_EQ(complete.size(), profile.events().size());
  for (std::size_t i = 0; i < complete.size(); ++i) {
    const Event& event = profile.events()[i];
    const Activity& activity = profile.activities()[static_cast<std::size_t>(event.activity)];
    const io::Json& json = *complete[i];
    SCOPED_TRACE(json.dump());
    ASSERT_EQ(json["name"].as_string(), activity.name);
    ASSERT_NEAR(json["ts"].as_double(), static_cast<double>(event.start) * 1e-3, 1e-6);
    ASSERT_NEAR(json["dur"].as_double(), static_cast<double>(event.duration) * 1e-3, 1e-6);
    ASSERT_EQ(json["tid"].as_int(), event.thread + 1);
    if (activity.kind != Kind::op) continue;
    ASSERT_EQ(json["cat"].as_string(), "op");
    ASSERT_EQ(json["args"]["shape"].as_string(), activity.shape);
    ASSERT_NEAR(json["args"]["flops"].as_double(), profile.flops(event), 0.5);
    ASSERT_NEAR(json["args"]["bytes"].as_double(), profile.bytes(event), 0.5);
    if (activity.unit == "samples") {
      ASSERT_EQ(json["args"]["slice"].as_int(), event.index);
      ASSERT_EQ(json["args"]["first"].as_int(), event.first);
      ASSERT_EQ(json["args"]["samples"].as_int(), event.count);
    }
  }
}

TEST_F(ChromeTrace, TellsWhatIsMissingAndQuotesNames) {
  Descent descent;
  start({.max_events = 5});
  { const Trace trace("a \"name\"\n"); }
  descent.run();
  const Profile profile = stop();
  const io::Json trace = written(profile);
  EXPECT_EQ(trace["otherData"]["dropped_events"].as_int(), profile.dropped_events());
  bool is_told = false;
  bool is_named = false;
  for (const io::Json& event : trace["traceEvents"]) {
    is_told = is_told || event["name"].as_string() == "process_labels";
    is_named = is_named || event["name"].as_string() == "a \"name\"\n";
  }
  EXPECT_TRUE(is_told);
  EXPECT_TRUE(is_named);
}

TEST_F(ChromeTrace, OfNothingIsATraceToo) {
  EXPECT_EQ(written(Profile())["otherData"]["events"].as_int(), 0);
  EXPECT_THROW(Profile().save_chrome_trace(folder_ / "nowhere" / "trace.json"), IOError);
}

TEST_F(ChromeTrace, OfATrainingShowsItsFunctions) {
  models::Sequential model(
      {layers::Input({.shape = {20}}), layers::Dense(16, {.activation = "relu"}), layers::Dense(1)});
  model.compile({.optimizer = optimizers::Adam(), .loss = "mse"});
  const Tensor x = test::random_tensor({70, 20}, 1);
  const Tensor y = test::random_tensor({70, 1}, 2);
  start();
  model.fit(x, y, {.batch_size = 32, .epochs = 2, .verbose = 0});
  model.evaluate(x, y, {.batch_size = 35, .verbose = 0});
  model.predict(x, {.batch_size = 70, .verbose = 0});
  const Profile profile = stop();
  std::map<std::string, std::int64_t> runs;
  for (const PhaseTime& phase : profile.phases()) {
    if (phase.kind == Kind::step) runs[phase.function] += phase.runs;
  }
  EXPECT_EQ(runs, (std::map<std::string, std::int64_t>{{"train_function, batch 32", 4},
                                                       {"train_function, batch 6", 2},
                                                       {"test_function, batch 35", 2},
                                                       {"predict_function, batch 70", 1}}));
  std::map<std::string, int> seen;
  const io::Json trace = written(profile);
  for (const io::Json& event : trace["traceEvents"]) {
    if (event["ph"].as_string() == "X") ++seen[event["name"].as_string()];
  }
  EXPECT_EQ(seen["train_function"], 6);
  EXPECT_EQ(seen["test_function"], 2);
  EXPECT_EQ(seen["predict_function"], 1);
  EXPECT_GE(seen["AdamUpdate"], 4 * 6);
}

}  // namespace
}  // namespace rhyton::profiler
