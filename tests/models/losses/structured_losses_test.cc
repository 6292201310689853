// What the losses for regions, embeddings, sequences and noisy labels do beyond the values of losses_golden_test.cc.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/ctc.h>
#include <rhyton/models/losses/focal_crossentropy.h>
#include <rhyton/models/losses/generalized_crossentropy.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/losses/segmentation.h>
#include <rhyton/models/losses/similarity.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::losses {
namespace {

using test::expect_close;
using test::message_of;

const Tensor embeddings = Tensor::from_data<double>({4, 2}, {1, 0, 0.6, 0.8, 0, 1, -0.8, 0.6});
const Tensor groups = Tensor::from_data<std::int32_t>({4}, {1, 1, 2, 2});

Loss from_config(const std::string& class_name, const io::Json& config) {
  return deserialize(io::Json::object(
      {{"module", "keras.losses"}, {"class_name", class_name}, {"config", config}, {"registered_name", nullptr}}));
}

TEST(StructuredLosses, StringsOfKerasAreLosses) {
  EXPECT_EQ(Loss("circle").name(), "circle");
  EXPECT_EQ(Loss("Circle")(groups, embeddings).item(), Loss("circle")(groups, embeddings).item());
  const Tensor logits = Tensor::zeros({2, 4, 3});
  const Tensor labels = Tensor::from_data<std::int32_t>({2, 2}, {1, 2, 2, 0});
  EXPECT_EQ(Loss("CTC").name(), "ctc");
  EXPECT_EQ(Loss("CTC")(labels, logits).item(), Loss("ctc")(labels, logits).item());
  for (const char* const name : {"categorical_generalized_cross_entropy", "CategoricalGeneralizedCrossEntropy"}) {
    EXPECT_EQ(message_of<ValueError>([&] { Loss{name}; }), "Could not interpret loss identifier: " + std::string(name));
  }
}

TEST(StructuredLosses, ConfigurationsComeBack) {
  const Dice images({.axis = {1, 2}});
  EXPECT_EQ(images.get_config().dump(), R"({"name": "dice", "reduction": "sum_over_batch_size", "axis": [1, 2]})");
  EXPECT_EQ(Dice({.axis = 1}).get_config()["axis"], io::Json(1));
  EXPECT_FALSE(Tversky().get_config().contains("axis"));  // Keras 3.4 refuses it
  EXPECT_EQ(CategoricalFocalCrossentropy({.alpha = {0.5, 0.25}}).get_config()["alpha"].dump(), "[0.5, 0.25]");
  EXPECT_EQ(CategoricalFocalCrossentropy().get_config()["alpha"], io::Json(0.25));
  const std::vector<Loss> all = {images,
                                 Tversky({.alpha = 0.2, .beta = 0.7, .axis = -1, .dtype = "float64"}),
                                 Circle({.gamma = 3.0, .margin = 0.1, .remove_diagonal = false}),
                                 CTC({.reduction = "sum", .name = "alignment"}),
                                 BinaryFocalCrossentropy({.apply_class_balancing = true, .gamma = 1.0, .axis = 1}),
                                 CategoricalFocalCrossentropy({.alpha = {0.1, 0.9}, .from_logits = true}),
                                 CategoricalGeneralizedCrossEntropy({.q = 0.25})};
  for (const Loss& loss : all) {
    EXPECT_EQ(serialize(deserialize(serialize(loss))).dump(), serialize(loss).dump()) << loss.class_name();
  }
  EXPECT_THROW(from_config("Dice", io::Json::object({{"axis", "last"}})), TypeError);
  EXPECT_THROW(from_config("CTC", io::Json::object({{"mask_index", 1}})), ValueError);
}

TEST(StructuredLosses, AreComputedInTheirDtype) {
  const Tensor y = Tensor::from_data<float>({2, 3}, {1, 0, 0, 0, 0, 1});
  const Tensor p = Tensor::from_data<float>({2, 3}, {0.5, 0.25, 0.25, 0.25, 0.5, 0.25});
  const Tensor classes = Tensor::from_data<std::int32_t>({2}, {0, 2});
  for (const char* const name : {"float16", "bfloat16", "float64"}) {
    const auto expect_rounded = [&](const Loss& loss, const Loss& exact, const Tensor& labels) {
      const Tensor value = loss(labels, p);
      EXPECT_EQ(value.dtype(), dtype_from_name(name));
      expect_close(cast(value, DType::float64), cast(exact(labels, p), DType::float64), 2e-2, 1e-2);
    };
    expect_rounded(Dice({.dtype = name}), Dice(), y);
    expect_rounded(Tversky({.axis = -1, .dtype = name}), Tversky({.axis = -1}), y);
    expect_rounded(CategoricalGeneralizedCrossEntropy({.dtype = name}), CategoricalGeneralizedCrossEntropy(), classes);
  }
  // Logarithms of halves are added in float32.
  const Tensor labels = Tensor::from_data<std::int32_t>({1, 1}, {1});
  const Tensor logits = Tensor::zeros({1, 3, 2});
  const Tensor value = CTC({.dtype = "float16"})(labels, logits);
  EXPECT_EQ(value.dtype(), float16);
  EXPECT_NEAR(value.item(), -std::log(6.0 / 8.0), 1e-3);
}

TEST(StructuredLosses, AlphasAreOnePerClass) {
  const Tensor y = Tensor::from_data<float>({1, 2}, {1, 0});
  const Tensor p = Tensor::from_data<float>({1, 2}, {0.5, 0.5});
  EXPECT_NEAR(CategoricalFocalCrossentropy({.alpha = {0.5, 7.0}})(y, p).item(), -0.5 * 0.25 * std::log(0.5), 1e-6);
  EXPECT_THROW(CategoricalFocalCrossentropy({.alpha = {0.5, 1.0, 2.0}})(y, p), InvalidArgumentError);
}

TEST(StructuredLosses, NoAxisMeansEachElement) {
  const Tensor y = Tensor::from_data<double>({2}, {1, 0});
  const Tensor p = Tensor::from_data<double>({2}, {0.5, 0.5});
  expect_close(dice(y, p, std::vector<int>()), Tensor::from_data<double>({2}, {1 - 1 / 1.5, 1}));
}

TEST(StructuredLosses, ReferencesOfTheCircleLossAreTheBatchByDefault) {
  const Tensor of_batch = circle(groups, embeddings);
  expect_close(circle(groups, embeddings, groups, embeddings), of_batch);
  const Tensor column = Tensor::from_data<std::int32_t>({4, 1}, {1, 1, 2, 2});
  expect_close(circle(column, embeddings, groups, embeddings), of_batch);
  // Without another one of the same class, or of another class, there is nothing to compare with.
  const Tensor one = Tensor::from_data<double>({1, 2}, {0.0, 1.0});
  const Tensor its_class = Tensor::from_data<std::int32_t>({1}, {2});
  const Tensor against_one = circle(groups, embeddings, its_class, one, false, 2.0, 0.5);
  expect_close(against_one, Tensor::zeros({4}, DType::float64));
  EXPECT_EQ(against_one.mask().to_vector(), (std::vector<double>{0, 0, 0, 0}));
}

TEST(StructuredLosses, EmbeddingsWithoutPartnersHaveNoCircleLossAndNoGradient) {
  const Tensor labels = Tensor::from_data<std::int32_t>({4}, {1, 2, 3, 4});
  GradientTape tape;
  tape.watch(embeddings);
  const Tensor value = Circle({.dtype = "float64"})(labels, embeddings);
  EXPECT_EQ(value.item(), 0.0);
  EXPECT_EQ(tape.gradient(value, embeddings).to_vector(), std::vector<double>(8, 0.0));
}

TEST(StructuredLosses, GradientsOfTheCircleLossAreThoseOfDifferences) {
  const Loss loss = Circle({.gamma = 3.0, .margin = 0.25, .dtype = "float64"});
  GradientTape tape;
  tape.watch(embeddings);
  const std::vector<double> gradient = tape.gradient(loss(groups, embeddings), embeddings).to_vector();
  constexpr double step = 1e-6;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    Tensor above = embeddings.clone();
    Tensor below = embeddings.clone();
    above.mutable_data<double>()[i] += step;
    below.mutable_data<double>()[i] -= step;
    const double difference = loss(groups, above).item() - loss(groups, below).item();
    EXPECT_NEAR(gradient[i], difference / (2 * step), 1e-7) << "element " << i;
  }
}

