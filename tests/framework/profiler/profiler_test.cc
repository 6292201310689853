#include <rhyton/framework/profiler/profiler.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/cost.h>
#include <rhyton/framework/profiler/quantity.h>
#include <rhyton/tests/framework/profiler/small_functions.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::profiler {
namespace {

using test::message_of;
using ::testing::HasSubstr;
using ::testing::Not;

const Activity& activity_of(const Profile& profile, const Event& event) {
  return profile.activities().at(static_cast<std::size_t>(event.activity));
}

/// Calls and operations of one step, by the name of the op, according to the plan.
std::map<std::string, graph::Cost> costs_of(const graph::Plan& plan) {
  std::map<std::string, graph::Cost> costs;
  for (const graph::PlannedPhase& phase : plan.phases) {
    for (const graph::PlannedCall& call : phase.calls) {
      const graph::Cost cost = graph::cost_of(plan, phase, call);
      graph::Cost& sum = costs.try_emplace(std::string(call.op->name()), graph::Cost{.calls = 0}).first->second;
      sum.flops += cost.flops;
      sum.shared_out_bytes += cost.bytes();
      sum.calls += cost.calls;
    }
  }
  return costs;
}

/// Expects each event to be within the enclosing one, or after it.
void expect_nested(const Profile& profile) {
  std::vector<std::vector<Event>> open(profile.threads().size());
  for (const Event& event : profile.events()) {
    ASSERT_GE(event.start, 0);
    ASSERT_GE(event.duration, 0);
    std::vector<Event>& enclosing = open.at(static_cast<std::size_t>(event.thread));
    while (!enclosing.empty() && enclosing.back().end() <= event.start) enclosing.pop_back();
    if (!enclosing.empty()) {
      ASSERT_LE(event.end(), enclosing.back().end()) << activity_of(profile, event).name;
    }
    enclosing.push_back(event);
  }
}

TEST(Profiler, StartsOnceAndStopsOnce) {
  EXPECT_FALSE(is_running());
  EXPECT_EQ(message_of<RuntimeError>([] { stop(); }), "Cannot export profiling results. No profiler is running.");
  start();
  EXPECT_TRUE(is_running());
  EXPECT_EQ(message_of<RuntimeError>([] { start(); }), "Another profiler is running.");
  const Profile profile = stop();
  EXPECT_FALSE(is_running());
  EXPECT_TRUE(profile.events().empty());
  EXPECT_GT(profile.seconds(), 0);
  EXPECT_THROW(start({.max_events = -1}), ValueError);
  EXPECT_FALSE(is_running());
}

TEST(Profiler, SessionEndsWhereAnExceptionPasses) {
  try {
    const Session session;
    throw ValueError("on the way");
  } catch (const ValueError&) {
    EXPECT_FALSE(is_running());
  }
  Session session;
  EXPECT_TRUE(is_running());
  session.stop();
  EXPECT_FALSE(is_running());
}

TEST(Profiler, SeesOnlyWhatRunsBetweenStartAndStop) {
  Descent descent;
  descent.run(2);
  start();
  const Profile nothing = stop();
  EXPECT_TRUE(nothing.events().empty());
  EXPECT_TRUE(nothing.ops().empty());
  descent.run();
  start();
  descent.run(3);
  const Profile profile = stop();
  descent.run();
  ASSERT_FALSE(profile.phases().empty());
  EXPECT_EQ(profile.phases().front().runs, 3);
}

class ProfileOfThreads : public ::testing::TestWithParam<int> {
 protected:
  const test::ThreadCount threads_{GetParam()};
};

TEST_P(ProfileOfThreads, CountsCallsOperationsAndBytesAsThePlanDoes) {
  Descent descent;
  constexpr int steps = 5;
  start();
  descent.run(steps);
  const Profile profile = stop();
  std::map<std::string, OpTime> ops;
  for (const OpTime& op : profile.ops()) {
    if (op.kind != Kind::op) continue;
    OpTime& sum = ops[op.name];
    sum.calls += op.calls;
    sum.flops += op.flops;
    sum.bytes += op.bytes;
    EXPECT_GT(op.seconds, 0) << op.name;
  }
  const std::map<std::string, graph::Cost> costs = costs_of(descent.plan());
  ASSERT_TRUE(costs.contains("MatMulKernelGradient"));
  ASSERT_EQ(ops.size(), costs.size());
  for (const auto& [name, cost] : costs) {
    SCOPED_TRACE(name);
    EXPECT_EQ(ops[name].calls, steps * cost.calls);
    EXPECT_DOUBLE_EQ(ops[name].flops, steps * cost.flops);
    EXPECT_DOUBLE_EQ(ops[name].bytes, steps * cost.bytes());
  }
}

TEST_P(ProfileOfThreads, KnowsThePiecesThatAKernelMakesItself) {
  Descent descent;
  const auto& phases = descent.plan().phases;
  const bool has_pieces = std::any_of(phases.begin(), phases.end(), [](const graph::PlannedPhase& phase) {
    return std::any_of(phase.calls.begin(), phase.calls.end(),
                       [](const graph::PlannedCall& call) { return call.split_by_kernel; });
  });
  ASSERT_TRUE(has_pieces) << "the gradient of the first weights is large enough";
  start();
  descent.run();
  const Profile profile = stop();
  double flops = 0;
  std::set<int> pieces;
  for (const Event& event : profile.events()) {
    const Activity& activity = activity_of(profile, event);
    if (activity.name != "MatMulKernelGradient" || activity.shape != "(400, 300)") continue;
    flops += profile.flops(event);
    EXPECT_TRUE(pieces.insert(event.index).second);
  }
  EXPECT_GT(pieces.size(), 1);
  EXPECT_DOUBLE_EQ(flops, 2.0 * Descent::batch * 400 * 300);
}

TEST_P(ProfileOfThreads, EventsAddUpToTheTotals) {
  Descent descent;
  start();
  descent.run(4);
  const Profile profile = stop();
  EXPECT_EQ(profile.dropped_events(), 0);
  std::vector<Totals> sums(profile.activities().size());
  for (const Event& event : profile.events()) {
    Totals& sum = sums.at(static_cast<std::size_t>(event.activity));
    ++sum.calls;
    sum.nanoseconds += event.duration;
    sum.count += event.count;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    SCOPED_TRACE(profile.activities()[i].name);
    EXPECT_EQ(sums[i].calls, profile.totals(i).calls);
    EXPECT_EQ(sums[i].nanoseconds, profile.totals(i).nanoseconds);
    EXPECT_EQ(sums[i].count, profile.totals(i).count);
  }
}

TEST_P(ProfileOfThreads, EventsAreNested) {
  Descent descent;
  start();
  {
    const Trace epoch("epoch");
    descent.run(4);
  }
  const Profile profile = stop();
  expect_nested(profile);
  ASSERT_FALSE(profile.events().empty());
  EXPECT_EQ(activity_of(profile, profile.events().front()).name, "epoch");
  EXPECT_EQ(profile.threads().front(), "caller");
  EXPECT_LE(profile.threads().size(), static_cast<std::size_t>(GetParam()));
  // All computation is in a phase, and the work of pool threads is at the time of one.
  std::vector<Event> phases;
  for (const Event& event : profile.events()) {
    if (activity_of(profile, event).kind == Kind::phase) phases.push_back(event);
  }
  for (const Event& event : profile.events()) {
    if (activity_of(profile, event).kind != Kind::op) continue;
    EXPECT_TRUE(std::any_of(phases.begin(), phases.end(), [&](const Event& phase) {
      return phase.start <= event.start && event.end() <= phase.end() &&
             activity_of(profile, phase).phase == activity_of(profile, event).phase;
    }));
  }
}

TEST_P(ProfileOfThreads, EachSampleIsMetOncePerStep) {
  Descent descent;
  start();
  descent.run();
  const Profile profile = stop();
  for (std::size_t i = 0; i < profile.activities().size(); ++i) {
    const Activity& activity = profile.activities()[i];
    if (activity.kind != Kind::op || activity.unit != "samples") continue;
    std::set<std::int64_t> samples;
    for (const Event& event : profile.events()) {
      if (event.activity != static_cast<int>(i)) continue;
      EXPECT_EQ(event.index, static_cast<int>(event.first / descent.plan().slice_size));
      for (std::int64_t s = event.first; s < event.first + event.count; ++s) {
        EXPECT_TRUE(samples.insert(s).second) << activity.name << ", sample " << s;
      }
    }
    EXPECT_EQ(samples.size(), static_cast<std::size_t>(Descent::batch)) << activity.name;
  }
}

TEST_P(ProfileOfThreads, PhasesTellWhereThreadsWait) {
  Descent descent;
  start();
  descent.run(4);
  const Profile profile = stop();
  const std::vector<PhaseTime> phases = profile.phases();
  ASSERT_EQ(phases.size(), 1 + descent.plan().phases.size());
  const PhaseTime& step = phases.front();
  EXPECT_EQ(step.kind, Kind::step);
  EXPECT_EQ(step.function, "descent, batch 60");
  double seconds = 0;
  for (const PhaseTime& phase : phases) {
    EXPECT_EQ(phase.runs, 4);
    EXPECT_EQ(phase.threads, GetParam());
    EXPECT_GE(phase.idle_seconds, 0);
    EXPECT_NEAR(phase.busy_seconds + phase.idle_seconds, phase.threads * phase.seconds, 1e-9);
    if (phase.kind == Kind::phase) seconds += phase.seconds;
  }
  EXPECT_LE(seconds, step.seconds);
  EXPECT_LE(step.seconds, profile.seconds());
}

INSTANTIATE_TEST_SUITE_P(Threads, ProfileOfThreads, ::testing::Values(1, 2));

TEST(Profile, KnowsPackingSumsAndCopies) {
  const test::ThreadCount threads(2);
  // Swapping two variables needs copies.
  const Variable a(test::random_tensor({32}, 1), {.name = "a"});
  const Variable b(test::random_tensor({32}, 2), {.name = "b"});
  graph::Executable swap(graph::trace({}, [&](const std::vector<Tensor>&) {
    const Tensor old = a.value();
    a.assign(b.value());
    b.assign(old);
    return std::vector<Tensor>{};
  }));
  Descent descent;
  start();
  descent.run();
  swap.run({});
  const Profile profile = stop();
  std::map<Kind, int> lines;
  for (const OpTime& op : profile.ops()) {
    ++lines[op.kind];
    if (op.kind == Kind::copy) {
      EXPECT_EQ(op.shape, "128 B");
    }
    if (op.kind == Kind::reduction && op.attributes == "MatMulKernelGradient" && op.shape == "(300, 20)") {
      EXPECT_EQ(op.flops, 3.0 * 300 * 20) << "four slices are added in three additions";
      EXPECT_EQ(op.bytes, 5.0 * 300 * 20 * 4);
    }
  }
  EXPECT_GE(lines[Kind::op], 5);
  EXPECT_GE(lines[Kind::reduction], 2);
  EXPECT_GE(lines[Kind::copy], 1);
  const auto& phases = descent.plan().phases;
  const bool packs = std::any_of(phases.begin(), phases.end(), [](const graph::PlannedPhase& phase) {
    return std::any_of(phase.calls.begin(), phase.calls.end(),
                       [](const graph::PlannedCall& call) { return call.packed.has_value(); });
  });
  EXPECT_EQ(lines[Kind::pack] > 0, packs);
}

TEST(Profile, KeepsTheFirstEventsAndTheSumsOfAll) {
  Descent descent;
  constexpr int steps = 3;
  start({.max_events = 10});
  descent.run(steps);
  const Profile few = stop();
  EXPECT_LE(few.events().size(), 10);
  EXPECT_GE(few.events().size(), 5);
  EXPECT_EQ(few.phases().front().runs, steps);
  start({.max_events = 0});
  descent.run(steps);
  const Profile none = stop();
  EXPECT_TRUE(none.events().empty());
  start();
  descent.run(steps);
  const Profile all = stop();
  const auto count = static_cast<std::int64_t>(all.events().size());
  EXPECT_EQ(all.dropped_events(), 0);
  EXPECT_EQ(none.dropped_events(), count);
  EXPECT_EQ(few.dropped_events(), count - static_cast<std::int64_t>(few.events().size()));
  ASSERT_EQ(none.ops().size(), all.ops().size());
  EXPECT_THAT(none.table(), HasSubstr("events, of which the last " + with_separators(count) + " are not kept"));
  EXPECT_THAT(all.table(), Not(HasSubstr("not kept")));
}

TEST(Profile, IsThatOfAllThreadsThatRunFunctions) {
  const test::ThreadCount pool(2);
  constexpr int callers = 3;
  constexpr int steps = 20;
  start();
  std::vector<std::thread> threads;
  threads.reserve(callers);
  for (int i = 0; i < callers; ++i) {
    threads.emplace_back([] {
      Descent descent;
      descent.run(steps);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Profile profile = stop();
  expect_nested(profile);
  std::int64_t runs = 0;
  for (const PhaseTime& phase : profile.phases()) {
    if (phase.kind == Kind::step) runs += phase.runs;
  }
  EXPECT_EQ(runs, callers * steps);
  EXPECT_EQ(std::count_if(profile.threads().begin(), profile.threads().end(),
                          [](const std::string& name) { return name.starts_with("caller"); }),
            callers);
}

TEST(Profile, CanBeTakenWhileFunctionsRun) {
  const test::ThreadCount pool(2);
  std::atomic<bool> done{false};
  std::thread runner([&] {
    Descent descent;
    while (!done.load()) descent.run();
  });
  for (int i = 0; i < 20; ++i) {
    start({.max_events = 1000});
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const Profile profile = stop();
    for (const Event& event : profile.events()) ASSERT_LT(event.thread, static_cast<int>(profile.threads().size()));
    ASSERT_LE(profile.events().size(), 1000);
  }
  done = true;
  runner.join();
}

TEST(Trace, CostsNothingAndDoesNothingWithoutAProfiler) {
  { const Trace trace("unseen"); }
  start();
  EXPECT_TRUE(stop().events().empty());
}

TEST(Trace, IsOneActivityPerName) {
  start();
  for (int i = 0; i < 3; ++i) {
    const Trace outer("outer");
    const Trace inner("inner");
  }
  const Profile profile = stop();
  EXPECT_EQ(profile.activities().size(), 2);
  EXPECT_EQ(profile.events().size(), 6);
  EXPECT_TRUE(profile.ops().empty());
  EXPECT_TRUE(profile.phases().empty());
  expect_nested(profile);
}

TEST(Profile, TableShowsOpsByTimeAndPhases) {
  Descent descent;
  start();
  descent.run(2);
  const Profile profile = stop();
  const std::vector<OpTime> ops = profile.ops();
  EXPECT_TRUE(
      std::is_sorted(ops.begin(), ops.end(), [](const OpTime& a, const OpTime& b) { return a.seconds > b.seconds; }));
  const std::string table = profile.table();
  for (const char* const title : {"Calls", "Total ms", "Share", "Mean µs", "GFLOP/s", "GB/s", "Busy ms", "Idle ms"}) {
    EXPECT_THAT(table, HasSubstr(title));
  }
  EXPECT_THAT(table, HasSubstr("\nMatMulKernelGradient                         (400, 300) "));
  EXPECT_THAT(table, HasSubstr("\nTotal "));
  EXPECT_THAT(table, HasSubstr("100.0%"));
  EXPECT_THAT(table, HasSubstr("\ndescent, batch 60 "));
  EXPECT_THAT(table, HasSubstr("\n  phase 0, "));
  EXPECT_THAT(profile.table(1), HasSubstr("\n" + std::to_string(ops.size() - 1) + " others "));
  EXPECT_THAT(Profile().table(), HasSubstr("0 events"));
}

TEST(Quantity, HasThreeDigits) {
  EXPECT_EQ(quantity(0, "B"), "0 B");
  EXPECT_EQ(quantity(7, "B"), "7 B");
  EXPECT_EQ(quantity(999, "B"), "999 B");
  EXPECT_EQ(quantity(999.6, "B"), "1.00 kB");
  EXPECT_EQ(quantity(12345, "FLOP"), "12.3 kFLOP");
  EXPECT_EQ(quantity(9.996e6, "FLOP"), "10.0 MFLOP");
  EXPECT_EQ(quantity(1.5e9, "FLOP"), "1.50 GFLOP");
  EXPECT_EQ(quantity(123e15, "B"), "123 PB");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(with_separators(-123), "-123");
}

}  // namespace
}  // namespace rhyton::profiler
