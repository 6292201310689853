#include <rhyton/models/losses/loss.h>

#include <gtest/gtest.h>

#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/reduction.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::losses {
namespace {

using test::expect_close;
using test::keras_message;
using test::message_of;

const Tensor y_true = Tensor::from_data<float>({2, 2}, {1, 0, 0, 1});
const Tensor y_pred = Tensor::from_data<float>({2, 2}, {0.75, 0.25, 0.5, 0.5});

/// A custom loss.
class Quantile final : public LossImpl {
 public:
  explicit Quantile(double q, const LossOptions& options = {}) : LossImpl("Quantile", options), q_(q) {}

  Tensor call(const Tensor& truth, const Tensor& predicted) const override {
    const Tensor error = truth - predicted;
    return mean(maximum(q_ * error, (q_ - 1.0) * error), {-1});
  }

  io::Json get_config() const override {
    io::Json config = LossImpl::get_config();
    config["q"] = q_;
    return config;
  }

 private:
  double q_;
};

Tensor largest_error(const Tensor& truth, const Tensor& predicted) { return max(abs(truth - predicted), {-1}); }

TEST(Loss, StringsOfKerasAreLosses) {
  for (const char* name : {"mse",
                           "MSE",
                           "mae",
                           "MAE",
                           "mape",
                           "MAPE",
                           "msle",
                           "MSLE",
                           "bce",
                           "BCE",
                           "kld",
                           "KLD",
                           "mean_squared_error",
                           "mean_absolute_error",
                           "mean_absolute_percentage_error",
                           "mean_squared_logarithmic_error",
                           "huber",
                           "log_cosh",
                           "logcosh",
                           "cosine_similarity",
                           "hinge",
                           "squared_hinge",
                           "categorical_hinge",
                           "kl_divergence",
                           "poisson",
                           "binary_crossentropy",
                           "categorical_crossentropy",
                           "binary_focal_crossentropy",
                           "categorical_focal_crossentropy",
                           "dice",
                           "tversky"}) {
    SCOPED_TRACE(name);
    const Loss loss(name);
    EXPECT_EQ(loss.name(), name);
    EXPECT_EQ(loss(y_true, y_pred).shape(), Shape{});
    EXPECT_EQ(serialize(loss), io::Json(name));
    EXPECT_EQ(deserialize(serialize(loss)).name(), name);
  }
  for (const char* name :
       {"MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "Huber",
        "LogCosh", "CosineSimilarity", "Hinge", "SquaredHinge", "CategoricalHinge", "KLDivergence", "Poisson",
        "BinaryCrossentropy", "CategoricalCrossentropy", "BinaryFocalCrossentropy", "CategoricalFocalCrossentropy",
        "Dice", "Tversky"}) {
    SCOPED_TRACE(name);
    const Loss loss(name);
    EXPECT_EQ(loss.class_name(), name);
    EXPECT_EQ(loss(y_true, y_pred).shape(), Shape{});
    EXPECT_EQ(serialize(loss), io::Json(name));
  }
  EXPECT_EQ(Loss("MeanSquaredError").name(), "mean_squared_error");
  EXPECT_EQ(Loss("Huber").name(), "huber_loss");
}

TEST(Loss, SparseStringsTakeLabelsAsTheyAre) {
  const Tensor classes = Tensor::from_data<std::uint8_t>({2}, {0, 1});
  const double expected = SparseCategoricalCrossentropy()(classes, y_pred).item();
  EXPECT_EQ(Loss("sparse_categorical_crossentropy")(classes, y_pred).item(), expected);
  EXPECT_EQ(Loss("SparseCategoricalCrossentropy")(classes, y_pred).item(), expected);
}

TEST(Loss, CrossentropyIsChosenByShape) {
  const Tensor classes = Tensor::from_data<std::int32_t>({2}, {0, 1});
  const Tensor column = Tensor::from_data<float>({2, 1}, {0.75, 0.25});
  const Tensor bits = Tensor::from_data<float>({2}, {1, 0});
  for (const char* name : {"crossentropy", "ce"}) {
    EXPECT_EQ(Loss(name)(classes, y_pred).item(), Loss("sparse_categorical_crossentropy")(classes, y_pred).item());
    EXPECT_EQ(Loss(name)(y_true, y_pred).item(), Loss("categorical_crossentropy")(y_true, y_pred).item());
    EXPECT_EQ(Loss(name)(bits, column).item(), Loss("binary_crossentropy")(bits, column).item());
  }
}

TEST(Loss, FunctionsAreLosses) {
  const Loss from_function(largest_error);
  EXPECT_DOUBLE_EQ(from_function(y_true, y_pred).item(), (0.25 + 0.5) / 2);
  const Loss from_lambda = [](const Tensor& truth, const Tensor& predicted) {
    return mean(abs(truth - predicted), {-1});
  };
  EXPECT_EQ(from_lambda(y_true, y_pred).item(), Loss("mae")(y_true, y_pred).item());
  EXPECT_EQ(from_function.name(), "loss_function");
  EXPECT_EQ(Loss(mean_squared_error).name(), "mean_squared_error");
  EXPECT_EQ(deserialize(serialize(Loss(mean_squared_error))).name(), "mean_squared_error");
  EXPECT_EQ(serialize(Loss(largest_error, "largest_error")).dump(),
            R"({"module": "builtins", "class_name": "function", "config": "largest_error", )"
            R"("registered_name": "function"})");
}

TEST(Loss, OwnLossesAreCalledAndSaved) {
  context().clear_session();
  const Loss loss = make_loss<Quantile>(0.9);
  EXPECT_EQ(loss.name(), "quantile");
  EXPECT_EQ(make_loss<Quantile>(0.9).name(), "quantile_1");
  EXPECT_NEAR(loss(y_true, y_pred).item(), (0.9 * 0.25 + 0.1 * 0.25 + 0.1 * 0.5 + 0.9 * 0.5) / 4, 1e-7);

  register_loss("Quantile", [](const io::Json& config) {
    return make_loss<Quantile>(config["q"].as_double(), LossOptions{.reduction = config["reduction"].as_string(),
                                                                    .name = config["name"].as_string()});
  });
  const io::Json serialized = serialize(loss);
  EXPECT_TRUE(serialized["module"].is_null());
  EXPECT_EQ(deserialize(serialized).get_config().dump(), loss.get_config().dump());
}

TEST(Loss, AllOnesMaskChangesNothing) {
  const Tensor mask = Tensor::from_data<bool>({2}, {true, true});
  for (const char* reduction : {"sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"}) {
    const MeanSquaredError loss({.reduction = reduction});
    expect_close(loss(y_true, y_pred, {}, mask), loss(y_true, y_pred));
  }
}

TEST(Loss, AMaskOfZerosGivesZero) {
  const Tensor mask = Tensor::from_data<bool>({2}, {false, false});
  EXPECT_EQ(MeanSquaredError()(y_true, y_pred, {}, mask).item(), 0.0);
}

TEST(Loss, IsComputedInFloatxWhateverComes) {
  const Tensor integers = Tensor::from_data<std::int32_t>({2, 2}, {1, 0, 0, 1});
  EXPECT_EQ(Loss("mse")(integers, y_pred).dtype(), float32);
  EXPECT_EQ(Loss("mse")(integers, y_pred).item(), Loss("mse")(y_true, y_pred).item());
  EXPECT_EQ(MeanSquaredError({.dtype = "float64"})(y_true, y_pred).dtype(), float64);
}

TEST(Loss, ScalarsAndVectorsKeepTheirRank) {
  EXPECT_EQ(divide_no_nan(Tensor::scalar(3.0f), Tensor::scalar(0.0f)).item(), 0.0);
  EXPECT_EQ(divide_no_nan(Tensor::scalar(3.0f), Tensor::scalar(2.0f)).item(), 1.5);
  const auto [a, b] = squeeze_or_expand_to_same_rank(Tensor::zeros({4, 3, 1}), Tensor::zeros({4, 3}));
  EXPECT_EQ(a.shape(), (Shape{4, 3}));
  EXPECT_EQ(b.shape(), (Shape{4, 3}));
  const auto [c, d] = squeeze_or_expand_to_same_rank(Tensor::zeros({4}), Tensor::zeros({4, 1}));
  EXPECT_EQ(c.shape(), (Shape{4, 1}));
  EXPECT_EQ(d.shape(), (Shape{4, 1}));
  const auto [e, f] = squeeze_or_expand_to_same_rank(Tensor::zeros({4}), Tensor::zeros({4, 2}));
  EXPECT_EQ(e.shape(), (Shape{4}));
  EXPECT_EQ(f.shape(), (Shape{4, 2}));
}

TEST(LossErrors, UnknownNames) {
  EXPECT_EQ(message_of<ValueError>([] { Loss("nonsense"); }), keras_message("unknown_loss_get"));
  EXPECT_THROW(Loss(""), ValueError);
  EXPECT_THROW(deserialize(io::Json::object({{"class_name", "Nonsense"}, {"config", io::Json::object()}})), TypeError);
  EXPECT_THROW(MeanSquaredError({.dtype = "nonsense"}), ValueError);
  EXPECT_NE(message_of<ValueError>([] {
              MeanSquaredError({.reduction = "median"});
            }).find("Invalid value for argument `reduction`. Expected one of {"),
            std::string::npos);
}

/// Keras shows the batch size as None during training.
std::string with_batch(std::string message, const std::string& batch) {
  for (std::size_t at = message.find("None"); at != std::string::npos; at = message.find("None", at)) {
    message.replace(at, 4, batch);
  }
  return message;
}

TEST(LossErrors, ShapesThatDoNotFit) {
  const Tensor outputs = Tensor::zeros({6, 3});
  EXPECT_EQ(message_of<ValueError>([&] { Loss("categorical_crossentropy")(Tensor::zeros({6}), outputs); }),
            with_batch(keras_message("categorical_crossentropy_sparse_labels"), "6"));
  EXPECT_EQ(message_of<ValueError>([&] { Loss("sparse_categorical_crossentropy")(outputs, outputs); }),
            with_batch(keras_message("sparse_crossentropy_one_hot_labels"), "6"));
  EXPECT_EQ(message_of<ValueError>([&] {
              Loss("binary_crossentropy")(Tensor::zeros({6, 2}), outputs);
            }),
            "Arguments `target` and `output` must have the same shape. Received: target.shape=(6, 2), "
            "output.shape=(6, 3)");
  EXPECT_EQ(message_of<ValueError>([&] { Loss("sparse_categorical_crossentropy")(Tensor::zeros({5}), outputs); }),
            "Arguments `target` and `output` must have the same shape up until the last dimension: target.shape=(5,), "
            "output.shape=(6, 3)");
  EXPECT_EQ(message_of<ValueError>([&] { SparseCategoricalCrossentropy({.axis = 0})(Tensor::zeros({6}), outputs); }),
            "Only axis=-1 is currently supported. Received: axis=0");
  EXPECT_THROW(Loss("mse")(Tensor::zeros({6, 2}), outputs), InvalidArgumentError);
}

TEST(LossErrors, LabelsOutOfRange) {
  const Tensor classes = Tensor::from_data<std::int64_t>({2}, {0, 2});
  EXPECT_THROW(SparseCategoricalCrossentropy({.from_logits = true})(classes, y_pred), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::losses
