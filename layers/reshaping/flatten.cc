#include <rhyton/layers/reshaping/flatten.h>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class FlattenImpl final : public LayerImpl {
 public:
  explicit FlattenImpl(const FlattenOptions& options)
      : LayerImpl(base_options(options)), options_(options), layout_(options.data_format) {
    options_.data_format = layout_.to_string();
    mark_built();
  }

  std::string class_name() const override { return Flatten::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.min_ndim = 1}); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = layout_.to_channels_last(inputs[0]);
    if (x.rank() == 2) return {x.without_mask()};
    return {reshape(x, {x.shape()[0], x.shape().slice(1, x.rank()).size()})};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  FlattenOptions options_;
  ImageLayout layout_;
};

}  // namespace

Flatten::Flatten(const FlattenOptions& options) : Layer(std::make_shared<FlattenImpl>(options)) {}

Flatten Flatten::from_config(const io::Json& config) { return Flatten(read_layer<Flatten>(config)); }

}  // namespace rhyton::layers
