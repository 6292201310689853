#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/tensor/kept_values.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

// A prediction keeps handles of the weights for the next one, until they are assigned.

namespace rhyton {
namespace {

using test::Bytes;
using test::bytes_of;
using test::on_threads;
using test::random_tensor;

/// x · w on frames of its own.
class Product {
 public:
  Product()
      : executable_(graph::trace({{{{3, 4}, float32}, 0}}, [&](const std::vector<Tensor>& in) {
          return std::vector<Tensor>{matmul(in[0], weights)};
        })) {}

  graph::Executable::Lease lease() { return executable_.lease(); }
  Bytes expected() const { return bytes_of({matmul(x, weights)}); }

  void take(graph::Executable::Lease& lease) const {
    const std::unique_lock between_steps(step_mutex());
    lease.take_variables();
  }
  Bytes run(graph::Executable::Lease& lease) const {
    const void* const pointers[] = {x.raw_data()};
    lease.run_taken(pointers);
    return bytes_of(lease.outputs());
  }

  Variable weights{random_tensor({4, 5}, 1)};
  Tensor x = random_tensor({3, 4}, 2);

 private:
  graph::Executable executable_;
};

TEST(KeptWeights, AreTakenAgainWithoutTheMutexUnlessAssigned) {
  Product product;
  graph::Executable::Lease lease = product.lease();
  EXPECT_FALSE(lease.take_variables_again()) << "nothing was taken yet";
  product.take(lease);
  const Bytes first = product.run(lease);
  ASSERT_TRUE(lease.take_variables_again());
  EXPECT_EQ(product.run(lease), first);
}

TEST(KeptWeights, AreNotTakenAgainAfterAnAssignment) {
  Product product;
  graph::Executable::Lease lease = product.lease();
  product.take(lease);
  product.run(lease);
  product.weights.assign(random_tensor({4, 5}, 3));
  EXPECT_FALSE(lease.take_variables_again());
  product.take(lease);
  EXPECT_EQ(product.run(lease), product.expected());
  // In place, as in a training step.
  static_cast<float*>(product.weights.writable_data())[0] += 1;
  EXPECT_FALSE(lease.take_variables_again());
}

TEST(KeptWeights, AreNotCopiedByAStep) {
  Product product;
  graph::Executable::Lease lease = product.lease();
  product.take(lease);
  product.run(lease);
  const void* const before = product.weights.stored_value().raw_data();
  EXPECT_EQ(product.weights.writable_data(), before) << "released, since no run uses them";

  product.take(lease);
  product.run(lease);
  ASSERT_TRUE(lease.take_variables_again());
  EXPECT_NE(product.weights.writable_data(), before) << "a run is about to read them";
}

TEST(KeptWeights, TakeNoMemoryAfterAnAssignment) {
  Product product;
  graph::Executable::Lease lease = product.lease();
  product.take(lease);
  product.run(lease);
  const std::weak_ptr<Storage> old = product.weights.stored_value().storage();
  product.weights.assign(random_tensor({4, 5}, 4));
  EXPECT_TRUE(old.expired());

  // Assigned while they were in use.
  product.take(lease);
  const std::weak_ptr<Storage> used = product.weights.stored_value().storage();
  product.weights.assign(random_tensor({4, 5}, 5));
  ASSERT_FALSE(used.expired());
  product.run(lease);
  EXPECT_TRUE(used.expired());
}

TEST(KeptValues, AreThereUntilTheyAreTakenOrLetGo) {
  KeptValues place;
  EXPECT_EQ(place.take(), nullptr);
  const auto value = std::make_shared<int>(1);
  for (int i = 0; i < 3; ++i) {
    place.keep(value);
    EXPECT_EQ(place.take(), value);
    EXPECT_EQ(place.take(), nullptr);
  }
  for (int i = 0; i < 3; ++i) {
    place.keep(value);
    KeptValues::release_all();
    EXPECT_EQ(value.use_count(), 1);
    EXPECT_EQ(place.take(), nullptr);
  }
  {
    KeptValues other;
    other.keep(value);
  }
  KeptValues::release_all();
  EXPECT_EQ(value.use_count(), 1);
}

TEST(KeptValues, MayBeLetGoByAnyThread) {
  const auto value = std::make_shared<int>(1);
  on_threads(4, [&](int number) {
    for (int i = 0; i < 300; ++i) {
      if (number < 2) {
        KeptValues::release_all();
        continue;
      }
      KeptValues place;
      for (int k = 0; k < 10; ++k) {
        place.keep(value);
        const auto taken = place.take();
        EXPECT_TRUE(taken == nullptr || taken == value);
      }
      place.keep(value);
    }
  });
  EXPECT_EQ(value.use_count(), 1);
}

/// Every way to change weights, one after the other, between two predictions.
TEST(ConcurrentPredictions, SeeEveryAssignmentThatCameBefore) {
  const models::Sequential model = test::dense_model();
  model.compile(test::options_of_classifier());
  const Tensor x = random_tensor({8, 6}, 1);
  const Tensor y = test::labels(8);
  const test::TemporaryFolder folder;
  const std::string file = (folder / "other.weights.h5").string();
  {
    const models::Sequential other = test::dense_model();
    other.save_weights(file);
  }
  const std::vector<std::function<void()>> changes = {
      [&] { model.set_weights(test::dense_model().get_weights()); },
      [&] { model.weights()[1].assign_add(Tensor::full({16}, 0.5)); },
      [&] {
        model.weights()[0].assign(random_tensor({6, 16}, 7));
      },
      [&] { model.load_weights(file); },
      [&] { model.train_on_batch(x, y); },
      [&] { model.fit(x, y, {.epochs = 1, .verbose = 0}); },
  };
  const auto predict = [&] {
    // Both have run before, one of them possibly at the same time.
    std::vector<Bytes> results(2);
    on_threads(2, [&](int number) {
      for (int i = 0; i < 3; ++i) results[static_cast<std::size_t>(number)] = bytes_of(model.predict_on_batch(x));
    });
    EXPECT_EQ(results[0], results[1]);
    return results[0];
  };
  Bytes before = predict();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i]();
    const Bytes after = predict();
    EXPECT_NE(after, before) << "change " << i;
    // A model that has never predicted, with the same weights.
    const models::Sequential fresh = test::dense_model();
    fresh.set_weights(model.get_weights());
    EXPECT_EQ(bytes_of(fresh.predict_on_batch(x)), after) << "change " << i;
    before = after;
  }
}

