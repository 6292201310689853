#include <rhyton/layers/preprocessing/hashing.h>

#include <algorithm>
#include <array>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/host_layer.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/category_output.h>

namespace rhyton::layers {
namespace {

class HashingImpl final : public HostLayer {
 public:
  explicit HashingImpl(const HashingArguments& arguments)
      : HostLayer({.name = arguments.name, .dtype = dtype_of(arguments), .trainable = arguments.trainable}),
        options_(arguments) {
    check_options();
    mark_built();
  }

  std::string class_name() const override { return Hashing::keras_name; }
  std::vector<Tensor> call_on_host(const std::vector<Tensor>& inputs) const override {
    const Tensor& values = inputs.at(0);
    return {values.dtype() == string_dtype ? hashed(StringTensor::of(values)) : hashed(values)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  std::vector<Tensor> infer_on_host(const std::vector<Tensor>& inputs) const override {
    return {encoded(without_elements({inputs.at(0).shape(), DType::int64}))};
  }

 private:
  Tensor hashed(const StringTensor& values) const {
    if (options_.mask_value && options_.mask_value->text() == nullptr) throw_wrong_mask("strings");
    const std::string* const mask = options_.mask_value ? options_.mask_value->text() : nullptr;
    std::vector<std::int64_t> bins;
    for (const std::string& value : values.elements()) bins.push_back(bin_of(value, mask != nullptr && value == *mask));
    return encoded(Tensor::from_data<std::int64_t>(values.shape(), bins));
  }

  Tensor hashed(const Tensor& values) const {
    const bool is_masked = options_.mask_value && options_.num_bins > 1;
    if (is_masked && options_.mask_value->number() == nullptr) throw_wrong_mask("numbers");
    const Tensor mask =
        is_masked ? cast(equal(values, Tensor::scalar<std::int64_t>(*options_.mask_value->number())), DType::int64)
                  : zeros_like(cast(values, DType::int64));
    const Tensor numbers = cast(values, DType::int64);
    std::vector<std::int64_t> bins;
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t number = numbers.elements<std::int64_t>()[static_cast<std::size_t>(i)];
      const bool is_mask = mask.elements<std::int64_t>()[static_cast<std::size_t>(i)] != 0;
      // TensorFlow writes bool as words.
      const bool is_word = values.dtype() == DType::bool_;
      bins.push_back(bin_of(is_word ? (number != 0 ? "true" : "false") : std::to_string(number), is_mask));
    }
    return encoded(Tensor::from_data<std::int64_t>(numbers.shape(), bins));
  }

  static std::string dtype_of(const HashingArguments& arguments) {
    return arguments.dtype.empty() && arguments.output_mode == "int" ? "int64" : arguments.dtype;
  }

  void check_options() const {
    if (options_.num_bins <= 0) {
      throw ValueError("The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: num_bins=" +
                       std::to_string(options_.num_bins) + ".");
    }
    if (options_.output_mode == "int" && dtype_policy() != "int32" && dtype_policy() != "int64") {
      throw ValueError(
          "When `output_mode=\"int\"`, `dtype` should be an integer type, 'int32' or 'in64'. Received: dtype=" +
          options_.dtype);
    }
    constexpr std::array<const char*, 4> modes = {"int", "one_hot", "multi_hot", "count"};
    if (std::find(modes.begin(), modes.end(), options_.output_mode) == modes.end()) {
      throw ValueError(
          "Invalid value for argument `output_mode`. Expected one of ('int', 'one_hot', 'multi_hot', 'count'). "
          "Received: output_mode=" +
          options_.output_mode);
    }
  }

  [[noreturn]] void throw_wrong_mask(const char* inputs) const {
    throw TypeError("The `mask_value` of layer '" + name() + "' (of type Hashing), " +
                    options_.mask_value->to_config().dump() + ", cannot be compared with " + inputs + ".");
  }

  std::int64_t bin_of(const std::string& text, bool is_mask) const {
    if (!options_.mask_value || options_.num_bins == 1) return options_.salt.bucket_of(text, options_.num_bins);
    return is_mask ? 0 : 1 + options_.salt.bucket_of(text, options_.num_bins - 1);
  }

  Tensor encoded(const Tensor& bins) const {
    return encode_categories(bins, options_.output_mode, options_.num_bins, variable_dtype());
  }

  HashingArguments options_;
};

HashingArguments arguments_of(std::int64_t num_bins, const HashingOptions& options) {
  HashingArguments arguments{options};
  arguments.num_bins = num_bins;
  return arguments;
}

}  // namespace

io::Json HashMask::to_config() const {
  return std::visit([](const auto& value) { return io::Json(value); }, value_);
}

HashMask HashMask::from_config(const io::Json& config) {
  if (config.is_string()) return config.as_string();
  return config.as_int();
}

Hashing::Hashing(std::int64_t num_bins, const HashingOptions& options)
    : Layer(std::make_shared<HashingImpl>(arguments_of(num_bins, options))) {}

Hashing Hashing::from_config(const io::Json& config) {
  const auto arguments = read_layer<Hashing>(config);
  return Hashing(arguments.num_bins, arguments);
}

}  // namespace rhyton::layers
