#include <rhyton/layers/constraints.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/layers/keras_object.h>
#include <rhyton/layers/option_tables.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::constraints {
namespace {

using layers::Constraint;

Tensor norms_of(const Tensor& weight, const layers::OptionalAxes& axis) {
  const Tensor squares = square(weight);
  if (!axis.value()) return sqrt(sum(squares, {}, true));
  const std::vector<int> axes = axis.value()->of(weight.shape());
  return sqrt(axes.empty() ? squares : sum(squares, axes, true));
}

/// The weight with norms of that size.
Tensor rescaled(const Tensor& weight, const Tensor& norms, const Tensor& desired) {
  return multiply(weight, divide(desired, add(norms, context().epsilon())));
}

/// The options of constraints without arguments.
struct NoConstraintOptions {
  template <class Self, class Fields>
  static void visit(Self& /*self*/, Fields& /*fields*/) {}
};

/// Keras's base class, which leaves weights as they are.
Tensor projected(const Tensor& weight, const NoConstraintOptions& /*options*/) { return weight; }

Tensor projected(const Tensor& weight, const MaxNormOptions& options) {
  const Tensor norms = norms_of(weight, options.axis);
  return rescaled(weight, norms, clip_by_value(norms, 0.0, options.max_value));
}

Tensor projected(const Tensor& weight, const MinMaxNormOptions& options) {
  const Tensor norms = norms_of(weight, options.axis);
  const Tensor nearest = clip_by_value(norms, options.min_value, options.max_value);
  return rescaled(weight, norms, add(multiply(nearest, options.rate), multiply(norms, 1.0 - options.rate)));
}

struct NonNegOptions {
  template <class Self, class Fields>
  static void visit(Self& /*self*/, Fields& /*fields*/) {}
};

Tensor projected(const Tensor& weight, const NonNegOptions& /*options*/) { return maximum(weight, 0.0); }

Tensor projected(const Tensor& weight, const UnitNormOptions& options) {
  return divide(weight, add(norms_of(weight, options.axis), context().epsilon()));
}

template <class Options>
class BuiltInConstraint final : public layers::ConstraintImpl {
 public:
  BuiltInConstraint(std::string_view class_name, const Options& options) : class_name_(class_name), options_(options) {}

  Tensor call(const Tensor& weight) const override { return projected(weight, options_); }
  std::string class_name() const override { return class_name_; }
  io::Json get_config() const override { return written(options_); }

 private:
  std::string class_name_;
  Options options_;
};

template <class Options>
Constraint made(std::string_view class_name, const Options& options) {
  return Constraint(std::make_shared<const BuiltInConstraint<Options>>(class_name, options));
}

template <class Options>
Constraint read(std::string_view class_name, const io::Json& config) {
  ConfigReader reader("constraint", std::string(class_name), config);
  Options options;
  Options::visit(options, reader);
  reader.finish();
  return made(class_name, options);
}

template <class Options>
OptionTable constraint_table(std::string_view class_name) {
  return option_table<Options>(std::string(class_name),
                               [](const auto& options, auto& rows) { Options::visit(options, rows); });
}

struct NamedConstraint {
  std::string_view class_name;
  /// Keras's other name for it.
  std::string_view name;
  Constraint (*from_config)(std::string_view class_name, const io::Json& config);
  OptionTable (*options)(std::string_view class_name);
};

template <class Options>
constexpr NamedConstraint named_constraint(std::string_view class_name, std::string_view name) {
  return {class_name, name, read<Options>, constraint_table<Options>};
}

constexpr std::array named_constraints = {
    named_constraint<NoConstraintOptions>("Constraint", "constraint"),
    named_constraint<MaxNormOptions>("MaxNorm", "max_norm"),
    named_constraint<MinMaxNormOptions>("MinMaxNorm", "min_max_norm"),
    named_constraint<NonNegOptions>("NonNeg", "non_neg"),
    named_constraint<UnitNormOptions>("UnitNorm", "unit_norm"),
};

const NamedConstraint* find_constraint(std::string_view name) {
  for (const NamedConstraint& named : named_constraints) {
    if (named.class_name == name || named.name == name) return &named;
  }
  return nullptr;
}

Constraint constraint_named(const std::string& name, const io::Json& config, const std::string& registered = {}) {
  if (const auto factory = find_class<Constraint>(registered, name)) return factory(config);
  const NamedConstraint* const named = find_constraint(name);
  if (named == nullptr) throw ValueError("Could not interpret constraint identifier: " + name);
  return named->from_config(named->class_name, config);
}

}  // namespace

MaxNorm::MaxNorm(const MaxNormOptions& options) : Constraint(made("MaxNorm", options)) {}
MinMaxNorm::MinMaxNorm(const MinMaxNormOptions& options) : Constraint(made("MinMaxNorm", options)) {}
NonNeg::NonNeg() : Constraint(made("NonNeg", NonNegOptions())) {}
UnitNorm::UnitNorm(const UnitNormOptions& options) : Constraint(made("UnitNorm", options)) {}

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for (const NamedConstraint& named : named_constraints) tables.push_back(named.options(named.class_name));
  return tables;
}

void register_constraint(const std::string& class_name,
                         std::function<layers::Constraint(const io::Json& config)> factory,
                         const std::string& package) {
  register_class<layers::Constraint>(package, class_name, std::move(factory));
}

}  // namespace rhyton::constraints

namespace rhyton::layers {

Constraint::Constraint(const char* name) : Constraint(std::string(name)) {}

Constraint::Constraint(const std::string& name) : Constraint(constraints::constraint_named(name, io::Json::object())) {}

Tensor Constraint::operator()(const Tensor& weight) const {
  if (is_empty()) throw ValueError("This constraint is none and cannot be called.");
  return impl_->call(weight);
}

io::Json Constraint::to_config() const {
  if (is_empty()) return nullptr;
  const std::string class_name = impl_->class_name();
  return constraints::find_constraint(class_name) != nullptr
             ? keras_object("keras.constraints", class_name, impl_->get_config())
             : custom_object<Constraint>(class_name, impl_->get_config());
}

bool is_known_constraint(const std::string& registered_name, const std::string& name) {
  return find_class<Constraint>(registered_name, name) || constraints::find_constraint(name) != nullptr;
}

Constraint Constraint::from_config(const io::Json& config) {
  if (config.is_null()) return {};
  if (config.is_string()) return Constraint(config.as_string());
  const KerasObject object = read_keras_object(config, "constraint");
  return constraints::constraint_named(object.class_name, object.config, object.registered_name);
}

}  // namespace rhyton::layers
