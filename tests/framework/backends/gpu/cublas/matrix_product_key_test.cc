#include <rhyton/framework/backends/gpu/cublas/matrix_product_key.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/runtime/bounded_cache.h>

namespace rhyton::gpu {
namespace {

MatMulKey some_key() {
  MatMulKey key;
  key.product = {.dtype = float16, .rows = 31, .columns = 33, .depth = 257, .count = 3};
  key.workspace_bytes = 4096;
  return key;
}

/// Keys that differ from `some_key()` in one member each, with the name of the member.
std::vector<std::pair<std::string, MatMulKey>> changed_keys() {
  const std::vector<std::pair<std::string, std::function<void(MatMulKey&)>>> changes = {
      {"device", [](MatMulKey& key) { key.device = 1; }},
      {"dtype", [](MatMulKey& key) { key.product.dtype = bfloat16; }},
      {"transpose_a", [](MatMulKey& key) { key.product.transpose_a = true; }},
      {"transpose_b", [](MatMulKey& key) { key.product.transpose_b = true; }},
      {"rows", [](MatMulKey& key) { key.product.rows = 33; }},
      {"columns", [](MatMulKey& key) { key.product.columns = 31; }},
      {"rows and columns exchanged", [](MatMulKey& key) { std::swap(key.product.rows, key.product.columns); }},
      {"depth", [](MatMulKey& key) { key.product.depth = 256; }},
      {"count", [](MatMulKey& key) { key.product.count = 4; }},
      {"a_stride", [](MatMulKey& key) { key.product.a_stride = 5; }},
      {"b_stride", [](MatMulKey& key) { key.product.b_stride = 5; }},
      {"c_stride", [](MatMulKey& key) { key.product.c_stride = 5; }},
      {"adds_bias", [](MatMulKey& key) { key.adds_bias = true; }},
      {"tensor_float_32", [](MatMulKey& key) { key.tensor_float_32 = true; }},
      {"alignment of a", [](MatMulKey& key) { key.alignments.a = 16; }},
      {"alignment of b", [](MatMulKey& key) { key.alignments.b = 16; }},
      {"alignment of the bias", [](MatMulKey& key) { key.alignments.bias = 16; }},
      {"alignment of c", [](MatMulKey& key) { key.alignments.c = 16; }},
      {"workspace_bytes", [](MatMulKey& key) { key.workspace_bytes = 0; }},
  };
  std::vector<std::pair<std::string, MatMulKey>> keys;
  for (const auto& [name, change] : changes) {
    MatMulKey key = some_key();
    change(key);
    keys.emplace_back(name, key);
  }
  return keys;
}

TEST(MatMulKey, EqualKeysHaveEqualHashes) {
  EXPECT_EQ(some_key(), some_key());
  EXPECT_EQ(MatMulKeyHash()(some_key()), MatMulKeyHash()(some_key()));
}

TEST(MatMulKey, EverythingThatMayChangeTheAlgorithmChangesTheKeyAndItsHash) {
  std::unordered_set<std::size_t> hashes = {MatMulKeyHash()(some_key())};
  for (const auto& [name, key] : changed_keys()) {
    SCOPED_TRACE(name);
    EXPECT_NE(key, some_key());
    EXPECT_TRUE(hashes.insert(MatMulKeyHash()(key)).second);
  }
}

TEST(MatMulKey, AlignmentIsTheLargestPowerOfTwoUpTo256ThatDividesAnAddress) {
  const auto alignment = [](std::uintptr_t address) { return alignment_of(reinterpret_cast<const void*>(address)); };
  EXPECT_EQ(alignment(0x1001), 1U);
  EXPECT_EQ(alignment(0x1006), 2U);
  EXPECT_EQ(alignment(0x1010), 16U);
  EXPECT_EQ(alignment(0x1080), 128U);
  EXPECT_EQ(alignment(0x1100), 256U);
  EXPECT_EQ(alignment(0x4000), 256U);
  EXPECT_EQ(alignment_of(nullptr), 256U);
}

TEST(MatMulKey, AlignmentsAreThoseOfTheAddressesOfTheSameName) {
  const auto address = [](std::uintptr_t value) { return reinterpret_cast<void*>(value); };
  const MatrixAlignments alignments(
      MatrixAddresses{.a = address(0x1002), .b = address(0x1004), .bias = address(0x1008), .c = address(0x1010)});
  EXPECT_EQ(alignments.a, 2U);
  EXPECT_EQ(alignments.b, 4U);
  EXPECT_EQ(alignments.bias, 8U);
  EXPECT_EQ(alignments.c, 16U);
}

TEST(BoundedCache, FindsAnAnswerOnce) {
  BoundedCache<MatMulKey, int, MatMulKeyHash> cache(100);
  int calls = 0;
  for (int repetition = 0; repetition < 2; ++repetition) {
    int expected = 0;
    for (const auto& [name, key] : changed_keys()) {
      EXPECT_EQ(cache.get(key, [&] { return calls++; }), expected++) << name;
    }
  }
  EXPECT_EQ(calls, static_cast<int>(changed_keys().size()));
  EXPECT_EQ(cache.size(), changed_keys().size());
}

TEST(BoundedCache, TheOldestAnswerMakesRoom) {
  BoundedCache<int, int> cache(3);
  const auto ask = [&cache](int key) {
    bool is_found_anew = false;
    cache.get(key, [&] {
      is_found_anew = true;
      return key;
    });
    return is_found_anew;
  };
  for (const int key : {1, 2, 3}) EXPECT_TRUE(ask(key));
  EXPECT_TRUE(ask(4));
  EXPECT_EQ(cache.size(), 3U);
  for (const int key : {2, 3, 4}) EXPECT_FALSE(ask(key));
  EXPECT_TRUE(ask(1));
  EXPECT_TRUE(ask(2));
  EXPECT_EQ(cache.size(), 3U);
}

TEST(BoundedCache, RemembersNothingOfAQuestionThatThrew) {
  BoundedCache<int, int> cache(3);
  EXPECT_THROW(cache.get(1, []() -> int { throw std::runtime_error("no answer"); }), std::runtime_error);
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(cache.get(1, [] { return 7; }), 7);
}

TEST(BoundedCache, AnswersSeveralThreadsAlike) {
  BoundedCache<int, int> cache(16);
  std::atomic<int> next{0};
  std::vector<std::vector<int>> answers(4, std::vector<int>(16));
  std::vector<std::thread> threads;
  for (std::vector<int>& mine : answers) {
    threads.emplace_back([&cache, &next, &mine] {
      for (int round = 0; round < 100; ++round) {
        for (int key = 0; key < 16; ++key) {
          const int answer = cache.get(key, [&next] { return ++next; });
          int& first = mine[static_cast<std::size_t>(key)];
          if (round == 0) first = answer;
          EXPECT_EQ(answer, first);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<int>& others : answers) EXPECT_EQ(others, answers[0]);
  EXPECT_EQ(cache.size(), 16U);
}

}  // namespace
}  // namespace rhyton::gpu
