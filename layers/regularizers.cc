#include <rhyton/layers/regularizers.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/layers/keras_object.h>
#include <rhyton/layers/option_tables.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

void require_factor(const std::string& name, double value) {
  if (std::isfinite(value) && value >= 0) return;
  // Keras's message lacks the space too.
  throw ValueError("Invalid value for argument " + name + ": expected a non-negative float.Received: " + name + "=" +
                   io::Json(value).dump());
}

class L1L2Impl final : public RegularizerImpl {
 public:
  L1L2Impl(std::string class_name, double l1, double l2) : class_name_(std::move(class_name)), l1_(l1), l2_(l2) {
    require_factor("l1", l1_);
    require_factor("l2", l2_);
  }

  Tensor call(const Tensor& values) const override {
    Tensor penalty;
    if (l1_ != 0 || class_name_ == "L1") penalty = multiply(sum(abs(values)), l1_);
    if (l2_ != 0 || penalty.is_empty()) {
      const Tensor squares = multiply(sum(square(values)), l2_);
      penalty = penalty.is_empty() ? squares : add(penalty, squares);
    }
    return penalty;
  }

  std::string class_name() const override { return class_name_; }

  io::Json get_config() const override {
    if (class_name_ == "L1") return written(regularizers::L1Options{.l1 = l1_});
    if (class_name_ == "L2") return written(regularizers::L2Options{.l2 = l2_});
    return written(regularizers::L1L2Options{.l1 = l1_, .l2 = l2_});
  }

 private:
  std::string class_name_;
  double l1_;
  double l2_;
};

class OrthogonalRegularizerImpl final : public RegularizerImpl {
 public:
  explicit OrthogonalRegularizerImpl(const regularizers::OrthogonalRegularizerOptions& options) : options_(options) {
    require_factor("factor", options_.factor);
    if (options_.mode == "rows" || options_.mode == "columns") return;
    throw ValueError(R"(Invalid value for argument `mode`. Expected one of {"rows", "columns"}. Received: mode=)" +
                     options_.mode);
  }

  Tensor call(const Tensor& values) const override {
    if (values.rank() != 2) {
      throw ValueError("Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape=" +
                       values.shape().to_string());
    }
    const bool by_rows = options_.mode == "rows";
    const Tensor unit = normalize(values, by_rows ? 1 : 0);
    const Tensor products = matmul(unit, unit, !by_rows, by_rows);
    const std::int64_t size = products.shape()[0];
    const Tensor others = multiply(products, subtract(1.0, eye(size, std::nullopt, 0, values.dtype())));
    const double pairs = static_cast<double>(size) * (static_cast<double>(size) - 1.0) / 2.0;
    return divide(multiply(sum(abs(others)), options_.factor * 0.5), pairs);
  }

  std::string class_name() const override { return "OrthogonalRegularizer"; }

  io::Json get_config() const override {
    // Keras keeps the factor in float32.
    return written(regularizers::OrthogonalRegularizerOptions{
        .factor = static_cast<double>(static_cast<float>(options_.factor)), .mode = options_.mode});
  }

 private:
  regularizers::OrthogonalRegularizerOptions options_;
};

Regularizer make(const std::string& class_name, double l1, double l2) {
  return Regularizer(std::make_shared<const L1L2Impl>(class_name, l1, l2));
}

template <class Class, class Options>
Regularizer read(const std::string& class_name, const io::Json& config) {
  ConfigReader reader("regularizer", class_name, config);
  Options options;
  Options::visit(options, reader);
  reader.finish();
  return Class(options);
}

template <class Options>
OptionTable regularizer_table(const std::string& class_name) {
  return option_table<Options>(class_name, [](const auto& options, auto& rows) { Options::visit(options, rows); });
}

struct NamedRegularizer {
  std::string_view class_name;
  /// Keras's other names for it.
  std::array<std::string_view, 2> names;
  Regularizer (*from_config)(const std::string& class_name, const io::Json& config);
  OptionTable (*options)(const std::string& class_name);
};

