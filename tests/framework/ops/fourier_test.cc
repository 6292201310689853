#include <rhyton/framework/ops/fourier.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::fourier {
namespace {

using test::expect_near;
using test::message_of;
using test::random_tensor;
using test::run_kernel_sliced;

/// The sum that defines one number of the transform of one row.
std::complex<double> number_by_definition(const ComplexTensor& x, std::int64_t k) {
  const std::vector<double> real = x.first.to_vector();
  const std::vector<double> imaginary = x.second.to_vector();
  const auto length = static_cast<std::int64_t>(real.size());
  std::complex<long double> sum;
  for (std::int64_t n = 0; n < length; ++n) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(n * k % length) / static_cast<double>(length);
    const auto i = static_cast<std::size_t>(n);
    sum += std::complex<long double>(std::complex<double>(real[i], imaginary[i]) * std::polar(1.0, angle));
  }
  return std::complex<double>(sum);
}

/// The sums that define the transform of one row.
ComplexTensor by_definition(const ComplexTensor& x) {
  const std::int64_t length = x.first.size();
  std::vector<double> real_sums;
  std::vector<double> imaginary_sums;
  for (std::int64_t k = 0; k < length; ++k) {
    const std::complex<double> sum = number_by_definition(x, k);
    real_sums.push_back(sum.real());
    imaginary_sums.push_back(sum.imag());
  }
  return {Tensor::from_data({length}, real_sums), Tensor::from_data({length}, imaginary_sums)};
}

TEST(Fft, IsTheSumThatDefinesIt) {
  for (const std::int64_t length :
       {1, 2, 3, 4, 5, 7, 8, 12, 13, 36, 49, 60, 64, 97, 100, 101, 121, 127, 210, 243, 256, 331}) {
    for (const DType dtype : {float32, float64}) {
      const ComplexTensor x = {random_tensor({length}, dtype, 1), random_tensor({length}, dtype, 2)};
      const auto [real, imaginary] = fft(x);
      const auto [expected_real, expected_imaginary] = by_definition(x);
      const double error = (dtype == float32 ? 1e-5 : 1e-13) * std::sqrt(static_cast<double>(length));
      expect_near(real, expected_real.to_vector(), error);
      expect_near(imaginary, expected_imaginary.to_vector(), error);
    }
  }
}

TEST(Fft, OfLongRows) {
  // Prime numbers, twice a prime, powers of primes, and products of small numbers.
  for (const std::int64_t length :
       {1009, 2018, 20011, 1000, 2048, 2187, 3125, 4096, 5000, 9409, 32768, 20000, 30030, 1 << 17}) {
    SCOPED_TRACE(length);
    for (const DType dtype : {float32, float64}) {
      const ComplexTensor x = {random_tensor({2, length}, dtype, 1), random_tensor({2, length}, dtype, 2)};
      const ComplexTensor transformed = fft(x);
      const double error = (dtype == float32 ? 2e-6 : 1e-14) * std::sqrt(static_cast<double>(length));
      const ComplexTensor row = {x.first[1], x.second[1]};
      for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, length / 3, length / 2, length - 1}) {
        const std::complex<double> expected = number_by_definition(row, k);
        EXPECT_NEAR(transformed.first[1][k].item(), expected.real(), error);
        EXPECT_NEAR(transformed.second[1][k].item(), expected.imag(), error);
      }
      const std::vector<Tensor> inputs = {transformed.first, transformed.second};
      const std::vector<Tensor> back = rhyton::apply(std::make_shared<const FftOp>(true), inputs);
      const auto count = static_cast<double>(length);
      expect_near(back[0] / count, x.first.to_vector(), dtype == float32 ? 1e-5 : 1e-13);
      expect_near(back[1] / count, x.second.to_vector(), dtype == float32 ? 1e-5 : 1e-13);
    }
  }
}

TEST(Fft, OfRowsAndSlices) {
  const Tensor real = random_tensor({5, 2, 6}, float64, 1);
  const Tensor imaginary = random_tensor({5, 2, 6}, float64, 2);
  const Tensor expected = fft({real, imaginary}).first;
  expect_near(run_kernel_sliced(FftOp(false), {real, imaginary}, 2, {true, true}), expected.to_vector(), 0.0);
  EXPECT_EQ(fft({Tensor::zeros({2, 0}), Tensor::zeros({2, 0})}).first.shape(), Shape({2, 0}));
}

