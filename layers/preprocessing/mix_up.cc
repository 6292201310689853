#include <rhyton/layers/preprocessing/mix_up.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_mixing.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

class MixUpImpl final : public MixingImpl {
 public:
  explicit MixUpImpl(const MixUpOptions& options) : MixingImpl(MixUp::keras_name, options), options_(options) {
    if (!(options.alpha > 0)) {
      throw ValueError("The `alpha` argument should be positive. Received: alpha=" + io::Json(options.alpha).dump());
    }
    options_.data_format = data_format();
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    return training ? MixingImpl::call(inputs, training) : inputs;
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  Mixture mixture(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
    const Tensor order = random_order(numbers);
    return {.order = order, .weight = beta_numbers(images, Tensor::scalar(options_.alpha), images.dtype())};
  }

 private:
  /// With the format that holds.
  MixUpOptions options_;
};

}  // namespace

MixUp::MixUp(const MixUpOptions& options) : Layer(std::make_shared<MixUpImpl>(options)) {}

MixUp MixUp::from_config(const io::Json& config) { return MixUp(read_layer<MixUp>(config)); }

}  // namespace rhyton::layers
