#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// The named parts of a batch, with one `T` for each of their arrays: Tensor, TensorSpec. `y` and `sample_weight` have
/// one array per output of the model, or none.
///
/// A further part needs a member here and a line in `for_each_part`; `datasets::Batch` and `datasets::BatchSpec` have
/// the same members. Streams, steps and signatures take whatever parts there are.
template <class T>
struct BatchParts {
  std::vector<T> x = {};
  std::vector<T> y = {};
  std::vector<T> sample_weight = {};

  friend bool operator==(const BatchParts&, const BatchParts&) = default;
};

/// Calls `function(name, part, …)` for each part in order, with that part of each of `batches`.
template <class Function, class... Batches>
void for_each_part(Function&& function, Batches&&... batches) {
  function("x", batches.x...);
  function("y", batches.y...);
  function("sample_weight", batches.sample_weight...);
}

/// The results of `function` for all arrays, in the same parts.
template <class T, class Function>
auto map_parts(const BatchParts<T>& batch, const Function& function) {
  BatchParts<std::remove_cvref_t<std::invoke_result_t<const Function&, const T&>>> results;
  for_each_part(
      [&](const char*, const auto& part, auto& mapped) {
        mapped.reserve(part.size());
        for (const T& array : part) mapped.push_back(function(array));
      },
      batch, results);
  return results;
}

/// All arrays, part by part: the order of the arguments of a compiled step.
template <class T>
std::vector<T> flat(const BatchParts<T>& batch) {
  std::vector<T> all;
  for_each_part([&](const char*, const auto& part) { all.insert(all.end(), part.begin(), part.end()); }, batch);
  return all;
}

/// The inverse of `flat`: the values in parts of the sizes that those of `like` have. There must be as many values as
/// arrays, or more, which are left out.
template <class T, class U>
BatchParts<T> parts_like(const BatchParts<U>& like, const std::vector<T>& values) {
  BatchParts<T> parts;
  auto next = values.begin();
  for_each_part(
      [&](const char*, const auto& sizes, auto& part) {
        const auto end = next + static_cast<std::ptrdiff_t>(sizes.size());
        part.assign(next, end);
        next = end;
      },
      like, parts);
  return parts;
}

/// The shape and dtype of each array.
inline BatchParts<TensorSpec> specs_of(const BatchParts<Tensor>& batch) {
  return map_parts(batch, [](const Tensor& array) { return array.spec(); });
}

}  // namespace rhyton::training
