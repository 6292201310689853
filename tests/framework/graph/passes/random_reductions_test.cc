// Random graphs with sums over replicas at any place: with buckets they must give the bits of whole sums, and the
// memory of a sum must not be accessed during the sum.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/twice.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using Tensors = std::vector<Tensor>;
using Bytes = std::vector<std::byte>;

constexpr std::byte seal{0xA5};

/// Buckets of this many tensors, or whole sums. Between the begin and the end of a sum its memory holds a pattern.
class SealedSums final : public Twice {
 public:
  explicit SealedSums(std::size_t bucket) : bucket_(bucket) {}

  bool overlaps() const override { return true; }
  std::vector<std::size_t> buckets_of(std::span<const TensorSpec> tensors) const override {
    if (bucket_ == 0) return {tensors.size()};
    std::vector<std::size_t> counts(tensors.size() / bucket_, bucket_);
    if (tensors.size() % bucket_ != 0) counts.push_back(tensors.size() % bucket_);
    return counts;
  }

  std::int64_t begin_all_reduce(std::span<const ReductionBuffer> buffers) override {
    const std::scoped_lock lock(mutex_);
    std::vector<Sum>& sums = begun_.emplace_back();
    add_up(buffers);
    for (const ReductionBuffer& buffer : buffers) {
      auto* const memory = static_cast<std::byte*>(buffer.output);
      const std::size_t bytes = static_cast<std::size_t>(buffer.elements) * size_of(buffer.dtype);
      sums.push_back({memory, Bytes(memory, memory + bytes)});
      std::fill_n(memory, bytes, seal);
    }
    ++under_way;
    return static_cast<std::int64_t>(begun_.size()) - 1;
  }

  void finish_all_reduce(std::int64_t number, std::int64_t last) override {
    const std::scoped_lock lock(mutex_);
    EXPECT_LE(number, last);
    ASSERT_LT(static_cast<std::size_t>(last), begun_.size()) << "the last bucket was not begun";
    for (Sum& sum : begun_[static_cast<std::size_t>(number)]) {
      EXPECT_TRUE(std::all_of(sum.memory, sum.memory + sum.value.size(), [](std::byte b) { return b == seal; }))
          << "somebody has written where a sum travels";
      std::copy(sum.value.begin(), sum.value.end(), sum.memory);
    }
    begun_[static_cast<std::size_t>(number)].clear();
    --under_way;
  }

  std::size_t begun() const { return begun_.size(); }

  int under_way = 0;

 private:
  struct Sum {
    std::byte* memory;
    Bytes value;
  };

  std::size_t bucket_;
  std::mutex mutex_;
  std::vector<std::vector<Sum>> begun_;
};

