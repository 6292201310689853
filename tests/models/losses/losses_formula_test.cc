#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/focal_crossentropy.h>
#include <rhyton/models/losses/generalized_crossentropy.h>
#include <rhyton/models/losses/hinge.h>
#include <rhyton/models/losses/probabilistic.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/losses/segmentation.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::losses {
namespace {

using test::expect_close;

using Row = std::vector<double>;
/// The value of one sample.
using Formula = std::function<double(const Row& y, const Row& p)>;

double mean_of(const Row& y, const Row& p, const std::function<double(double, double)>& term) {
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) total += term(y[i], p[i]);
  return total / static_cast<double>(y.size());
}

double sum_of(const Row& y, const Row& p, const std::function<double(double, double)>& term) {
  return mean_of(y, p, term) * static_cast<double>(y.size());
}

void check(const Loss& loss, const Tensor& y_true, const Tensor& y_pred, const Formula& formula) {
  const auto rows = static_cast<std::size_t>(y_true.shape()[0]);
  const auto width = static_cast<std::size_t>(y_true.shape()[1]);
  const Row y = y_true.to_vector();
  const Row p = y_pred.to_vector();
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = static_cast<std::ptrdiff_t>(row * width);
    const auto end = static_cast<std::ptrdiff_t>((row + 1) * width);
    values.push_back(formula(Row(y.begin() + begin, y.begin() + end), Row(p.begin() + begin, p.begin() + end)));
  }
  expect_close(loss.call(y_true, y_pred), Tensor::from_data({static_cast<std::int64_t>(rows)}, values), 1e-12, 1e-12);
}

const Tensor labels = Tensor::from_data<double>({2, 3}, {0.5, -1.5, 2.0, 0.0, 0.25, -0.75});
const Tensor predictions = Tensor::from_data<double>({2, 3}, {0.75, 1.25, 1.5, -0.5, 0.125, 3.0});
const Tensor binary = Tensor::from_data<double>({2, 3}, {0, 1, 1, 1, 0, 0});
const Tensor signs = Tensor::from_data<double>({2, 3}, {-1, 1, 1, 1, -1, -1});
const Tensor probabilities = Tensor::from_data<double>({2, 3}, {0.2, 0.5, 0.3, 0.1, 0.6, 0.3});
const Tensor targets = Tensor::from_data<double>({2, 3}, {0.3, 0.3, 0.4, 0.0, 0.75, 0.25});

const LossOptions in_float64{.dtype = "float64"};

TEST(LossesFormula, MeanAbsolutePercentageError) {
  check(MeanAbsolutePercentageError(in_float64), labels, predictions, [](const Row& y, const Row& p) {
    return 100 * mean_of(y, p, [](double a, double b) { return std::abs(a - b) / std::max(std::abs(a), 1e-7); });
  });
}

TEST(LossesFormula, MeanSquaredLogarithmicError) {
  check(MeanSquaredLogarithmicError(in_float64), labels, predictions, [](const Row& y, const Row& p) {
    return mean_of(y, p, [](double a, double b) {
      return std::pow(std::log(std::max(b, 1e-7) + 1) - std::log(std::max(a, 1e-7) + 1), 2);
    });
  });
}

TEST(LossesFormula, LogCosh) {
  check(LogCosh(in_float64), labels, predictions, [](const Row& y, const Row& p) {
    return mean_of(y, p, [](double a, double b) { return std::log(std::cosh(b - a)); });
  });
}

TEST(LossesFormula, CosineSimilarity) {
  check(CosineSimilarity({.dtype = "float64"}), labels, predictions, [](const Row& y, const Row& p) {
    const auto product = [](double a, double b) { return a * b; };
    return -sum_of(y, p, product) / std::sqrt(sum_of(y, y, product) * sum_of(p, p, product));
  });
}

TEST(LossesFormula, HingeTakesSigns) {
  check(Hinge(in_float64), signs, predictions, [](const Row& y, const Row& p) {
    return mean_of(y, p, [](double a, double b) { return std::max(1 - a * b, 0.0); });
  });
}

TEST(LossesFormula, HingeMapsBinaryLabelsToSigns) {
  expect_close(Hinge(in_float64).call(binary, predictions), Hinge(in_float64).call(signs, predictions));
  expect_close(SquaredHinge(in_float64).call(binary, predictions), SquaredHinge(in_float64).call(signs, predictions));
}

TEST(LossesFormula, SquaredHinge) {
  check(SquaredHinge(in_float64), signs, predictions, [](const Row& y, const Row& p) {
    return mean_of(y, p, [](double a, double b) { return std::pow(std::max(1 - a * b, 0.0), 2); });
  });
}