constexpr NamedRegularizer named_regularizers[] = {
    {"L1", {"l1"}, read<regularizers::L1, regularizers::L1Options>, regularizer_table<regularizers::L1Options>},
    {"L2", {"l2"}, read<regularizers::L2, regularizers::L2Options>, regularizer_table<regularizers::L2Options>},
    {"L1L2",
     {"l1_l2", "l1l2"},
     read<regularizers::L1L2, regularizers::L1L2Options>,
     regularizer_table<regularizers::L1L2Options>},
    {"OrthogonalRegularizer",
     {"orthogonal_regularizer"},
     read<regularizers::OrthogonalRegularizer, regularizers::OrthogonalRegularizerOptions>,
     regularizer_table<regularizers::OrthogonalRegularizerOptions>},
};

const NamedRegularizer* find_regularizer(std::string_view name) {
  for (const NamedRegularizer& named : named_regularizers) {
    if (named.class_name == name || (!name.empty() && (named.names[0] == name || named.names[1] == name))) {
      return &named;
    }
  }
  return nullptr;
}

Regularizer from_name(const std::string& name, const io::Json& config, const std::string& registered = {}) {
  if (const auto factory = find_class<Regularizer>(registered, name)) return factory(config);
  const NamedRegularizer* const named = find_regularizer(name);
  if (named == nullptr) throw ValueError("Could not interpret regularizer identifier: " + name);
  return named->from_config(std::string(named->class_name), config);
}

}  // namespace

Regularizer::Regularizer(const char* name) : Regularizer(std::string(name)) {}

Regularizer::Regularizer(const std::string& name) {
  // Given only as a name, Keras's "l1_l2" sets both factors to 0.01.
  *this = name == "l1_l2" || name == "l1l2" ? make("L1L2", 0.01, 0.01) : from_name(name, io::Json::object());
}

Tensor Regularizer::operator()(const Tensor& values) const {
  if (is_empty()) throw ValueError("This regularizer is none and cannot be called.");
  return impl_->call(values);
}

io::Json Regularizer::to_config() const {
  if (is_empty()) return nullptr;
  const std::string class_name = impl_->class_name();
  return find_regularizer(class_name) != nullptr ? keras_object("keras.regularizers", class_name, impl_->get_config())
                                                 : custom_object<Regularizer>(class_name, impl_->get_config());
}

bool is_known_regularizer(const std::string& registered_name, const std::string& name) {
  return find_class<Regularizer>(registered_name, name) || find_regularizer(name) != nullptr;
}

Regularizer Regularizer::from_config(const io::Json& config) {
  if (config.is_null()) return {};
  if (config.is_string()) return Regularizer(config.as_string());
  const KerasObject object = read_keras_object(config, "regularizer");
  return from_name(object.class_name, object.config, object.registered_name);
}

}  // namespace rhyton::layers

namespace rhyton::regularizers {

L1::L1(double l1) : Regularizer(layers::make("L1", l1, 0.0)) {}
L2::L2(double l2) : Regularizer(layers::make("L2", 0.0, l2)) {}
L1L2::L1L2(double l1, double l2) : Regularizer(layers::make("L1L2", l1, l2)) {}
OrthogonalRegularizer::OrthogonalRegularizer(const OrthogonalRegularizerOptions& options)
    : Regularizer(std::make_shared<const layers::OrthogonalRegularizerImpl>(options)) {}

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for (const auto& named : layers::named_regularizers) {
    tables.push_back(named.options(std::string(named.class_name)));
  }
  return tables;
}

void register_regularizer(const std::string& class_name,
                          std::function<layers::Regularizer(const io::Json& config)> factory,
                          const std::string& package) {
  register_class<layers::Regularizer>(package, class_name, std::move(factory));
}

}  // namespace rhyton::regularizers
