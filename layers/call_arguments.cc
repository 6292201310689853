#include <rhyton/layers/call_arguments.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {
namespace {

bool is_any_tensor(const Argument& argument) { return argument.is_tensor() || argument.is_symbolic(); }

/// The type as Python names it.
const char* type_name(const Argument& argument) {
  if (argument.is_string()) return "str";
  if (argument.is_slice()) return "slice";
  if (argument.is_ellipsis()) return "ellipsis";
  if (!argument.is_number()) return "object";
  return argument.number().is_bool() ? "bool" : argument.number().is_integer() ? "int" : "float";
}

void require_tensors_by_position(const CallArguments& arguments) {
  for (const Argument& argument : arguments.args) {
    for_each_leaf(argument, [](const Argument& leaf) {
      if (leaf.is_none() || is_any_tensor(leaf)) return;
      throw ValueError(
          "Only input tensors may be passed as positional arguments. The following argument value should be passed as "
          "a keyword argument: " +
          leaf.to_string() + " (of type <class '" + type_name(leaf) + "'>)");
    });
  }
}

void require_uniform(const std::string& name, const Argument& argument) {
  if (!argument.is_list() && !argument.is_dictionary()) return;
  bool has_tensors = false;
  bool has_others = false;
  for_each_leaf(argument, [&](const Argument& leaf) {
    has_tensors = has_tensors || is_any_tensor(leaf);
    has_others = has_others || !(is_any_tensor(leaf) || leaf.is_none());
  });
  if (!has_tensors || !has_others) return;
  throw ValueError(
      "In a nested call() argument, you cannot mix tensors and non-tensors. Received invalid mixed argument: " + name +
      "=" + argument.to_string());
}

}  // namespace

void for_each_leaf(const CallArguments& arguments, const std::function<void(const Argument&)>& visit) {
  for (const Argument& argument : arguments.args) for_each_leaf(argument, visit);
  for_each_leaf(Argument::dictionary(arguments.kwargs), visit);
}

CallArguments map_leaves(const CallArguments& arguments, const std::function<Argument(const Argument&)>& change) {
  CallArguments result;
  for (const Argument& argument : arguments.args) result.args.push_back(map_leaves(argument, change));
  result.kwargs = map_leaves(Argument::dictionary(arguments.kwargs), change).dictionary();
  return result;
}

bool holds_tensors(const Argument& argument) {
  bool result = false;
  for_each_leaf(argument, [&](const Argument& leaf) { result = result || is_any_tensor(leaf); });
  return result;
}

BoundArguments::BoundArguments(const LayerImpl& layer, const CallArguments& arguments)
    : class_name_(layer.class_name()), name_(layer.name()) {
  const auto refuse = [&](const std::string& detail) {
    throw TypeError(class_name_ + ".call() " + detail + " (layer \"" + name_ + "\")");
  };
  if (layer.takes_tensors_by_position()) require_tensors_by_position(arguments);
  for (const std::string& parameter : layer.call_parameters()) arguments_.emplace_back(parameter, Argument());
  if (arguments_.empty()) throw RuntimeError("Layer \"" + name_ + "\" has no parameters: see `call_parameters`.");
  std::size_t by_position = arguments_.size();
  std::vector<bool> is_given(arguments_.size(), false);
  if (!arguments_.empty() && arguments_.back().first.starts_with('*')) {
    // Python's `*operands`.
    --by_position;
    const std::size_t first = std::min(by_position, arguments.args.size());
    arguments_.back().second =
        Argument::List(arguments.args.begin() + static_cast<std::ptrdiff_t>(first), arguments.args.end());
    is_given.back() = true;
  } else if (arguments.args.size() > by_position) {
    refuse("got too many positional arguments: expected at most " + std::to_string(by_position) +
           ". Received: " + std::to_string(arguments.args.size()));
  }
  for (std::size_t i = 0; i < std::min(by_position, arguments.args.size()); ++i) {
    arguments_[i].second = arguments.args[i];
    is_given[i] = true;
  }
  for (const auto& [keyword, argument] : arguments.kwargs) {
    const auto place = std::find_if(arguments_.begin(), arguments_.end(),
                                    [&, &key = keyword](const auto& entry) { return entry.first == key; });
    if (place == arguments_.end()) refuse("got an unexpected keyword argument '" + keyword + "'");
    if (is_given[static_cast<std::size_t>(place - arguments_.begin())]) {
      refuse("got multiple values for argument '" + keyword + "'");
    }
    is_given[static_cast<std::size_t>(place - arguments_.begin())] = true;
    place->second = argument;
  }
  if (!is_given.empty() && !is_given.front()) refuse("missing a required argument: '" + arguments_.front().first + "'");
  arguments_.front().second = layer.arrange_inputs(std::move(arguments_.front().second));
  if (!layer.takes_tensors_by_position()) return;
  for (const auto& [parameter, argument] : arguments_) require_uniform(parameter, argument);
}

const Argument& BoundArguments::operator[](std::string_view parameter) const {
  for (const auto& [name, argument] : arguments_) {
    if (name == parameter) return argument;
  }
  throw ValueError(class_name_ + ".call() has no parameter '" + std::string(parameter) + "' (layer \"" + name_ + "\")");
}

bool BoundArguments::has_parameter(std::string_view parameter) const {
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const auto& entry) { return entry.first == parameter; });
}

void BoundArguments::set(std::string_view parameter, Argument value) {
  const auto place =
      std::find_if(arguments_.begin(), arguments_.end(), [&](const auto& entry) { return entry.first == parameter; });
  if (place != arguments_.end()) place->second = std::move(value);
}

void BoundArguments::change_leaves(const std::function<Argument(const Argument&)>& change) {
  for (auto& [name, argument] : arguments_) argument = map_leaves(argument, change);
}

Tensor BoundArguments::tensor(std::string_view parameter) const {
  const Argument& given = (*this)[parameter];
  const bool is_list_of_one = given.is_list() && given.list().size() == 1;
  const Argument& argument = is_list_of_one ? given.list().front() : given;
  return argument.is_none() ? Tensor() : argument.tensor();
}

bool BoundArguments::boolean(std::string_view parameter, bool fallback) const {
  const Argument& argument = (*this)[parameter];
  return argument.is_none() ? fallback : argument.number().as_double() != 0;
}

double BoundArguments::number(std::string_view parameter, double fallback) const {
  const Argument& argument = (*this)[parameter];
  return argument.is_none() ? fallback : argument.number().as_double();
}

}  // namespace rhyton::layers