TEST(LossesFormula, CategoricalHinge) {
  check(CategoricalHinge(in_float64), binary, predictions, [](const Row& y, const Row& p) {
    double wrong = -1e300;
    for (std::size_t i = 0; i < y.size(); ++i) wrong = std::max(wrong, (1 - y[i]) * p[i]);
    return std::max(wrong - sum_of(y, p, [](double a, double b) { return a * b; }) + 1, 0.0);
  });
}

TEST(LossesFormula, KLDivergence) {
  check(KLDivergence(in_float64), targets, probabilities, [](const Row& y, const Row& p) {
    return sum_of(y, p, [](double a, double b) {
      a = std::clamp(a, 1e-7, 1.0);
      return a * std::log(a / std::clamp(b, 1e-7, 1.0));
    });
  });
}

TEST(LossesFormula, Poisson) {
  check(Poisson(in_float64), targets, probabilities, [](const Row& y, const Row& p) {
    return mean_of(y, p, [](double a, double b) { return b - a * std::log(b + 1e-7); });
  });
}

TEST(LossesFormula, BinaryCrossentropyOfLogitsKeepsItsDigits) {
  const Tensor y = Tensor::from_data<float>({1, 2}, {1.0f, 0.0f});
  const Tensor x = Tensor::from_data<float>({1, 2}, {20.0f, -20.0f});
  EXPECT_NEAR(BinaryCrossentropy({.from_logits = true})(y, x).item(), 2.0611536e-9, 1e-15);
}

TEST(LossesFormula, BinaryFocalCrossentropy) {
  check(BinaryFocalCrossentropy({.apply_class_balancing = true, .alpha = 0.3, .gamma = 1.5, .dtype = "float64"}),
        binary, probabilities, [](const Row& y, const Row& p) {
          return mean_of(y, p, [](double a, double b) {
            const double of_label = a == 1 ? b : 1 - b;
            return -(a == 1 ? 0.3 : 0.7) * std::pow(1 - of_label, 1.5) * std::log(of_label);
          });
        });
}

TEST(LossesFormula, CategoricalFocalCrossentropy) {
  check(CategoricalFocalCrossentropy({.alpha = 0.4, .gamma = 3.0, .dtype = "float64"}), targets, probabilities,
        [](const Row& y, const Row& p) {
          return -sum_of(y, p, [](double a, double b) { return 0.4 * std::pow(1 - b, 3) * a * std::log(b); });
        });
}

TEST(LossesFormula, FocalCrossentropiesWithoutFocusAreCrossentropies) {
  expect_close(BinaryFocalCrossentropy({.gamma = 0.0})(binary, probabilities),
               BinaryCrossentropy()(binary, probabilities));
  expect_close(CategoricalFocalCrossentropy({.alpha = 1.0, .gamma = 0.0})(targets, probabilities),
               CategoricalCrossentropy()(targets, probabilities));
}

TEST(LossesFormula, Dice) {
  check(Dice({.axis = -1, .dtype = "float64"}), binary, probabilities, [](const Row& y, const Row& p) {
    const double common = sum_of(y, p, [](double a, double b) { return a * b; });
    return 1 - 2 * common / (sum_of(y, p, [](double a, double b) { return a + b; }) + 1e-7);
  });
}

TEST(LossesFormula, Tversky) {
  check(Tversky({.alpha = 0.3, .beta = 0.9, .axis = 1, .dtype = "float64"}), binary, probabilities,
        [](const Row& y, const Row& p) {
          const double common = sum_of(y, p, [](double a, double b) { return a * b; });
          const double missed = sum_of(y, p, [](double a, double b) { return a * (1 - b); });
          const double excess = sum_of(y, p, [](double a, double b) { return b * (1 - a); });
          return 1 - common / (common + 0.3 * missed + 0.9 * excess + 1e-7);
        });
}

struct NumericCase {
  std::string name;
  Loss loss;
  Tensor y_true;
  Tensor y_pred;
};