/// A program of a few dozen ops: on a batch of rows, on rows, on square matrices, and on sums over replicas of them.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, std::int64_t width, std::shared_ptr<Communicator> group)
      : seed_(seed), width_(width), group_(std::move(group)) {}

  Tensors operator()(const Tensor& batch) {
    random_.seed(seed_);
    batches_ = {batch};
    rows_ = {row_.value()};
    squares_ = {square_.value()};
    const unsigned steps = 10 + random_() % 25;
    for (unsigned step = 0; step < steps; ++step) add_op();
    Tensors outputs;
    for (const Tensors* pool : {&rows_, &squares_, &batches_}) {
      for (int i = 0; i < 3; ++i) outputs.push_back(pick(*pool));
    }
    row_.assign(pick(rows_));
    square_.assign(pick(squares_));
    return outputs;
  }

  Tensors variables() const { return {row_.value(), square_.value()}; }

 private:
  const Tensor& pick(const Tensors& pool) {
    const std::size_t recent = std::min<std::size_t>(pool.size(), 8);
    return pool[pool.size() - recent + random_() % recent];
  }

  void add_op() {
    switch (random_() % 11) {
      case 0:
        return batches_.push_back(tanh(pick(batches_)));
      case 1:
        return batches_.push_back(pick(batches_) * 0.5 + pick(batches_));
      case 2:
        return batches_.push_back(tanh(pick(batches_) - pick(rows_)));
      case 3:
        return batches_.push_back(tanh(matmul(pick(batches_), pick(squares_))));
      case 4:
        return rows_.push_back(sum(pick(batches_), {0}));
      case 5:
        return rows_.push_back(sin(pick(rows_) * 1.5));
      case 6:
        return squares_.push_back(matmul(pick(batches_), pick(batches_), /*transpose_a=*/true));
      case 7:
        return squares_.push_back(tanh(pick(squares_) + pick(squares_)));
      default:
        return add_sums();
    }
  }

  void add_sums() {
    Tensors terms;
    const unsigned count = 1 + random_() % 5;
    for (unsigned i = 0; i < count; ++i) {
      switch (random_() % 4) {
        case 0:
          terms.push_back(pick(rows_));
          break;
        case 1:
          terms.push_back(pick(squares_));
          break;
        case 2:
          terms.push_back(reshape(pick(rows_), {1, width_}));
          break;
        default:
          terms.push_back(reshape(pick(squares_), {width_ * width_}));
      }
    }
    for (const Tensor& sum : sums_over(group_, terms)) {
      const Tensor used = random_() % 3 == 0 ? sum : tanh(sum * 0.2);
      if (used.size() == width_) {
        rows_.push_back(reshape(used, {width_}));
      } else {
        squares_.push_back(reshape(used, {width_, width_}));
      }
    }
  }

  unsigned seed_;
  std::int64_t width_;
  std::shared_ptr<Communicator> group_;
  std::mt19937 random_;
  Variable row_{Tensor::full({width_}, 0.1)};
  Variable square_{Tensor::full({width_, width_}, 0.01)};
  Tensors batches_;
  Tensors rows_;
  Tensors squares_;
};

/// The bits of all results of two runs and of the variables after them; adds the number of sums that were begun.
std::vector<Bytes> bits_of(unsigned seed, std::size_t bucket, std::size_t& begun) {
  const std::int64_t samples = std::vector<std::int64_t>{1, 2, 13, 64}[seed % 4];
  const std::int64_t width = seed % 3 == 0 ? 40 : 5;
  const auto group = std::make_shared<SealedSums>(bucket);
  RandomProgram program(seed, width, group);
  Executable executable(
      trace({{{Shape{samples, width}, DType::float32}, 0}}, [&](const Tensors& x) { return program(x[0]); }),
      {.passes = seed % 5 == 0 ? PassOptions::without_fusion() : PassOptions(),
       .plan = {.slices = seed % 2 == 0 ? 3 : 0, .check = seed % 7 == 0}});
  EXPECT_TRUE(is_valid(executable.plan().shared_intervals, executable.plan().shared_layout));
  const Tensors inputs{test::random_tensor({samples, width}, seed + 1)};
  std::vector<Bytes> bits;
  const auto append = [&](const Tensors& tensors) {
    for (const Tensor& tensor : tensors) {
      const auto* const first = static_cast<const std::byte*>(tensor.raw_data());
      bits.emplace_back(first, first + tensor.spec().bytes());
    }
  };
  for (int run = 0; run < 2; ++run) {
    append(executable(inputs));
    EXPECT_EQ(group->under_way, 0) << "at the end of a run";
  }
  append(program.variables());
  begun += group->begun();
  return bits;
}

TEST(RandomReductions, BucketsGiveTheBitsOfWholeSums) {
  std::size_t whole_sums_begun = 0;
  std::size_t buckets_begun = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    const std::vector<Bytes> whole = bits_of(seed, 0, whole_sums_begun);
    for (const std::size_t bucket : {1, 2, 3}) {
      EXPECT_EQ(bits_of(seed, bucket, buckets_begun), whole) << "seed " << seed << ", buckets of " << bucket;
    }
  }
  EXPECT_EQ(whole_sums_begun, 0U);
  EXPECT_GT(buckets_begun, 3000U);
}

}  // namespace
}  // namespace rhyton::graph
