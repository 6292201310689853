#include <rhyton/layers/preprocessing/max_num_bounding_boxes.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>

namespace rhyton::layers {
namespace {

class MaxNumBoundingBoxesImpl final : public ImagePreprocessingImpl {
 public:
  explicit MaxNumBoundingBoxesImpl(const MaxNumBoundingBoxesArguments& arguments)
      : ImagePreprocessingImpl(arguments), arguments_(arguments) {
    if (arguments.max_number < 0) {
      throw ValueError("The `max_number` argument should not be negative. Received: max_number=" +
                       std::to_string(arguments.max_number));
    }
    arguments_.data_format = data_format();
  }

  std::string class_name() const override { return MaxNumBoundingBoxes::keras_name; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return inputs; }
  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 protected:
  LabelledBoxes transformed_boxes(const LabelledBoxes& boxes, const Shape& /*images*/) override {
    return {filled_up(boxes.boxes), filled_up(boxes.labels)};
  }

 private:
  Tensor filled_up(const Tensor& x) const {
    const std::int64_t kept = std::min(x.shape()[1], arguments_.max_number);
    std::vector<std::pair<std::int64_t, std::int64_t>> paddings(static_cast<std::size_t>(x.rank()), {0, 0});
    paddings[1].second = arguments_.max_number - kept;
    return pad(slice_axis(x, 1, 0, kept), paddings, static_cast<double>(arguments_.fill_value));
  }

  /// With the format that holds.
  MaxNumBoundingBoxesArguments arguments_;
};

}  // namespace

MaxNumBoundingBoxes::MaxNumBoundingBoxes(std::int64_t max_number, const MaxNumBoundingBoxesOptions& options)
    : Layer(std::make_shared<MaxNumBoundingBoxesImpl>(MaxNumBoundingBoxesArguments{options, max_number})) {}

MaxNumBoundingBoxes MaxNumBoundingBoxes::from_config(const io::Json& config) {
  const auto arguments = read_layer<MaxNumBoundingBoxes>(config);
  return MaxNumBoundingBoxes(arguments.max_number, arguments);
}

}  // namespace rhyton::layers
