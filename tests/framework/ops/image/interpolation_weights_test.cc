// The matrices of weights with which images are resized.

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/interpolation_weights.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::image {
namespace {

TEST(InterpolationWeights, AddUpToOne) {
  for (const auto interpolation :
       {Interpolation::bilinear, Interpolation::bicubic, Interpolation::lanczos3, Interpolation::lanczos5}) {
    for (const auto& [input, output] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 5}, {2, 2}, {5, 13}, {13, 5}, {7, 1}, {100, 3}}) {
      for (std::int64_t position = 0; position < output; ++position) {
        const InterpolationSpan span = interpolation_span(interpolation, input, output, position);
        ASSERT_GE(span.begin, 0);
        ASSERT_LE(span.begin + static_cast<std::int64_t>(span.weights.size()), input);
        float sum = 0;
        for (const float weight : span.weights) sum += weight;
        EXPECT_NEAR(sum, 1, 1e-6) << name_of(interpolation) << " " << input << " " << output << " " << position;
      }
    }
  }
}

TEST(InterpolationWeights, LongAxesAreCutIntoPieces) {
  // Bilinear interpolation leaves a line a line.
  constexpr std::int64_t length = 5000;
  std::vector<float> line(length);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<float>(i);
  for (const auto interpolation : {Interpolation::bilinear, Interpolation::bicubic}) {
    const Tensor x = Tensor::from_data(Shape{1, length, 1}, line);
    GradientTape tape;
    tape.watch(x);
    const Tensor y = interpolate_axis(x, 1, 2 * length, interpolation);
    ASSERT_EQ(y.shape(), (Shape{1, 2 * length, 1}));
    const std::vector<double> values = y.to_vector();
    for (std::size_t i = 4; i + 4 < values.size(); ++i) {
      ASSERT_NEAR(values[i], 0.5 * static_cast<double>(i) - 0.25, 1e-2) << i;
    }
    // Each input is in outputs of weight 2 altogether, but for the edges.
    const std::vector<double> gradient = tape.gradient(y, x).to_vector();
    for (std::size_t i = 4; i + 4 < gradient.size(); ++i) ASSERT_NEAR(gradient[i], 2, 1e-4) << i;
  }
}

TEST(InterpolationWeights, RefusesLengthsBeyond32Bits) {
  const Tensor x = Tensor::zeros({1, 2, 1});
  EXPECT_THROW(interpolate_axis(x, 1, std::int64_t{1} << 40, Interpolation::bilinear), ValueError);
  EXPECT_THROW(interpolate_axis(x, 1, 0, Interpolation::bilinear), ValueError);
}

TEST(InterpolationWeights, OfFiltersThatBecomeWiderAddUpToOne) {
  for (const auto interpolation : {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic,
                                   Interpolation::lanczos3, Interpolation::lanczos5, Interpolation::area}) {
    for (const std::int64_t input : {1, 2, 7, 30}) {
      for (const std::int64_t output : {1, 3, 8, 31}) {
        for (std::int64_t position = 0; position < output; ++position) {
          const InterpolationSpan span = interpolation_span(interpolation, input, output, position, true);
          EXPECT_GE(span.begin, 0);
          EXPECT_LE(span.begin + static_cast<std::int64_t>(span.weights.size()), input);
          float sum = 0;
          for (const float weight : span.weights) sum += weight;
          EXPECT_NEAR(sum, 1, 1e-6) << name_of(interpolation) << " " << input << " " << output << " " << position;
        }
      }
    }
  }
}

}  // namespace
}  // namespace rhyton::image