/// The outputs of an op's kernel for the whole batch and for slices of it.
void expect_same_bits_in_slices(const Op& op, const std::vector<Tensor>& inputs, std::int64_t samples) {
  test::KernelHarness whole(op, inputs);
  whole.run();
  test::KernelHarness sliced(op, inputs);
  sliced.run_sliced(samples, std::vector<bool>(inputs.size(), true));
  for (std::size_t i = 0; i < whole.outputs().size(); ++i) {
    EXPECT_EQ(whole.outputs()[i].to_vector(), sliced.outputs()[i].to_vector()) << op.name() << ", " << samples;
  }
}

TEST(Fft, BitsOfARowDoNotDependOnTheOthers) {
  for (const std::int64_t length : {1, 2, 3, 4, 6, 16, 22, 49, 60, 97, 100, 101, 243, 256, 1000, 1009, 2187, 4096}) {
    SCOPED_TRACE(length);
    for (const DType dtype : {float32, float64}) {
      const Tensor real = random_tensor({19, length}, dtype, 1);
      const Tensor imaginary = random_tensor({19, length}, dtype, 2);
      const std::int64_t half = length / 2 + 1;
      const std::vector<Tensor> frequencies = {random_tensor({19, half}, dtype, 3),
                                               random_tensor({19, half}, dtype, 4)};
      for (const std::int64_t samples : {1, 2, 7}) {
        expect_same_bits_in_slices(FftOp(false), {real, imaginary}, samples);
        expect_same_bits_in_slices(FftOp(true), {real, imaginary}, samples);
        expect_same_bits_in_slices(RfftOp(), {real}, samples);
        expect_same_bits_in_slices(IrfftOp(length), frequencies, samples);
      }
    }
  }
}

TEST(Fft, InverseOfTwoAxes) {
  const ComplexTensor x = {random_tensor({2, 5, 6}, float64, 1), random_tensor({2, 5, 6}, float64, 2)};
  const auto [real, imaginary] = ifft2(fft2(x));
  expect_near(real, x.first.to_vector(), 1e-14);
  expect_near(imaginary, x.second.to_vector(), 1e-14);
}

TEST(Rfft, OfEvenAndOddLengths) {
  // numpy.fft.rfft
  const auto [real, imaginary] = rfft(Tensor::from_data<double>({6}, {0, 1, 2, 3, 4, 5}));
  expect_near(real, {15, -3, -3, -3}, 1e-14);
  expect_near(imaginary, {0, 3 * std::sqrt(3.0), std::sqrt(3.0), 0}, 1e-14);
  for (const std::int64_t length : {1, 2, 5, 6, 97}) {
    const Tensor x = random_tensor({3, length}, float64, 1);
    expect_near(irfft(rfft(x), length), x.to_vector(), 1e-13);
  }
}

TEST(Rfft, IsTheFirstHalfOfFft) {
  for (const std::int64_t length : {1, 2, 3, 4, 7, 8, 22, 60, 97, 101, 202, 243, 1000, 2187, 4096, 10000}) {
    SCOPED_TRACE(length);
    for (const DType dtype : {float32, float64}) {
      const Tensor x = random_tensor({3, length}, dtype, 1);
      const auto [real, imaginary] = rfft(x);
      const auto [expected_real, expected_imaginary] = fft({x, zeros_like(x)});
      const std::int64_t half = length / 2 + 1;
      const double error = (dtype == float32 ? 1e-6 : 2e-15) * std::sqrt(static_cast<double>(length));
      expect_near(real, slice_axis(expected_real, -1, 0, half).to_vector(), error);
      expect_near(imaginary, slice_axis(expected_imaginary, -1, 0, half).to_vector(), error);
      EXPECT_EQ(slice_axis(imaginary, -1, 0, 1).to_vector(), (std::vector<double>{0, 0, 0}));
      if (length % 2 == 0) {
        EXPECT_EQ(slice_axis(imaginary, -1, half - 1, half).to_vector(), (std::vector<double>{0, 0, 0}));
      }
      expect_near(irfft({real, imaginary}, length), x.to_vector(), dtype == float32 ? 2e-6 : 4e-15);
    }
  }
}

TEST(Irfft, ImaginaryPartsWithoutAConjugateDoNotCount) {
  const Tensor real = Tensor::from_data<double>({3}, {1, 2, 3});
  const Tensor zeros_at_ends = Tensor::from_data<double>({3}, {0, 2, 0});
  const Tensor imaginary = Tensor::from_data<double>({3}, {7, 2, 7});
  expect_near(irfft({real, imaginary}), irfft({real, zeros_at_ends}).to_vector(), 0.0);
}

