// Crossentropies and batch normalization of keras.ops against real Keras, with gradients and what is refused
// (tests/golden/make_window_ops.py), and Keras's messages.

#include <rhyton/framework/ops/crossentropy.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/tests/framework/ops/golden_calls.h>
#include <rhyton/tests/framework/ops/golden_words.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using golden::Call;
using golden::Words;

struct CrossentropyWords {
  explicit CrossentropyWords(const Call& call) {
    const Words words(call);
    words.read("from_logits", from_logits);
    words.read("axis", axis);
  }

  bool from_logits = false;
  std::int64_t axis = -1;
};

TEST(Crossentropies, AreThoseOfKeras) {
  golden::compare("crossentropies", {{"binary_crossentropy",
                                      [](const Call& c) {
                                        return std::vector{binary_crossentropy(c.tensor(0), c.tensor(1),
                                                                               CrossentropyWords(c).from_logits)};
                                      }},
                                     {"categorical_crossentropy",
                                      [](const Call& c) {
                                        const CrossentropyWords words(c);
                                        return std::vector{categorical_crossentropy(
                                            c.tensor(0), c.tensor(1), words.from_logits, static_cast<int>(words.axis))};
                                      }},
                                     {"sparse_categorical_crossentropy", [](const Call& c) {
                                        const CrossentropyWords words(c);
                                        return std::vector{sparse_categorical_crossentropy(
                                            c.tensor(0), c.tensor(1), words.from_logits, static_cast<int>(words.axis))};
                                      }}});
}

TEST(Crossentropies, ErrorsAreThoseOfKeras) {
  const Tensor matrix = Tensor::full({2, 3}, 0.5);
  const auto message = [](auto call) { return test::message_of<ValueError>([&] { static_cast<void>(call()); }); };
  EXPECT_EQ(message([&] { return binary_crossentropy(matrix, Tensor::zeros({3})); }),
            "Arguments `target` and `output` must have the same rank (ndim). Received: target.shape=(2, 3), "
            "output.shape=(3,)");
  EXPECT_EQ(message([&] {
              return categorical_crossentropy(matrix, Tensor::zeros({2, 2}));
            }),
            "Arguments `target` and `output` must have the same shape. Received: target.shape=(2, 3), "
            "output.shape=(2, 2)");
  EXPECT_EQ(message([&] { return categorical_crossentropy(Tensor::scalar(1.0F), Tensor::scalar(1.0F)); }),
            "Arguments `target` and `output` must be at least rank 1. Received: target.shape=(), output.shape=()");
  EXPECT_EQ(message([&] {
              return sparse_categorical_crossentropy(Tensor::zeros({2, 2}), matrix);
            }),
            "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: target.shape=(2, 2), "
            "output.shape=(2, 3)");
  EXPECT_EQ(message([&] { return sparse_categorical_crossentropy(Tensor::zeros({3}), matrix); }),
            "Arguments `target` and `output` must have the same shape up until the last dimension: target.shape=(3,), "
            "output.shape=(2, 3)");
  EXPECT_EQ(message([&] { return sparse_categorical_crossentropy(Tensor::zeros({2}), matrix, false, 0); }),
            "Only axis=-1 is currently supported. Received: axis=0");
}

Tensor normalized(const Call& c) {
  const Words words(c);
  double epsilon = 1e-3;
  std::string offset;
  std::string scale;
  words.read("epsilon", epsilon);
  words.read("offset", offset);
  words.read("scale", scale);
  return batch_normalization(c.tensor(0), c.tensor(1), c.tensor(2), c.axis(3), offset.empty() ? Tensor() : c.tensor(1),
                             scale.empty() ? Tensor() : c.tensor(2), epsilon);
}

TEST(BatchNormalizationByGivenStatistics, IsThatOfKeras) {
  golden::compare("batch_normalizations",
                  {{"batch_normalization", [](const Call& c) { return std::vector{normalized(c)}; }}});
}

}  // namespace
}  // namespace rhyton
