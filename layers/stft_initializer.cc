#include <rhyton/layers/stft_initializer.h>

#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/serialization/config_writer.h>

namespace rhyton::initializers {
namespace {

class FourierKernel final : public layers::InitializerImpl {
 public:
  explicit FourierKernel(const STFTOptions& options) : options_(options) {
    if (options.side != "real" && options.side != "imag") {
      throw ValueError("side should be 'real' or 'imag', not " + options.side);
    }
    if (const auto& window = options.window.value(); window && window->is_name()) {
      layers::require_window_name(window->name());
    }
    if (options.scaling && *options.scaling != "density" && *options.scaling != "spectrum") {
      throw ValueError("Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling=" +
                       *options.scaling);
    }
  }

  Tensor call(const Shape& shape, DType dtype) const override {
    if (shape.rank() != 3 || shape[1] != 1) {
      throw ValueError("STFT initializer can only be used for shapes (frame_length, 1, frequencies). Received: shape=" +
                       shape.to_string() + ".");
    }
    // In the dtype of the weight, step by step as Keras, whose rounding this repeats.
    const DType computed = is_floating(dtype) ? dtype : DType::float32;
    const std::int64_t frequencies = shape[2];
    const Tensor frequency =
        divide(reshape(arange(frequencies, computed), {1, 1, frequencies}), Scalar((frequencies - 1) * 2));
    const Tensor time = reshape(arange(shape[0], computed), {shape[0], 1, 1});
    const Tensor angles = multiply(multiply(multiply(time, Scalar(-2)), frequency), Scalar(std::numbers::pi));
    const Tensor kernel = options_.side == "real" ? cos(angles) : sin(angles);
    return cast(windowed(kernel), dtype);
  }

  std::string class_name() const override { return "STFT"; }
  io::Json get_config() const override { return written(options_); }

 private:
  Tensor windowed(const Tensor& kernel) const {
    const auto& window = options_.window.value();
    if (!window) return kernel;
    const std::int64_t length = kernel.shape()[0];
    const std::vector<double> numbers =
        window->is_name() ? layers::window_factors(window->name(), length, options_.periodic) : window->numbers();
    const auto given = static_cast<std::int64_t>(numbers.size());
    if (given != length) {
      throw ValueError("The shape of `window` must be equal to [frame_length].Received: window shape=" +
                       Shape{given}.to_string());
    }
    const Tensor factors = reshape(cast(Tensor::from_data({length}, numbers), kernel.dtype()), {length, 1, 1});
    Tensor product = multiply(kernel, factors);
    if (options_.scaling == "density") return divide(product, sqrt(sum(square(factors))));
    if (options_.scaling == "spectrum") return divide(product, sum(abs(factors)));
    return product;
  }

  STFTOptions options_;
};

}  // namespace

STFT::STFT(const STFTOptions& options) : Initializer(std::make_shared<const FourierKernel>(options)) {}

}  // namespace rhyton::initializers