TEST(Fft, Errors) {
  const Tensor x = Tensor::zeros({2, 6});
  EXPECT_EQ(message_of<ValueError>([&] {
              fft({x, Tensor::zeros({2, 2})});
            }),
            "Input `x` should be a tuple of two tensors - real and imaginary. Both the real and imaginary parts should "
            "have the same shape. Received: x[0].shape = (2, 6), x[1].shape = (2, 2)");
  EXPECT_THROW(fft({cast(x, int32), cast(x, int32)}), ValueError);
  EXPECT_THROW(fft2({Tensor::zeros({3}), Tensor::zeros({3})}), ValueError);
  EXPECT_THROW(rfft(cast(x, int32)), InvalidArgumentError);
  EXPECT_THROW(rfft(x, 0), InvalidArgumentError);
  EXPECT_EQ(message_of<InvalidArgumentError>([&] {
              call<IrfftOp>({x, x}, 8);
            }),
            "IRFFT of length 8 takes 5 frequencies. Received: (2, 6)");
  EXPECT_THROW(irfft({Tensor::zeros({1}), Tensor::zeros({1})}), InvalidArgumentError);
}

TEST(ExtractSequences, AreTheWindowsThatFit) {
  const Tensor x = Tensor::from_data<std::int32_t>({1, 6}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(extract_sequences(x, 2, 3).to_vector(), (std::vector<double>{0, 1, 3, 4}));
  EXPECT_EQ(extract_sequences(x, 3, 2).to_vector(), (std::vector<double>{0, 1, 2, 2, 3, 4}));
  EXPECT_EQ(extract_sequences(x, 7, 3).shape(), Shape({1, 0, 7}));
  EXPECT_THROW(extract_sequences(x, 2, 0), ValueError);
}

/// At the ends, where sequences are missing, the sums are too small, as in Keras.
TEST(Stft, HasAnInverse) {
  const Tensor x = random_tensor({2, 40}, float64, 1);
  for (const std::int64_t stride : {1, 2, 3}) {
    for (const std::int64_t fft_length : {8, 12}) {
      const ComplexTensor y = stft(x, 8, stride, fft_length);
      EXPECT_EQ(y.first.shape(), Shape({2, 1 + 40 / stride, fft_length / 2 + 1}));
      const Tensor back = istft(y, 8, stride, fft_length);
      const std::int64_t length = back.shape()[1];
      EXPECT_EQ(length, 40 / stride * stride);
      for (std::int64_t i = fft_length / 2; i < length - fft_length / 2; ++i) {
        EXPECT_NEAR(back.to_vector()[static_cast<std::size_t>(i)], x.to_vector()[static_cast<std::size_t>(i)], 1e-12);
      }
    }
  }
}

TEST(Stft, Errors) {
  const Tensor x = Tensor::zeros({2, 12});
  EXPECT_EQ(message_of<ValueError>([&] { stft(x, 4, 0, 4); }),
            "`sequence_stride` must be a positive integer. Received: sequence_stride=0");
  EXPECT_EQ(message_of<ValueError>([&] { stft(x, 4, 1, 3); }),
            "`fft_length` must equal or larger than `sequence_length`. Received: sequence_length=4, fft_length=3");
  EXPECT_EQ(message_of<ValueError>([&] { stft(x, 4, 1, 4, "hanning"); }),
            "If a string is passed to `window`, it must be one of `\"hann\"`, `\"hamming\"`. Received: window=hanning");
  EXPECT_EQ(message_of<ValueError>([&] { stft(x, 4, 1, 4, Tensor::full({3}, 1.0)); }),
            "The shape of `window` must be equal to [sequence_length]. Received: window shape=(3,)");
  EXPECT_EQ(message_of<TypeError>([&] { stft(cast(x, int32), 4, 1, 4); }),
            "Invalid input type. Expected `float32` or `float64`. Received: input type=int32");
  EXPECT_EQ(message_of<ValueError>([] { stft(Tensor::scalar(1.0f), 4, 1, 4); }),
            "Input should have rank >= 1. Received: input.shape = ()");
  EXPECT_THROW(istft({x, x}, 4, 1, 3), ValueError);
}

}  // namespace
}  // namespace rhyton::fourier
