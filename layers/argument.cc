#include <rhyton/layers/argument.h>

#include <algorithm>
#include <sstream>

#include <rhyton/framework/error.h>

namespace rhyton::layers {
namespace {

/// Pointers to the entries of a dictionary, by key.
template <class Dictionary>
auto sorted_entries(Dictionary& dictionary) {
  std::vector<decltype(&dictionary.front())> entries;
  for (auto& entry : dictionary) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return entries;
}

std::string text_of(const Scalar& number) {
  if (number.is_bool()) return number.as_integer() != 0 ? "True" : "False";
  if (number.is_integer()) return std::to_string(number.as_integer());
  std::ostringstream text;
  text << number.as_double();
  return text.str();
}

std::string text_of(const Slice& slice) {
  const auto bound = [](const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : "None"; };
  return "slice(" + bound(slice.start) + ", " + bound(slice.stop) + ", " + bound(slice.step) + ")";
}

std::string text_of(const Tensor& tensor) {
  if (tensor.is_empty()) return "an empty tensor";
  return "Tensor(shape=" + tensor.shape().to_string() + ", dtype=" + std::string(name_of(tensor.dtype())) + ")";
}

/// The value of one kind.
template <class T, class Variant>
const T& value_of(const Variant& value, const char* expected, const Argument& argument) {
  if (const T* const held = std::get_if<T>(&value)) return *held;
  throw TypeError("Expected " + std::string(expected) + ". Received: " + argument.to_string());
}

}  // namespace

Argument Argument::dictionary(Dictionary entries) {
  Argument result;
  result.value_ = std::move(entries);
  return result;
}

const Scalar& Argument::number() const { return value_of<Scalar>(value_, "a number", *this); }
const std::string& Argument::string() const { return value_of<std::string>(value_, "a string", *this); }
const Tensor& Argument::tensor() const { return value_of<Tensor>(value_, "a tensor", *this); }
const SymbolicTensor& Argument::symbolic() const {
  return value_of<SymbolicTensor>(value_, "a symbolic tensor", *this);
}
const Slice& Argument::slice() const { return value_of<Slice>(value_, "a slice", *this); }
const Argument::List& Argument::list() const { return value_of<List>(value_, "a list", *this); }
const Argument::Dictionary& Argument::dictionary() const { return value_of<Dictionary>(value_, "a dictionary", *this); }

std::string Argument::to_string() const {
  if (is_none()) return "None";
  if (is_number()) return text_of(number());
  if (is_string()) return "'" + string() + "'";
  if (is_tensor()) return text_of(tensor());
  if (is_symbolic()) return symbolic().is_empty() ? "an empty symbolic tensor" : symbolic().to_string();
  if (is_slice()) return text_of(slice());
  if (is_ellipsis()) return "Ellipsis";
  std::string text;
  if (is_list()) {
    constexpr std::size_t shown = 10;
    for (std::size_t i = 0; i < std::min(list().size(), shown); ++i) {
      text += (i == 0 ? "" : ", ") + list()[i].to_string();
    }
    return "[" + text + (list().size() > shown ? ", …]" : "]");
  }
  for (const auto& [key, entry] : dictionary()) {
    text += (text.empty() ? "'" : ", '") + key + "': " + entry.to_string();
  }
  return "{" + text + "}";
}

void for_each_leaf(const Argument& argument, const std::function<void(const Argument&)>& visit) {
  if (argument.is_list()) {
    for (const Argument& entry : argument.list()) for_each_leaf(entry, visit);
  } else if (argument.is_dictionary()) {
    for (const auto* const entry : sorted_entries(argument.dictionary())) for_each_leaf(entry->second, visit);
  } else {
    visit(argument);
  }
}

Argument map_leaves(const Argument& argument, const std::function<Argument(const Argument&)>& change) {
  if (argument.is_list()) {
    Argument::List list;
    for (const Argument& entry : argument.list()) list.push_back(map_leaves(entry, change));
    return list;
  }
  if (!argument.is_dictionary()) return change(argument);
  Argument::Dictionary dictionary = argument.dictionary();
  for (auto* const entry : sorted_entries(dictionary)) entry->second = map_leaves(entry->second, change);
  return Argument::dictionary(std::move(dictionary));
}

std::vector<Tensor> tensors_of(const Argument& argument) {
  std::vector<Tensor> tensors;
  for_each_leaf(argument, [&](const Argument& leaf) {
    if (leaf.is_tensor()) tensors.push_back(leaf.tensor());
  });
  return tensors;
}

}  // namespace rhyton::layers
