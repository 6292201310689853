#include <rhyton/applications/imagenet.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <system_error>

#include <rhyton/applications/weights.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/operations/operations.h>

namespace rhyton::applications::imagenet_utils {
namespace {

constexpr std::int64_t imagenet_classes = 1000;
// Of the channels of ImageNet, in the order in which the models take them.
constexpr std::array<double, 3> caffe_means = {103.939, 116.779, 123.68};
constexpr std::array<double, 3> torch_means = {0.485, 0.456, 0.406};
constexpr std::array<double, 3> torch_deviations = {0.229, 0.224, 0.225};

void require_mode(const std::string& mode) {
  if (mode == "caffe" || mode == "tf" || mode == "torch") return;
  throw ValueError("Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode=" + mode);
}

bool has_channels_first(const std::string& data_format) {
  if (!data_format.empty() && data_format != "channels_first" && data_format != "channels_last") {
    throw ValueError("Expected data_format to be one of `channels_first` or `channels_last`. Received: data_format=" +
                     data_format);
  }
  return layers::ImageLayout(data_format).channels_first();
}

/// The axis of the three channels. Throws ValueError where they are not.
int axis_of_channels(const Shape& shape, bool channels_first) {
  if (shape.rank() != 3 && shape.rank() != 4) {
    throw ValueError("`preprocess_input` expects an image or a batch of images, of rank 3 or 4. Received: x.shape=" +
                     shape.to_string());
  }
  const int axis = channels_first ? shape.rank() - 3 : shape.rank() - 1;
  if (!may_be_equal(shape[axis], 3)) {
    throw ValueError("`preprocess_input` expects images with 3 channels. Received: x.shape=" + shape.to_string());
  }
  return axis;
}

Tensor per_channel(const std::array<double, 3>& values, const Shape& shape, DType dtype) {
  return Tensor::from_data(shape, std::vector<double>(values.begin(), values.end())).cast(dtype);
}

/// Ones but for the three channels on the axis.
Shape shape_of_channels(int rank, int axis) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == axis ? 3 : 1);
  return shape;
}

std::array<double, 3> negative(std::array<double, 3> values) {
  for (double& value : values) value = -value;
  return values;
}

/// The names and descriptions of the classes.
io::Json class_index() {
  const RemoteFile remote = {
      .name = "imagenet_class_index.json",
      .url = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json",
      .checksum = "c2c37ea517e94d9795004a39431a14cb"};
  // One that is there is not compared with the checksum: what it holds is checked.
  std::filesystem::path path = weights_folder() / remote.name;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) path = weights_file(remote);
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) throw IOError("The file " + path.string() + " cannot be read.");
  return io::Json::parse(text, path.string());
}

Prediction prediction_of(const io::Json& index, std::int64_t label, double score) {
  const io::Json* const names = index.is_object() ? index.find(std::to_string(label)) : nullptr;
  if (names == nullptr || !names->is_array() || names->size() != 2 || !(*names)[0].is_string() ||
      !(*names)[1].is_string()) {
    throw ValueError("The file imagenet_class_index.json does not name the class " + std::to_string(label) + ".");
  }
  return {(*names)[0].as_string(), (*names)[1].as_string(), score};
}

/// As `np.argsort` has it, NaN is the highest score.
bool is_higher(double a, double b) { return std::isnan(a) ? !std::isnan(b) : a > b; }

void warn_of_channels(std::int64_t channels) {
  if (channels == 1 || channels == 3) return;
  warn("This model usually expects 1 or 3 input channels. However, it was passed an input_shape with " +
       length_to_string(channels) + " input channels.");
}

Shape image_shape(std::int64_t size, std::int64_t channels, bool channels_first) {
  return channels_first ? Shape{channels, size, size} : Shape{size, size, channels};
}

void check_input_shape(const Shape& shape, const InputRequirements& requirements, bool channels_first) {
  if (shape.rank() != 3) throw ValueError("`input_shape` must be a tuple of three integers.");
  if (shape[channels_first ? 0 : 2] != 3 && requirements.weights == "imagenet") {
    throw ValueError("The input must have 3 channels; Received `input_shape=" + shape.to_string() + "`");
  }
  const auto is_small = [&](int axis) { return shape[axis] >= 0 && shape[axis] < requirements.min_size; };
  const int rows = channels_first ? 1 : 0;
  if (is_small(rows) || is_small(rows + 1)) {
    const std::string size = std::to_string(requirements.min_size);
    throw ValueError("Input size must be at least " + size + "x" + size +
                     "; Received: input_shape=" + shape.to_string());
  }
}

}  // namespace

Tensor preprocess_input(const Tensor& images, const std::string& data_format, const std::string& mode) {
  require_mode(mode);
  const bool channels_first = has_channels_first(data_format);
  const Tensor x = is_floating(images.dtype()) ? images : images.cast(dtype_from_name(config::floatx()));
  if (mode == "tf") return x / 127.5 - 1.0;
  const int axis = axis_of_channels(x.shape(), channels_first);
  const Shape channels = shape_of_channels(x.shape().rank(), axis);
  if (mode == "caffe") return reverse(x, {axis}) - per_channel(caffe_means, channels, x.dtype());
  return (x / 255.0 - per_channel(torch_means, channels, x.dtype())) /
         per_channel(torch_deviations, channels, x.dtype());
}

layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format,
                                        const std::string& mode) {
  require_mode(mode);
  const bool channels_first = has_channels_first(data_format);
  if (mode == "tf") return x / 127.5 - 1.0;
  const int axis = axis_of_channels(x.shape(), channels_first);
  const DType dtype = is_floating(x.dtype()) ? x.dtype() : dtype_from_name(config::floatx());
  const Shape channels = shape_of_channels(x.rank(), axis);
  if (mode == "torch") {
    const Shape of_deviations = channels_first ? Shape{3, 1, 1} : Shape{3};
    return (x / 255.0 + per_channel(negative(torch_means), channels, dtype)) /
           per_channel(torch_deviations, of_deviations, dtype);
  }
  std::vector<layers::SymbolicTensor> reversed;
  for (const std::int64_t channel : {2, 1, 0}) {
    std::vector<Index> key;
    if (!channels_first) {
      key = {ellipsis, channel};
    } else if (x.rank() == 3) {
      key = {channel, ellipsis};
    } else {
      key = {Slice(), channel, Slice()};
    }
    reversed.push_back(x[key]);
  }
  return stack(reversed, channels_first ? axis : -1) + per_channel(negative(caffe_means), channels, dtype);
}

std::vector<std::vector<Prediction>> decode_predictions(const Tensor& preds, std::int64_t top) {
  if (preds.shape().rank() != 2 || preds.shape()[1] != imagenet_classes) {
    throw ValueError(
        "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). Received "
        "array "
        "with shape: " +
        preds.shape().to_string());
  }
  if (top < 1) throw ValueError("`top` must be a positive integer. Received: top=" + std::to_string(top));
  const io::Json index = class_index();
  const std::vector<double> scores = preds.to_vector();
  std::vector<std::vector<Prediction>> results;
  for (auto row = scores.begin(); row != scores.end(); row += imagenet_classes) {
    std::vector<std::int64_t> labels(imagenet_classes);
    std::iota(labels.begin(), labels.end(), 0);
    std::stable_sort(labels.begin(), labels.end(),
                     [&](std::int64_t a, std::int64_t b) { return is_higher(row[a], row[b]); });
    labels.resize(static_cast<std::size_t>(std::min(top, imagenet_classes)));
    std::vector<Prediction>& result = results.emplace_back();
    for (const std::int64_t label : labels) result.push_back(prediction_of(index, label, row[label]));
  }
  return results;
}

Shape obtain_input_shape(const std::optional<Shape>& input_shape, const InputRequirements& requirements) {
  const bool channels_first = layers::ImageLayout().channels_first();
  const bool is_imagenet = requirements.weights == "imagenet";
  const bool is_given = input_shape.has_value() && input_shape->rank() > 0;
  std::int64_t channels = 3;
  if (!is_imagenet && is_given && input_shape->rank() == 3) {
    channels = (*input_shape)[channels_first ? 0 : 2];
    warn_of_channels(channels);
  }
  const Shape default_shape = image_shape(requirements.default_size, channels, channels_first);
  if (is_imagenet && requirements.require_flatten) {
    if (input_shape.has_value() && !(*input_shape == default_shape)) {
      throw ValueError("When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be " +
                       default_shape.to_string() + ".  Received: input_shape=" + input_shape->to_string());
    }
    return default_shape;
  }
  if (is_given) check_input_shape(*input_shape, requirements, channels_first);
  Shape shape = default_shape;
  if (is_given) {
    shape = *input_shape;
  } else if (!requirements.require_flatten) {
    shape = image_shape(-1, 3, channels_first);
  }
  if (requirements.require_flatten && !shape.is_fully_known()) {
    throw ValueError("If `include_top` is True, you should specify a static `input_shape`. Received: input_shape=" +
                     shape.to_string());
  }
  return shape;
}

layers::Margins2 correct_pad(const layers::SymbolicTensor& inputs, std::int64_t kernel_size) {
  const int rows = layers::ImageLayout().first_spatial_axis();
  const auto margins = [&](int axis) {
    const std::int64_t length = inputs.shape()[axis];
    const std::int64_t after = kernel_size / 2;
    return layers::Size2(after - (length < 0 ? 1 : 1 - length % 2), after);
  };
  return {margins(rows), margins(rows + 1)};
}

void validate_activation(const layers::ActivationFunction& classifier_activation,
                         const std::optional<std::string>& weights) {
  const std::string& name = classifier_activation.name();
  if (!weights.has_value() || name == "softmax" || name == "linear") return;
  throw ValueError(
      "Only `None` and `softmax` activations are allowed for the `classifier_activation` argument when using "
      "pretrained weights, with `include_top=True`; Received: classifier_activation=" +
      (name.empty() ? "a function" : name));
}

}  // namespace rhyton::applications::imagenet_utils