/// Every loss, away from its kinks.
std::vector<NumericCase> numeric_cases() {
  const Tensor classes = Tensor::from_data<std::int64_t>({2}, {2, 0});
  return {
      {"MeanSquaredError", MeanSquaredError(in_float64), labels, predictions},
      {"MeanAbsoluteError", MeanAbsoluteError(in_float64), labels, predictions},
      {"MeanAbsolutePercentageError", MeanAbsolutePercentageError(in_float64), targets + 0.5, predictions},
      {"MeanSquaredLogarithmicError", MeanSquaredLogarithmicError(in_float64), targets, probabilities},
      {"LogCosh", LogCosh(in_float64), labels, predictions},
      {"Huber", Huber({.delta = 0.6, .dtype = "float64"}), labels, predictions},
      {"CosineSimilarity", CosineSimilarity({.dtype = "float64"}), labels, predictions},
      {"Hinge", Hinge(in_float64), signs, predictions},
      {"SquaredHinge", SquaredHinge(in_float64), signs, predictions},
      {"CategoricalHinge", CategoricalHinge(in_float64), binary, predictions},
      {"KLDivergence", KLDivergence(in_float64), targets, probabilities},
      {"Poisson", Poisson(in_float64), targets, probabilities},
      {"BinaryCrossentropy", BinaryCrossentropy({.label_smoothing = 0.1, .dtype = "float64"}), binary, probabilities},
      {"BinaryCrossentropy of logits", BinaryCrossentropy({.from_logits = true, .dtype = "float64"}), binary,
       predictions},
      {"CategoricalCrossentropy", CategoricalCrossentropy({.dtype = "float64"}), targets, probabilities},
      {"CategoricalCrossentropy of logits", CategoricalCrossentropy({.from_logits = true, .dtype = "float64"}), targets,
       predictions},
      {"SparseCategoricalCrossentropy", SparseCategoricalCrossentropy({.dtype = "float64"}), classes, probabilities},
      {"SparseCategoricalCrossentropy of logits",
       SparseCategoricalCrossentropy({.from_logits = true, .dtype = "float64"}), classes, predictions},
      {"SparseCategoricalCrossentropy without a class",
       SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 0, .dtype = "float64"}), classes,
       predictions},
      {"BinaryFocalCrossentropy",
       BinaryFocalCrossentropy(
           {.apply_class_balancing = true, .alpha = 0.3, .gamma = 1.5, .label_smoothing = 0.1, .dtype = "float64"}),
       binary, probabilities},
      {"BinaryFocalCrossentropy of logits", BinaryFocalCrossentropy({.from_logits = true, .dtype = "float64"}), binary,
       predictions},
      {"CategoricalFocalCrossentropy",
       CategoricalFocalCrossentropy({.alpha = {0.2, 0.5, 0.3}, .gamma = 1.5, .dtype = "float64"}), targets,
       probabilities},
      {"CategoricalFocalCrossentropy of logits",
       CategoricalFocalCrossentropy({.from_logits = true, .label_smoothing = 0.1, .dtype = "float64"}), targets,
       predictions},
      {"CategoricalGeneralizedCrossEntropy", CategoricalGeneralizedCrossEntropy({.q = 0.3, .dtype = "float64"}),
       classes, probabilities},
      {"Dice", Dice({.axis = -1, .dtype = "float64"}), targets, probabilities},
      {"Tversky", Tversky({.alpha = 0.3, .beta = 0.8, .axis = {1}, .dtype = "float64"}), targets, probabilities},
  };
}

TEST(LossesNumeric, GradientsAreThoseOfDifferences) {
  const Tensor weights = Tensor::from_data<double>({2}, {0.5, 2.0});
  constexpr double step = 1e-6;
  for (const NumericCase& numeric : numeric_cases()) {
    SCOPED_TRACE(numeric.name);
    GradientTape tape;
    tape.watch(numeric.y_pred);
    const Tensor value = numeric.loss(numeric.y_true, numeric.y_pred, weights);
    ASSERT_EQ(value.dtype(), float64);
    const std::vector<double> gradient = tape.gradient(value, numeric.y_pred).to_vector();
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      Tensor above = numeric.y_pred.clone();
      Tensor below = numeric.y_pred.clone();
      above.mutable_data<double>()[i] += step;
      below.mutable_data<double>()[i] -= step;
      const double difference =
          numeric.loss(numeric.y_true, above, weights).item() - numeric.loss(numeric.y_true, below, weights).item();
      EXPECT_NEAR(gradient[i], difference / (2 * step), 1e-7 * (1 + std::abs(gradient[i]))) << "element " << i;
    }
  }
}

TEST(LossesTraced, NoLossLooksAtValues) {
  ShapeInferenceScope scope;
  for (const NumericCase& numeric : numeric_cases()) {
    SCOPED_TRACE(numeric.name);
    const Tensor y_true = scope.placeholder(numeric.y_true.spec());
    const Tensor y_pred = scope.placeholder(numeric.y_pred.spec());
    const Tensor weights = scope.placeholder({{2}, float32});
    EXPECT_EQ(numeric.loss(y_true, y_pred, weights).shape(), Shape{});
    EXPECT_EQ(numeric.loss.call(y_true, y_pred).shape(), Shape{2});
  }
}

}  // namespace
}  // namespace rhyton::losses
