#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/quantization.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/axes.h>

// Quantizers of layers, and what `quantize` takes. See https://keras.io/api/quantizers.

namespace rhyton::quantizers {

class QuantizerImpl {
 public:
  virtual ~QuantizerImpl() = default;
  /// Along these axes, those of the constructor if none are given, else the last.
  virtual AbsMaxQuantized call(const Tensor& x, const std::optional<std::vector<int>>& axis) const = 0;
  /// "AbsMaxQuantizer".
  virtual std::string class_name() const = 0;
  virtual io::Json get_config() const = 0;
  /// The dtype of quantized values.
  virtual DType output_dtype() const = 0;
};

/// What turns a tensor into small integers and a scale; empty for None.
class Quantizer {
 public:
  Quantizer() = default;
  explicit Quantizer(std::shared_ptr<const QuantizerImpl> impl) : impl_(std::move(impl)) {}

  bool is_empty() const { return impl_ == nullptr; }
  /// Throws ValueError if this is empty.
  AbsMaxQuantized operator()(const Tensor& x, const std::optional<std::vector<int>>& axis = std::nullopt) const;
  DType output_dtype() const;
  io::Json get_config() const;

  /// Keras's saved form: `{"module": "keras.quantizers", "class_name": "AbsMaxQuantizer", …}`; null if this is empty.
  io::Json to_config() const;
  /// Reads that form, a name, or null.
  static Quantizer from_config(const io::Json& config);
  static constexpr const char* config_type = "a quantizer";
  static constexpr bool config_is_object = true;

 private:
  const QuantizerImpl& require_impl() const;

  std::shared_ptr<const QuantizerImpl> impl_;
};

/// Fields in the order of `keras.quantizers.AbsMaxQuantizer`.
struct AbsMaxQuantizerOptions {
  ByName by_name = ByName();
  /// Deprecated by Keras: the axes are given by the call.
  std::optional<layers::Axes> axis = std::nullopt;
  ValueRange value_range = ValueRange(-127, 127);
  double epsilon = 1e-7;
  std::string output_dtype = "int8";

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("value_range", self.value_range);
    fields("epsilon", self.epsilon);
    fields("output_dtype", self.output_dtype);
    fields.unless_default("axis", self.axis, std::optional<layers::Axes>());
  }
};

/// Quantizes by the largest absolute value along axes (`abs_max_quantize`). Throws ValueError in Keras's words for a range
/// that the output dtype int8 does not have.
class AbsMaxQuantizer : public Quantizer {
 public:
  explicit AbsMaxQuantizer(const AbsMaxQuantizerOptions& options = {});
};

/// The quantizer of that name with its defaults, or that of a configuration; empty for null. Throws ValueError for an
/// unknown name.
Quantizer get(const io::Json& identifier);
io::Json serialize(const Quantizer& quantizer);
Quantizer deserialize(const io::Json& config);

/// What `quantize` takes besides the mode: which quantizers a layer uses; empty for None.
class QuantizationConfig {
 public:
  QuantizationConfig() = default;

  bool is_empty() const { return mode_.empty(); }
  /// "int8".
  const std::string& mode() const { return mode_; }
  /// Empty: the quantizer that the layer has for its weights.
  const Quantizer& weight_quantizer() const { return weights_; }
  /// Empty: inputs are not quantized, only weights are.
  const Quantizer& activation_quantizer() const { return activations_; }

  /// Keras's saved form; null if this is empty.
  io::Json to_config() const;
  /// Reads that form or null. Throws NotImplementedError for another class than Int8QuantizationConfig.
  static QuantizationConfig from_config(const io::Json& config);
  static constexpr const char* config_type = "a quantization config";
  static constexpr bool config_is_object = true;

 protected:
  QuantizationConfig(std::string mode, Quantizer weights, Quantizer activations)
      : mode_(std::move(mode)), weights_(std::move(weights)), activations_(std::move(activations)) {}

 private:
  std::string mode_;
  Quantizer weights_;
  Quantizer activations_;
};

/// Fields in the order of `keras.quantizers.Int8QuantizationConfig`.
struct Int8QuantizationOptions {
  ByName by_name = ByName();
  Quantizer weight_quantizer = {};
  /// `Quantizer()`, Keras's None, quantizes weights only.
  Quantizer activation_quantizer = AbsMaxQuantizer();
};

/// Throws ValueError in Keras's words for a weight quantizer of another output dtype than int8.
class Int8QuantizationConfig : public QuantizationConfig {
 public:
  explicit Int8QuantizationConfig(const Int8QuantizationOptions& options = {});
};

}  // namespace rhyton::quantizers
