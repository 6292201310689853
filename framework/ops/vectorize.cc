#include <rhyton/framework/ops/vectorize.h>

#include <cstddef>
#include <map>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/scan.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/regular_expression.h>

namespace rhyton {
inline namespace ops {
namespace {

using CoreAxes = std::vector<std::string>;
using ManyResults = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// The named axes of the arguments and the results.
struct Signature {
  std::vector<CoreAxes> inputs;
  std::vector<CoreAxes> outputs;
};

/// Of "(n),(m,n)".
std::vector<CoreAxes> core_axes_of(const std::string& text) {
  static const RegularExpression argument(R"(\([^)]*\))");
  static const RegularExpression name(R"(\w+)");
  std::vector<CoreAxes> all;
  for (const std::string& names : argument.find_all(text)) all.push_back(name.find_all(names));
  return all;
}

Signature signature_of(const std::string& text) {
  const std::string argument = R"(\((\w+(,\w+)*)?\))";
  const std::string list = argument + "(," + argument + ")*";
  if (!RegularExpression(list + "->" + list).matches(text)) {
    throw ValueError("not a valid gufunc signature: " + text);
  }
  const std::size_t arrow = text.find("->");
  return {core_axes_of(text.substr(0, arrow)), core_axes_of(text.substr(arrow + 2))};
}

std::string names_text(const CoreAxes& axes) {
  std::string text = "(";
  for (const std::string& name : axes) text += (text.size() > 1 ? ", '" : "'") + name + "'";
  return text + (axes.size() == 1 ? ",)" : ")");
}

/// The lengths of named axes.
class CoreLengths {
 public:
  /// Those of an argument, whose last axes they are.
  void add_input(const Shape& shape, const CoreAxes& axes) {
    if (shape.rank() < static_cast<int>(axes.size())) {
      throw ValueError("input with shape " + shape.to_string() +
                       " does not have enough dimensions for all core dimensions " + names_text(axes));
    }
    add(shape, axes);
  }

  /// Those of a result, whose only axes they are.
  void add_output(const Shape& shape, const CoreAxes& axes) {
    if (shape.rank() != static_cast<int>(axes.size())) {
      throw ValueError("output shape " + shape.to_string() + " does not match core dimensions " + names_text(axes));
    }
    add(shape, axes);
  }

 private:
  void add(const Shape& shape, const CoreAxes& axes) {
    const int first = shape.rank() - static_cast<int>(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t length = shape[first + static_cast<int>(i)];
      const auto [known, is_new] = lengths_.emplace(axes[i], length);
      if (is_new || known->second == length) continue;
      throw ValueError("inconsistent size for core dimension " + axes[i] + ": " + std::to_string(length) + " vs " +
                       std::to_string(known->second));
    }
  }

  std::map<std::string, std::int64_t> lengths_;
};

/// The result of pyfunc, whose shapes fit the signature.
std::vector<Tensor> checked_call(const ManyResults& pyfunc, const std::vector<Tensor>& arguments, CoreLengths lengths,
                                 const std::vector<CoreAxes>& outputs) {
  std::vector<Tensor> results = pyfunc(arguments);
  if (!outputs.empty() && results.size() != outputs.size()) {
    throw TypeError("wrong number of output arguments: expected " + std::to_string(outputs.size()) + ", got " +
                    std::to_string(results.size()));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    lengths.add_output(results[i].shape(), outputs.empty() ? CoreAxes() : outputs[i]);
  }
  return results;
}

std::vector<Tensor> call_vectorized(const ManyResults& pyfunc, const Signature& signature, bool has_signature,
                                    const std::vector<Tensor>& arguments) {
  const std::vector<CoreAxes> inputs = has_signature ? signature.inputs : std::vector<CoreAxes>(arguments.size());
  if (arguments.size() != inputs.size() || arguments.empty()) {
    throw TypeError("wrong number of positional arguments: expected " + std::to_string(inputs.size()) + ", got " +
                    std::to_string(arguments.size()));
  }
  CoreLengths lengths;
  Shape places;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = arguments[i].shape();
    lengths.add_input(shape, inputs[i]);
    places = broadcast_shapes(places, shape.slice(0, shape.rank() - static_cast<int>(inputs[i].size())));
  }
  const auto call = [&](const std::vector<Tensor>& rows) {
    return checked_call(pyfunc, rows, lengths, signature.outputs);
  };
  if (places.rank() == 0) return call(arguments);

  std::vector<Tensor> rows;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = arguments[i].shape();
    const Shape core = shape.slice(shape.rank() - static_cast<int>(inputs[i].size()), shape.rank());
    rows.push_back(
        reshape(broadcast_to(arguments[i], places.concatenate(core)), Shape{places.size()}.concatenate(core)));
  }
  std::vector<Tensor> results = map(call, rows);
  for (Tensor& result : results) {
    result = reshape(result, places.concatenate(result.shape().slice(1, result.rank())));
  }
  return results;
}

}  // namespace

ManyResults vectorize(const ManyResults& pyfunc, const std::string& text) {
  const bool has_signature = !text.empty();
  const Signature signature = has_signature ? signature_of(text) : Signature();
  return [pyfunc, signature, has_signature](const std::vector<Tensor>& arguments) {
    return call_vectorized(pyfunc, signature, has_signature, arguments);
  };
}

std::function<Tensor(const std::vector<Tensor>&)> vectorize(
    const std::function<Tensor(const std::vector<Tensor>&)>& pyfunc, const std::string& text) {
  const ManyResults many =
      vectorize(ManyResults([pyfunc](const std::vector<Tensor>& x) { return std::vector<Tensor>{pyfunc(x)}; }), text);
  return [many](const std::vector<Tensor>& arguments) { return many(arguments).at(0); };
}

}  // namespace ops
}  // namespace rhyton
