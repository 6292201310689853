#include <rhyton/framework/context.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/thread_pool.h>

namespace rhyton {
namespace {

TEST(ContextTest, SeedsAreAFunctionOfTheGlobalSeed) {
  Context one;
  Context other;
  EXPECT_EQ(one.seed(), std::nullopt);
  EXPECT_NE(one.next_seed(), one.next_seed());
  EXPECT_NE(one.next_seed(), other.next_seed());
  one.set_random_seed(42);
  other.set_random_seed(42);
  EXPECT_EQ(one.seed(), 42U);
  std::vector<std::uint64_t> first;
  for (int i = 0; i < 10; ++i) {
    first.push_back(one.next_seed());
    EXPECT_EQ(other.next_seed(), first.back());
  }
  EXPECT_EQ(std::set<std::uint64_t>(first.begin(), first.end()).size(), 10U);
  one.set_random_seed(42);
  EXPECT_EQ(one.next_seed(), first[0]);
  one.set_random_seed(43);
  EXPECT_NE(one.next_seed(), first[0]);
}

TEST(ContextTest, ARandomStateIsTakenOverByAnotherContext) {
  for (const bool is_seeded : {true, false}) {
    Context one;
    if (is_seeded) one.set_random_seed(42);
    one.next_seed();
    const Context::RandomState state = one.random_state();
    EXPECT_EQ(state.is_seeded, is_seeded);
    Context other;
    other.set_random_seed(7);
    other.set_random_state(state);
    EXPECT_EQ(other.seed(), one.seed());
    EXPECT_EQ(other.next_seed(), one.next_seed());
    EXPECT_EQ(other.next_seed(), one.next_seed());
  }
}

TEST(ContextTest, NamesAreCountedAsInKeras) {
  Context context;
  EXPECT_EQ(context.unique_name("dense"), "dense");
  EXPECT_EQ(context.unique_name("dense"), "dense_1");
  EXPECT_EQ(context.unique_name("conv2d"), "conv2d");
  EXPECT_EQ(context.unique_name("dense"), "dense_2");
  int cleared = 0;
  context.on_clear_session([&] { ++cleared; });
  context.set_random_seed(1);
  context.clear_session();
  EXPECT_EQ(context.unique_name("dense"), "dense");
  EXPECT_EQ(cleared, 1);
  EXPECT_EQ(context.seed(), 1U);
}

TEST(ContextTest, NamesStayUniqueAcrossThreads) {
  Context context;
  std::vector<std::vector<std::string>> names(4);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (std::vector<std::string>& own : names) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) own.push_back(context.unique_name("layer"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  for (const std::vector<std::string>& own : names) all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), 400U);
}

TEST(ContextTest, ThreadPoolHasTheThreadsThatWereSet) {
  Context context;
  context.set_num_threads(3);
  threading::ThreadPool& pool = context.thread_pool();
  EXPECT_EQ(pool.thread_count(), 3);
  EXPECT_EQ(context.num_threads(), 3);
  context.set_num_threads(3);
  EXPECT_EQ(&context.thread_pool(), &pool);
  context.set_num_threads(2);
  EXPECT_EQ(context.thread_pool().thread_count(), 2);
  std::atomic<int> calls = 0;
  pool.run(5, [&](std::int64_t, int) { ++calls; });
  EXPECT_EQ(calls.load(), 5) << "an earlier pool still works";
  EXPECT_THROW(context.set_num_threads(-1), ValueError);
  EXPECT_THROW(context.thread_pool().run(2, [&](std::int64_t, int) { context.set_num_threads(4); }), RuntimeError);
}

TEST(ContextTest, PoolMayChangeWhileOthersRun) {
  Context context;
  std::atomic<bool> is_over = false;
  std::atomic<std::int64_t> calls = 0;
  std::thread runner([&] {
    for (int i = 0; i < 500; ++i) context.thread_pool().run(4, [&](std::int64_t, int) { ++calls; });
    is_over = true;
  });
  for (int threads = 2; !is_over.load(); threads = threads == 2 ? 3 : 2) context.set_num_threads(threads);
  runner.join();
  EXPECT_EQ(calls.load(), 2000);
}

TEST(ContextTest, EnvironmentSetsTheThreads) {
  ::setenv("RHYTON_NUM_THREADS", "5", 1);
  EXPECT_EQ(Context().num_threads(), 5);
  {
    Context context;
    context.set_num_threads(2);
    EXPECT_EQ(context.num_threads(), 2);
    context.set_num_threads(0);
    EXPECT_EQ(context.num_threads(), 5);
  }
  for (const char* wrong : {"many", "0", "-3", "2x"}) {
    ::setenv("RHYTON_NUM_THREADS", wrong, 1);
    EXPECT_THROW(Context().num_threads(), ValueError) << wrong;
  }
  ::unsetenv("RHYTON_NUM_THREADS");
  EXPECT_EQ(Context().num_threads(), threading::default_thread_count());
}

TEST(ContextTest, Settings) {
  Context context;
  EXPECT_EQ(context.floatx(), "float32");
  EXPECT_EQ(context.dtype_policy(), "float32");
  context.set_floatx("float64");
  EXPECT_EQ(context.dtype_policy(), "float64");
  context.set_dtype_policy("mixed_bfloat16");
  EXPECT_EQ(context.dtype_policy(), "mixed_bfloat16");
  EXPECT_THROW(context.set_floatx("int32"), ValueError);
  EXPECT_THROW(context.set_dtype_policy("mixed_int8"), ValueError);
  EXPECT_EQ(context.epsilon(), 1e-7);
  context.set_epsilon(1e-5);
  EXPECT_EQ(context.epsilon(), 1e-5);
  EXPECT_EQ(context.image_data_format(), "channels_last");
  context.set_image_data_format("channels_first");
  EXPECT_EQ(context.image_data_format(), "channels_first");
  EXPECT_THROW(context.set_image_data_format("nhwc"), ValueError);
}

struct Counter {
  static inline std::atomic<int> made = 0;
  Counter() { ++made; }
  int value = 0;
};

TEST(ContextTest, SlotsAreMadeOnce) {
  Context context;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { context.slot<Counter>(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Counter::made.load(), 1);
  context.slot<Counter>().value = 7;
  EXPECT_EQ(context.slot<Counter>().value, 7);
  EXPECT_TRUE(context.slot<std::vector<int>>().empty());
}

TEST(ContextTest, FreeFunctionsSpeakForTheProcess) {
  set_random_seed(7);
  const std::uint64_t key = context().next_seed();
  set_random_seed(7);
  EXPECT_EQ(context().next_seed(), key);
  context().unique_name("free");
  clear_session();
  EXPECT_EQ(context().unique_name("free"), "free");
  const int before = config::num_threads();
  config::set_num_threads(2);
  EXPECT_EQ(context().thread_pool().thread_count(), 2);
  config::set_num_threads(before);
}

}  // namespace
}  // namespace rhyton
