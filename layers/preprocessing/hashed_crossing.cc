#include <rhyton/layers/preprocessing/hashed_crossing.h>

#include <algorithm>
#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/fingerprint.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/host_layer.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/category_output.h>

namespace rhyton::layers {
namespace {

/// What TensorFlow begins the hash of a crossed feature with.
constexpr std::uint64_t initial_hash = 0xDECAFCAFFE;

/// The values of a feature as the hash takes them: integers themselves, of strings their fingerprints.
std::vector<std::uint64_t> fingerprints_of(const Tensor& feature) {
  std::vector<std::uint64_t> values;
  if (feature.dtype() == string_dtype) {
    for (const std::string& text : StringTensor::of(feature).elements()) values.push_back(fingerprint64(text));
    return values;
  }
  const Tensor integers = cast(feature, DType::int64);
  for (const std::int64_t number : integers.elements<std::int64_t>()) {
    values.push_back(static_cast<std::uint64_t>(number));
  }
  return values;
}

std::string shapes_of(const std::vector<Tensor>& features) {
  std::string text;
  for (const Tensor& feature : features) {
    text += (text.empty() ? "" : ", ") + std::string(name_of(feature.dtype())) + feature.shape().to_string();
  }
  return "[" + text + "]";
}

void check(const std::vector<Tensor>& features) {
  if (features.size() < 2) {
    throw ValueError("`HashedCrossing` should be called on at least two inputs. Received: inputs=" +
                     shapes_of(features));
  }
  const Shape& shape = features.front().shape();
  if (shape.rank() > 2 || (shape.rank() == 2 && shape[1] != 1)) {
    throw ValueError(
        "All `HashedCrossing` inputs should have shape `()`, `(batch_size)` or `(batch_size, 1)`. Received: inputs=" +
        shapes_of(features));
  }
  if (std::any_of(features.begin(), features.end(), [&](const auto& feature) { return feature.shape() != shape; })) {
    throw ValueError("All `HashedCrossing` inputs should have equal shape. Received: inputs=" + shapes_of(features));
  }
  const auto is_categorical = [](const Tensor& feature) {
    return !is_floating(feature.dtype()) && feature.dtype() != DType::bool_;
  };
  if (!std::all_of(features.begin(), features.end(), is_categorical)) {
    throw ValueError("All `HashedCrossing` inputs should have an integer or string dtype. Received: inputs=" +
                     shapes_of(features));
  }
}

class HashedCrossingImpl final : public HostLayer {
 public:
  explicit HashedCrossingImpl(const HashedCrossingArguments& arguments)
      : HostLayer({.name = arguments.name, .dtype = dtype_of(arguments)}), options_(arguments) {
    if (options_.output_mode != "int" && options_.output_mode != "one_hot") {
      throw ValueError(
          "Unknown value for `output_mode` argument of HashedCrossing. Allowed values are: ('int', 'one_hot'). "
          "Received: output_mode=" +
          options_.output_mode);
    }
    mark_built();
  }

  std::string class_name() const override { return HashedCrossing::keras_name; }
  std::vector<Tensor> call_on_host(const std::vector<Tensor>& inputs) const override { return {crossed(inputs)}; }

  /// In Keras's order.
  io::Json get_config() const override {
    io::Json config = written(options_);
    config["name"] = name();
    config["dtype"] = std::string(name_of(variable_dtype()));
    return config;
  }

 protected:
  std::vector<Tensor> infer_on_host(const std::vector<Tensor>& inputs) const override {
    require_crossable(inputs);
    return {encoded(without_elements({inputs.front().shape(), DType::int64}))};
  }

 private:
  Tensor crossed(const std::vector<Tensor>& features) const {
    require_crossable(features);
    const Shape& shape = features.front().shape();
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(shape.size()), initial_hash);
    for (const Tensor& feature : features) {
      const std::vector<std::uint64_t> values = fingerprints_of(feature);
      for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = joined_fingerprint(hashes[i], values[i]);
    }
    const std::uint64_t bins = options_.num_bins > 0 ? static_cast<std::uint64_t>(options_.num_bins)
                                                     : std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    std::vector<std::int64_t> numbers;
    for (const std::uint64_t hash : hashes) numbers.push_back(static_cast<std::int64_t>(hash % bins));
    return encoded(Tensor::from_data<std::int64_t>(shape, numbers));
  }

  void require_crossable(const std::vector<Tensor>& features) const {
    check(features);
    if (options_.num_bins >= 0) return;
    throw InvalidArgumentError("Value for attr 'num_buckets' of " + std::to_string(options_.num_bins) +
                               " must be at least minimum 0 [Op:SparseCross]");
  }

  Tensor encoded(const Tensor& bins) const {
    return encode_categories(bins, options_.output_mode, options_.num_bins, compute_dtype());
  }

  static std::string dtype_of(const HashedCrossingArguments& arguments) {
    return arguments.dtype.empty() && arguments.output_mode == "int" ? "int64" : arguments.dtype;
  }

  HashedCrossingArguments options_;
};

HashedCrossingArguments arguments_of(std::int64_t num_bins, const HashedCrossingOptions& options) {
  HashedCrossingArguments arguments{options};
  arguments.num_bins = num_bins;
  return arguments;
}

}  // namespace

HashedCrossing::HashedCrossing(std::int64_t num_bins, const HashedCrossingOptions& options)
    : Layer(std::make_shared<HashedCrossingImpl>(arguments_of(num_bins, options))) {}

HashedCrossing HashedCrossing::from_config(const io::Json& config) {
  const auto arguments = read_layer<HashedCrossing>(config);
  return HashedCrossing(arguments.num_bins, arguments);
}

}  // namespace rhyton::layers