TEST(StructuredLossErrors, InKerasWords) {
  EXPECT_EQ(message_of<ValueError>([] {
              CTC()(Tensor::zeros({2}), Tensor::zeros({2, 4, 3}));
            }),
            "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in integer format. "
            "Received: y_true.shape=(2,)");
  EXPECT_EQ(message_of<ValueError>([] {
              CTC()(Tensor::zeros({2, 3}), Tensor::zeros({2, 4}));
            }),
            "Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, num_classes)`. Received: "
            "y_pred.shape=(2, 4)");
  for (const double q : {0.0, 1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(message_of<ValueError>([q] { CategoricalGeneralizedCrossEntropy({.q = q}); }),
              "q must be in the interval (0, 1)");
  }
  EXPECT_EQ(message_of<ValueError>([] {
              BinaryFocalCrossentropy()(Tensor::zeros({6, 2}), Tensor::zeros({6, 3}));
            }),
            "Arguments `target` and `output` must have the same shape. Received: target.shape=(6, 2), "
            "output.shape=(6, 3)");
  EXPECT_THROW(CategoricalFocalCrossentropy()(Tensor::zeros({6, 2}), Tensor::zeros({6, 3})), InvalidArgumentError);
  EXPECT_THROW(Dice()(Tensor::zeros({6, 2}), Tensor::zeros({6, 3})), InvalidArgumentError);
  EXPECT_THROW(Dice({.axis = 2})(Tensor::zeros({6, 2}), Tensor::zeros({6, 2})), Error);
  EXPECT_THROW(Circle()(Tensor::zeros({6, 2}), Tensor::zeros({6, 3})), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::losses
