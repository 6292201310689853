#include <rhyton/datasets/categorical.h>

#include <algorithm>

#include <fmt/format.h>

#include <rhyton/framework/error.h>

namespace rhyton::datasets {

Tensor to_categorical(const Tensor& x, const std::optional<std::int64_t>& num_classes) {
  const Tensor numbers = x.cast(DType::int64);
  const auto classes = numbers.elements<std::int64_t>();
  const Shape& given = x.shape();
  const Shape shape = given.rank() > 1 && given.at(-1) == 1 ? given.slice(0, given.rank() - 1) : given;
  std::int64_t count = num_classes.value_or(0);
  if (count == 0) {
    if (classes.empty()) {
      throw ValueError("zero-size array to reduction operation maximum which has no identity");
    }
    count = *std::max_element(classes.begin(), classes.end()) + 1;
  }
  if (count < 0) throw ValueError("negative dimensions are not allowed");
  Tensor categorical = Tensor::zeros(shape.concatenate({count}));
  float* row = categorical.mutable_data<float>();
  for (const std::int64_t number : classes) {
    if (number < -count || number >= count) {
      throw InvalidArgumentError(fmt::format("index {} is out of bounds for axis 1 with size {}", number, count));
    }
    row[number < 0 ? number + count : number] = 1.0F;
    row += count;
  }
  return categorical;
}

Tensor to_categorical(const std::vector<std::int64_t>& x, const std::optional<std::int64_t>& num_classes) {
  return to_categorical(Tensor::from_data({static_cast<std::int64_t>(x.size())}, x), num_classes);
}

}  // namespace rhyton::datasets
