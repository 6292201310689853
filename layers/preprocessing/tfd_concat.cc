#include <rhyton/layers/preprocessing/tfd_concat.h>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {
namespace {

class TFDConcatImpl final : public LayerImpl {
 public:
  explicit TFDConcatImpl(const TFDConcatArguments& arguments)
      : LayerImpl(base_options(arguments)), arguments_(arguments) {}

  std::string class_name() const override { return TFDConcat::keras_name; }

  void check_single_input(const Shape& shape) const override {
    throw ValueError("A `TFDConcat` layer should be called on a list of inputs. Received: input_shape=" +
                     shape.to_string() + " (not a list of shapes)");
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    std::vector<Tensor> parts;
    for (const Tensor& input : inputs) parts.push_back(to_compute_dtype(input));
    return {concatenate(parts, arguments_.axis)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }
  io::Json get_build_config() const override {
    return build_config_of_list(LayerImpl::get_build_config(), built_shapes().size());
  }

 private:
  TFDConcatArguments arguments_;
};

}  // namespace

TFDConcat::TFDConcat(int axis, const TFDConcatOptions& options)
    : Layer(std::make_shared<TFDConcatImpl>(TFDConcatArguments{options, axis})) {}

TFDConcat TFDConcat::from_config(const io::Json& config) {
  const auto arguments = read_layer<TFDConcat>(config);
  return TFDConcat(arguments.axis, arguments);
}

}  // namespace rhyton::layers
