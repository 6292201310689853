#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::test {

/// The elements of tensors, to be compared bit by bit.
using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(const std::vector<Tensor>& tensors) {
  Bytes bytes;
  for (const Tensor& tensor : tensors) {
    const auto* const data = static_cast<const std::byte*>(tensor.raw_data());
    bytes.insert(bytes.end(), data, data + tensor.spec().bytes());
  }
  return bytes;
}

/// Two dense layers on 6 numbers.
inline models::Sequential dense_model() {
  return models::Sequential({layers::Input({.shape = {6}}), layers::Dense(16, {.activation = "relu"}),
                             layers::Dense(3, {.activation = "softmax"})});
}

/// A convolution on images of any size, whose channels are averaged.
inline models::Sequential image_model() {
  return models::Sequential({layers::Input({.shape = {-1, -1, 2}}), layers::Conv2D(16, {3, 3}, {.activation = "relu"}),
                             layers::GlobalAveragePooling2D(), layers::Dense(3)});
}

/// Classes 0 to 2, int32 [n].
inline Tensor labels(std::int64_t n) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<std::int32_t>(i % 3));
  return Tensor::from_data<std::int32_t>({n}, values);
}

inline models::CompileOptions options_of_classifier(double learning_rate = 0.05) {
  return {.optimizer = optimizers::SGD({.learning_rate = learning_rate}),
          .loss = "sparse_categorical_crossentropy",
          .metrics = {"accuracy"}};
}

}  // namespace rhyton::test
