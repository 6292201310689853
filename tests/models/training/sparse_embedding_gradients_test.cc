// The compile option `sparse_embedding_gradients`, compared with training by real Keras on TensorFlow.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/cloning.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/policy_scope.h>
#include <rhyton/tests/support/tensor_distance.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::models {
namespace {

using test::relative_distance;
using test::same_bits;

const test::GoldenArea& embedding_area() {
  static const test::GoldenArea area("sparse_gradients");
  return area;
}

std::vector<std::string> embedding_cases() {
  std::vector<std::string> names;
  for (const io::Json& golden : embedding_area().cases()) {
    if (golden.find("kind") != nullptr && golden["kind"].as_string() == "model") {
      names.push_back(golden["name"].as_string());
    }
  }
  return names;
}

class SparseEmbeddingGradients : public ::testing::TestWithParam<std::string> {
 protected:
  const io::Json& golden() const { return embedding_area().find(GetParam()); }

  std::vector<Tensor> weights(const std::string& role, std::size_t count) const {
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back(embedding_area().array(golden(), role + std::to_string(i)));
    }
    return result;
  }

  /// The steps of the case, of that model; the losses.
  std::vector<float> train(const Model& model, bool sparse, bool eagerly) const {
    CompileOptions options{.optimizer = optimizers::deserialize(golden()["optimizer"]),
                           .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                           .run_eagerly = eagerly,
                           .sparse_embedding_gradients = sparse};
    model.compile(options);
    model.set_weights(weights("initial", model.weights().size()));
    const io::Json& batches = embedding_area().find("batches");
    std::vector<float> losses;
    for (std::int64_t step = 0; step < batches["steps"].as_int(); ++step) {
      const Tensor x = embedding_area().array(batches, "x")[step];
      const Tensor y = embedding_area().array(batches, "y")[step];
      losses.push_back(static_cast<float>(model.train_on_batch({x}, {y}).at("loss")));
    }
    return losses;
  }

  double distance_from_keras(const Model& model) const {
    const std::vector<Tensor> actual = model.get_weights();
    const std::vector<Tensor> expected = weights("trained", actual.size());
    double largest = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      largest = std::max(largest, relative_distance(actual[i], expected[i]));
    }
    return largest;
  }
};

TEST_P(SparseEmbeddingGradients, TrainAsKerasOnTensorFlow) {
  const std::string policy = golden()["policy"].as_string();
  const test::PolicyScope scope(policy);
  const bool is_half = policy != "float32";
  for (const bool eagerly : {false, true}) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE((eagerly ? "eager, threads " : "compiled, threads ") + std::to_string(threads));
      const test::ThreadCount thread_count(threads);
      const Model model = model_from_json(golden()["model"].as_string());
      const std::vector<float> losses = train(model, true, eagerly);
      const Tensor expected = embedding_area().array(golden(), "losses");
      for (std::size_t i = 0; i < losses.size(); ++i) {
        EXPECT_NEAR(losses[i], expected.data<float>()[i], is_half ? 1e-3 : 2e-6) << "step " << i;
      }
      EXPECT_LT(distance_from_keras(model), is_half ? 0x1p-9 : 2e-5);
    }
  }
}

TEST_P(SparseEmbeddingGradients, DifferFromSumsWhereKerasHasSlices) {
  const test::PolicyScope scope(golden()["policy"].as_string());
  const Model model = model_from_json(golden()["model"].as_string());
  train(model, false, false);
  const bool is_sum_in_keras = GetParam() == "tied/adam" || GetParam() == "regularized/adam";
  if (is_sum_in_keras) {
    EXPECT_LT(distance_from_keras(model), 2e-5);
  } else {
    EXPECT_GT(distance_from_keras(model), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, SparseEmbeddingGradients, ::testing::ValuesIn(embedding_cases()),
                         [](const auto& test_info) {
                           std::string name = test_info.param;
                           for (char& c : name) {
                             if (c == '/') c = '_';
                           }
                           return name;
                         });

Sequential sentences(const optimizers::Optimizer& optimizer, bool sparse) {
  set_random_seed(5);
  Sequential model(
      {layers::Input({.shape = {4}, .dtype = "int32"}), layers::Embedding(9, 3), layers::Flatten(), layers::Dense(2)});
  model.compile({.optimizer = optimizer, .loss = "mse", .sparse_embedding_gradients = sparse});
  return model;
}

/// The weights after three steps of one batch, whose samples have the tokens given.
std::vector<Tensor> trained_sentences(const optimizers::Optimizer& optimizer, bool sparse,
                                      const std::vector<std::int32_t>& tokens) {
  const Sequential model = sentences(optimizer, sparse);
  const auto samples = static_cast<std::int64_t>(tokens.size()) / 4;
  const Tensor x = Tensor::from_data({samples, 4}, tokens);
  for (int step = 0; step < 3; ++step) model.train_on_batch({x}, {Tensor::full({samples, 2}, 1.0)});
  return model.get_weights();
}

TEST(SparseEmbeddingGradientsOption, ChangesNoBitOfLinearUpdates) {
  const std::vector<std::int32_t> tokens{1, 1, 2, 8, 1, 3, 3, 0};
  for (const double momentum : {0.0, 0.9}) {
    const auto optimizer = [&] { return optimizers::SGD({.learning_rate = 0.1, .momentum = momentum}); };
    EXPECT_TRUE(same_bits(trained_sentences(optimizer(), true, tokens), trained_sentences(optimizer(), false, tokens)));
  }
}

TEST(SparseEmbeddingGradientsOption, MakesNoDifferenceForTokensThatABatchHasOnce) {
  const std::vector<Tensor> sparse = trained_sentences(optimizers::Adam(0.1), true, {0, 1, 2, 3, 4, 5, 6, 7});
  const std::vector<Tensor> dense = trained_sentences(optimizers::Adam(0.1), false, {0, 1, 2, 3, 4, 5, 6, 7});
  for (std::size_t i = 0; i < sparse.size(); ++i) EXPECT_LT(relative_distance(sparse[i], dense[i]), 1e-5) << i;
}

TEST(SparseEmbeddingGradientsOption, IsKeptByAClonedModelButNotWritten) {
  const Sequential model = sentences("adam", true);
  EXPECT_TRUE(clone_model(model).compile_options().sparse_embedding_gradients);
  EXPECT_EQ(saving::serialize_compile_config(model.compile_options()).find("sparse_embedding_gradients"), nullptr);
}

}  // namespace
}  // namespace rhyton::models