/// One thread alternates between two sets of weights, and publishes which is set; other threads never see a mixture,
/// nor an older set.
TEST(ConcurrentPredictions, AreNeverOfWeightsThatWereReplacedBefore) {
  const models::Sequential model = test::dense_model();
  const Tensor x = random_tensor({8, 6}, 1);
  std::vector<std::vector<Tensor>> sets;
  std::vector<Bytes> expected;
  for (int i = 0; i < 2; ++i) {
    sets.push_back(test::dense_model().get_weights());
    model.set_weights(sets.back());
    expected.push_back(bytes_of(model.predict_on_batch(x)));
  }
  // Even: set `turn / 2 % 2` is complete; odd: the next one is being assigned.
  std::atomic<int> turn{2};
  std::atomic<int> wrong{0};
  std::atomic<int> right{0};
  on_threads(4, [&](int number) {
    if (number == 0) {
      while (turn < 1200 || right < 300) {
        ++turn;
        model.set_weights(sets[static_cast<std::size_t>((turn + 1) / 2 % 2)]);
        ++turn;
        std::this_thread::yield();
      }
      turn = -1;
      return;
    }
    for (;;) {
      const int begin = turn;
      if (begin < 0) return;
      const Bytes seen = bytes_of(model.predict_on_batch(x));
      const int end = turn;
      if (seen != expected[0] && seen != expected[1]) ++wrong;
      if (begin % 2 != 0 || begin != end) continue;
      ++(seen == expected[static_cast<std::size_t>(begin / 2 % 2)] ? right : wrong);
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace rhyton
