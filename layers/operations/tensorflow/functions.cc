#include <rhyton/layers/operations/tensorflow/functions.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/layers/operations/tensorflow/function_call.h>

namespace rhyton::layers {
namespace {

using io::Json;
using tensorflow::Conversion;
using tensorflow::FunctionCall;
using tensorflow::Table;

const Table& functions() {
  static const Table table = [] {
    Table all;
    tensorflow::add_elementwise_functions(all);
    tensorflow::add_reductions(all);
    tensorflow::add_shape_functions(all);
    tensorflow::add_selections(all);
    return all;
  }();
  return table;
}

std::string name_of_layer(const Json& entry) {
  const Json* const name = entry.find("name");
  return (name != nullptr ? *name : entry["config"]["name"]).as_string();
}

const std::string& name_of_function(const Json& entry) { return entry["config"]["function"].as_string(); }

const Conversion& conversion_of(const Json& entry) {
  const auto found = functions().find(name_of_function(entry));
  if (found != functions().end()) return found->second;
  throw NotImplementedError("Rhyton has no operation for the function 'tf." + name_of_function(entry) +
                            "' of TensorFlow, which layer '" + name_of_layer(entry) + "' calls.");
}

}  // namespace

bool is_tensorflow_function(const Json& entry) {
  const Json* const class_name = entry.find("class_name");
  if (class_name == nullptr || !class_name->is_string()) return false;
  if (class_name->as_string() != "TFOpLambda" && class_name->as_string() != "SlicingOpLambda") return false;
  const Json* const config = entry.find("config");
  const Json* const function = config != nullptr && config->is_object() ? config->find("function") : nullptr;
  return function != nullptr && function->is_string();
}

void require_tensorflow_function(const Json& entry) { static_cast<void>(conversion_of(entry)); }

std::vector<SymbolicTensor> call_tensorflow_function(const Json& entry, const CallArguments& arguments) {
  const Conversion& conversion = conversion_of(entry);
  if (arguments.args.size() != 1) {
    throw ValueError("Layer '" + name_of_layer(entry) + "' of class " + entry["class_name"].as_string() +
                     " needs one argument by position.");
  }
  FunctionCall call(name_of_layer(entry), name_of_function(entry), arguments);
  try {
    const tensorflow::Step last = conversion(call);
    call.require_all_used();
    return call.finish(last);
  } catch (const TypeError& error) {
    throw TypeError(std::string(error.what()) + " (function 'tf." + name_of_function(entry) + "' of layer '" +
                    name_of_layer(entry) + "')");
  } catch (const ValueError& error) {
    throw ValueError(std::string(error.what()) + " (function 'tf." + name_of_function(entry) + "' of layer '" +
                     name_of_layer(entry) + "')");
  }
}

}  // namespace rhyton::layers
