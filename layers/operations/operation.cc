#include <rhyton/layers/operations/operation.h>

#include <algorithm>
#include <map>

#include <rhyton/framework/error.h>
#include <rhyton/layers/argument_json.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

class OperationImpl final : public LayerImpl {
 public:
  OperationImpl(const Operation& operation, Keywords options, const std::string& name,
                std::optional<std::vector<std::string>> saved_keys)
      : LayerImpl({.name = name}),
        operation_(operation),
        options_(std::move(options)),
        saved_keys_(std::move(saved_keys)) {
    mark_built();
  }

  const Operation& operation() const { return operation_; }

  std::string class_name() const override { return operation_.class_name; }
  bool autocasts() const override { return false; }
  std::vector<std::string> call_parameters() const override { return operation_.parameters; }
  bool takes_tensors_by_position() const override { return false; }
  // As in Keras, whose operations know nothing of masks.
  bool warns_of_lost_masks() const override { return false; }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    try {
      return operation_.compute(values_of(arguments));
    } catch (const TypeError& error) {
      throw TypeError(std::string(error.what()) + " (operation '" + name() + "' of class " + class_name() + ")");
    } catch (const NotImplementedError& error) {
      throw NotImplementedError(std::string(error.what()) + " (operation '" + name() + "' of class " + class_name() +
                                ")");
    }
  }

  /// Pooling moves by the pool size if it has no strides.
  std::int64_t largest_stride() const override {
    std::int64_t largest = 1;
    for (const auto& [option, argument] : options_) {
      if (option != "strides" && option != "pool_size") continue;
      for_each_leaf(argument, [&](const Argument& leaf) {
        if (leaf.is_number() && leaf.number().is_integer()) largest = std::max(largest, leaf.number().as_integer());
      });
    }
    return largest;
  }

  io::Json get_config() const override {
    std::vector<io::Json::Member> members;
    if (saved_keys_ ? is_saved("name") : operation_.writes_name) members.push_back({"name", name()});
    for (const auto& [option, argument] : options_) {
      if (is_saved(option)) members.push_back({option, argument_to_json(argument)});
    }
    return io::Json::object_from(std::move(members));
  }

  io::Json get_build_config() const override { return nullptr; }

 protected:
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override {
    if (operation_.infer) {
      std::vector<TensorSpec> specs = operation_.infer(values_of(arguments));
      if (!specs.empty()) return specs;
    }
    return LayerImpl::infer_outputs(arguments);
  }

  /// The arguments of a call and then the options.
  std::vector<Argument> values_of(const BoundArguments& arguments) const {
    std::vector<Argument> values;
    for (const auto& [parameter, argument] : arguments.all()) values.push_back(argument);
    for (const auto& [option, argument] : options_) values.push_back(argument);
    return values;
  }

 private:
  bool is_saved(const std::string& key) const {
    return !saved_keys_ || std::find(saved_keys_->begin(), saved_keys_->end(), key) != saved_keys_->end();
  }

  const Operation& operation_;
  /// All options, in the order of the row.
  Keywords options_;
  std::optional<std::vector<std::string>> saved_keys_;
};

}  // namespace

const std::vector<Operation>& all_operations() {
  static const std::vector<Operation> operations = [] {
    std::vector<Operation> all;
    for (const auto& table : {
             arithmetic_operations(),
             indexing_operations(),
             activation_operations(),
             nn_operations(),
             window_operations(),
             block_operations(),
             core_operations(),
             math_operations(),
             linalg_operations(),
             fourier_operations(),
             image_operations(),
             image_cutting_operations(),
             numpy_elementwise_operations(),
             numpy_binary_operations(),
             numpy_reduction_operations(),
             numpy_statistics_operations(),
             numpy_shaping_operations(),
             numpy_joining_operations(),
             numpy_indexing_operations(),
             numpy_product_operations(),
             numpy_creation_operations(),
         }) {
      all.insert(all.end(), table.begin(), table.end());
    }
    return all;
  }();
  return operations;
}

void require_outputs(std::int64_t outputs) {
  if (outputs <= max_outputs) return;
  throw ValueError("An operation can have at most " + std::to_string(max_outputs) +
                   " outputs. Received: " + std::to_string(outputs));
}

const Operation* find_operation(std::string_view class_name) {
  static const std::map<std::string, const Operation*, std::less<>> by_class = [] {
    std::map<std::string, const Operation*, std::less<>> map;
    for (const Operation& operation : all_operations()) map.emplace(operation.class_name, &operation);
    return map;
  }();
  const auto found = by_class.find(class_name);
  return found == by_class.end() ? nullptr : found->second;
}

Layer operation_layer(const Operation& operation, const Keywords& options, const std::string& name,
                      std::optional<std::vector<std::string>> saved_keys) {
  Keywords all = operation.options;
  for (const auto& [option, argument] : options) {
    const auto place =
        std::find_if(all.begin(), all.end(), [&, &key = option](const auto& entry) { return entry.first == key; });
    if (place == all.end()) {
      throw TypeError(operation.class_name + ".__init__() got an unexpected keyword argument '" + option + "'");
    }
    place->second = argument;
  }
  return make_layer<OperationImpl>(operation, std::move(all), name, std::move(saved_keys));
}

const Operation* operation_of(const LayerImpl& layer) {
  const auto* const impl = dynamic_cast<const OperationImpl*>(&layer);
  return impl == nullptr ? nullptr : &impl->operation();
}

std::vector<SymbolicTensor> call_operation(std::string_view class_name, PositionalArguments arguments,
                                           PositionalArguments options) {
  const Operation* const operation = find_operation(class_name);
  if (operation == nullptr || options.size() > operation->options.size()) {
    throw RuntimeError("There is no operation '" + std::string(class_name) + "' with these options.");
  }
  Keywords named;
  for (std::size_t i = 0; i < options.size(); ++i) {
    named.emplace_back(operation->options[i].first, std::move(options[i]));
  }
  CallArguments call{.args = std::move(arguments)};
  for (std::size_t i = operation->by_position; i < call.args.size(); ++i) {
    call.kwargs.emplace_back(operation->parameters.at(i), std::move(call.args[i]));
  }
  call.args.resize(std::min(call.args.size(), operation->by_position));
  return operation_layer(*operation, named).impl()->call_symbolic(call);
}

SymbolicTensor operation_output(std::string_view class_name, PositionalArguments arguments,
                                PositionalArguments options) {
  return call_operation(class_name, std::move(arguments), std::move(options)).at(0);
}

}  // namespace rhyton::layers
