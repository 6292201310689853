// keras.ops.ctc_loss and keras.ops.ctc_decode against real Keras (tests/golden/make_ctc.py), and what is refused.

#include <rhyton/framework/ops/ctc.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton {
namespace {

using test::expect_close;
using test::message_of;

Tensor lengths(const std::vector<std::int32_t>& values) {
  return Tensor::from_data<std::int32_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(CtcLoss, ValuesAndGradientsAreThoseOfKeras) {
  const test::GoldenArea area("ctc");
  int compared = 0;
  for (const io::Json& golden : area.cases()) {
    if (golden["function"].as_string() != "ctc_loss") continue;
    SCOPED_TRACE(golden["name"].as_string());
    ++compared;
    const Tensor output = area.array(golden, "output");
    GradientTape tape;
    tape.watch(output);
    const Tensor value = ctc_loss(area.array(golden, "target"), output, area.array(golden, "target_length"),
                                  area.array(golden, "output_length"), static_cast<int>(golden["mask_index"].as_int()));
    EXPECT_EQ(value.dtype(), DType::float32);
    expect_close(value, area.array(golden, "value"));
    // TensorFlow adds logarithms of float32, which are large in some cases.
    expect_close(tape.gradient(value, output, area.array(golden, "cotangent")), area.array(golden, "gradient"), 1e-3,
                 5e-5);
  }
  EXPECT_GE(compared, 20);
}

std::optional<int> mask_of(const io::Json& options) {
  const io::Json* const mask = options.find("mask_index");
  if (mask == nullptr) return 0;
  return mask->is_null() ? std::nullopt : std::optional<int>(static_cast<int>(mask->as_int()));
}

TEST(CtcDecode, LabelsAndScoresAreThoseOfKeras) {
  const test::GoldenArea area("ctc");
  int compared = 0;
  for (const io::Json& golden : area.cases()) {
    if (golden["function"].as_string() != "ctc_decode") continue;
    SCOPED_TRACE(golden["name"].as_string());
    ++compared;
    const io::Json& options = golden["options"];
    const auto [decoded, scores] = ctc_decode(area.array(golden, "inputs"), area.array(golden, "sequence_lengths"),
                                              {.strategy = options.get_or("strategy", "greedy"),
                                               .beam_width = options.get_or("beam_width", 100),
                                               .top_paths = options.get_or("top_paths", 1),
                                               .merge_repeated = options.get_or("merge_repeated", true),
                                               .mask_index = mask_of(options)});
    EXPECT_EQ(decoded.dtype(), DType::int32);
    EXPECT_EQ(scores.dtype(), DType::float32);
    expect_close(decoded, area.array(golden, "decoded"));
    expect_close(scores, area.array(golden, "scores"), 1e-4, 1e-5);
  }
  EXPECT_GE(compared, 15);
}

/// The sum over all paths of classes that stand for the labels.
double likelihood(const std::vector<double>& log_probabilities, std::size_t classes,
                  const std::vector<std::size_t>& labels) {
  const std::size_t length = log_probabilities.size() / classes;
  std::size_t paths = 1;
  for (std::size_t t = 0; t < length; ++t) paths *= classes;
  double total = 0;
  for (std::size_t path = 0; path < paths; ++path) {
    std::vector<std::size_t> read;
    std::size_t rest = path;
    std::size_t before = classes;
    double logarithm = 0;
    for (std::size_t t = 0; t < length; ++t, rest /= classes) {
      const std::size_t now = rest % classes;
      logarithm += log_probabilities[t * classes + now];
      if (now != 0 && now != before) read.push_back(now);
      before = now;
    }
    if (read == labels) total += std::exp(logarithm);
  }
  return total;
}

TEST(CtcLoss, IsTheProbabilityOfAllAlignments) {
  std::vector<double> log_probabilities;
  for (int t = 0; t < 5; ++t) {
    const double a = 0.1 + 0.15 * t;
    const double b = (1 - a) * (0.3 + 0.1 * t);
    for (const double p : {a, b, 1 - a - b}) log_probabilities.push_back(std::log(p));
  }
  const Tensor output = Tensor::from_data<double>({1, 5, 3}, log_probabilities);
  for (const std::vector<std::size_t>& labels :
       std::vector<std::vector<std::size_t>>{{1}, {1, 2}, {2, 2}, {1, 2, 1}, {1, 1, 1}, {2, 1, 2, 1, 2}}) {
    std::vector<std::int32_t> numbers(labels.begin(), labels.end());
    const auto count = static_cast<std::int64_t>(numbers.size());
    const Tensor loss = ctc_loss(Tensor::from_data<std::int32_t>({1, count}, numbers), output,
                                 lengths({static_cast<std::int32_t>(count)}), {});
    EXPECT_EQ(loss.dtype(), DType::float64);
    EXPECT_NEAR(loss.to_vector()[0], -std::log(likelihood(log_probabilities, 3, labels)), 1e-12);
  }
}

TEST(CtcLoss, OfHalvesIsInFloat32) {
  const Tensor target = Tensor::from_data<std::int32_t>({1, 2}, {1, 2});
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const Tensor output = Tensor::full({1, 3, 3}, 1.0, dtype);
    GradientTape tape;
    tape.watch(output);
    const Tensor loss = ctc_loss(target, output, lengths({2}), lengths({3}));
    EXPECT_EQ(loss.dtype(), DType::float32);
    EXPECT_NEAR(loss.to_vector()[0], -std::log(5.0 / 27.0), 1e-6);
    EXPECT_EQ(tape.gradient(loss, output).dtype(), dtype);
  }
}

TEST(CtcLoss, WithoutLengthsAllOfTheOutputCounts) {
  const Tensor target = Tensor::from_data<std::int64_t>({2, 2}, {1, 2, 2, 1});
  const Tensor output = Tensor::from_data<float>({2, 3, 3}, {0, 1, 2, 2, 1, 0, 1, 0, 3, 1, 1, 0, 2, 0, 1, 0, 0, 1});
  expect_close(ctc_loss(target, output, lengths({2, 1}), {}),
               ctc_loss(target, output, lengths({2, 1}), lengths({3, 3})));
}

TEST(CtcDecode, WithoutOutputThereIsNothing) {
  for (const char* const strategy : {"greedy", "beam_search"}) {
    const auto [decoded, scores] = ctc_decode(Tensor::zeros({2, 0, 3}), lengths({0, 0}), {.strategy = strategy});
    EXPECT_EQ(decoded.shape(), (Shape{1, 2, 0}));
    EXPECT_EQ(scores.to_vector(), (std::vector<double>{0, 0}));
  }
}

TEST(CtcErrors, InKerasWords) {
  const Tensor target = Tensor::zeros({2, 2}, DType::int32);
  const Tensor output = Tensor::zeros({1, 3, 3});
  EXPECT_EQ(message_of<ValueError>([&] {
              ctc_loss(target, output, lengths({2, 2}), lengths({3}));
            }),
            "Arguments `target` and `output` must have the same first dimension. Received shapes: `(2, 2)` and "
            "`(1, 3, 3)`.");
  EXPECT_EQ(message_of<ValueError>([&] {
              ctc_loss(target, Tensor::zeros({2, 3, 3}), lengths({2}), lengths({3, 3}));
            }),
            "Arguments `target_length` and `target` must have the same first dimension. Received shapes: `(1,)` and "
            "`(2, 2)`.");
  EXPECT_EQ(message_of<ValueError>([&] {
              ctc_loss(target, Tensor::zeros({2, 3, 3}), lengths({2, 2}), lengths({3}));
            }),
            "Arguments `output_length` and `output` must have the same first dimension. Received shapes: `(1,)` and "
            "`(2, 3, 3)`.");
  EXPECT_THROW(ctc_loss(Tensor::zeros({2}), output, lengths({2}), lengths({3})), ValueError);
  EXPECT_THROW(ctc_loss(target, Tensor::zeros({2, 3}), lengths({2, 2}), lengths({3, 3})), ValueError);
  for (const int mask : {3, -4}) {
    EXPECT_EQ(message_of<ValueError>([&] {
                ctc_loss(target, Tensor::zeros({2, 3, 3}), lengths({2, 2}), lengths({3, 3}), mask);
              }),
              "`mask_index` must be one of the 3 classes. Received: mask_index=" + std::to_string(mask));
  }
}

TEST(CtcErrors, OfDecoding) {
  const Tensor inputs = Tensor::zeros({1, 2, 3});
  EXPECT_EQ(message_of<ValueError>([&] { ctc_decode(inputs, lengths({2}), {.strategy = "random"}); }),
            "Invalid strategy random. Supported values are 'greedy' and 'beam_search'.");
  EXPECT_EQ(message_of<InvalidArgumentError>([&] { ctc_decode(inputs, lengths({3})); }),
            "sequence_length(0) <= 2 [Op:CTCDecode]");
  EXPECT_EQ(message_of<InvalidArgumentError>([&] {
              ctc_decode(inputs, lengths({2}), {.strategy = "beam_search", .beam_width = 2, .top_paths = 3});
            }),
            "requested more paths than the beam width. [Op:CTCBeamSearchDecoder]");
  EXPECT_EQ(message_of<InvalidArgumentError>(
                [&] { ctc_decode(inputs, lengths({1}), {.strategy = "beam_search", .top_paths = 4}); }),
            "Less leaves in the beam search than requested. [Op:CTCDecode]");
  EXPECT_THROW(ctc_decode(inputs, lengths({2}), {.strategy = "beam_search", .beam_width = 0}), InvalidArgumentError);
  EXPECT_THROW(ctc_decode(Tensor::zeros({2, 3}), lengths({2})), ValueError);
  EXPECT_THROW(ctc_decode(inputs, lengths({2, 2})), ValueError);
}

TEST(CtcErrors, TheGradientHasNoDerivative) {
  const Tensor target = Tensor::from_data<std::int32_t>({1, 1}, {1});
  const Tensor output = Tensor::from_data<double>({1, 2, 2}, {0.5, 1, 0, 2});
  GradientTape outer;
  outer.watch(output);
  GradientTape inner;
  inner.watch(output);
  const Tensor gradient = inner.gradient(ctc_loss(target, output, lengths({1}), {}), output);
  EXPECT_EQ(message_of<NotImplementedError>([&] { outer.gradient(gradient, output); }),
            "The gradient of ctc_loss has no gradient defined.");
}

}  // namespace
}  // namespace rhyton
