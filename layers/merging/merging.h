#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

// Layers that join a list of tensors: `Add()({a, b})`. All but Concatenate work element by element: lengths of 1 are
// broadcast, and tensors of lower rank get axes of length 1 behind the batch. They throw ValueError in Keras's words
// when called with a tensor that is in no list, or with shapes that do not fit. See
// https://keras.io/api/layers/merging_layers.

namespace rhyton::layers {

struct MergeOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// The sum.
class Add : public Layer {
 public:
  explicit Add(const MergeOptions& options = {});
  static Add from_config(const io::Json& config);
};

/// The first of two less the second.
class Subtract : public Layer {
 public:
  explicit Subtract(const MergeOptions& options = {});
  static Subtract from_config(const io::Json& config);
};

/// The product.
class Multiply : public Layer {
 public:
  explicit Multiply(const MergeOptions& options = {});
  static Multiply from_config(const io::Json& config);
};

/// The mean.
class Average : public Layer {
 public:
  explicit Average(const MergeOptions& options = {});
  static Average from_config(const io::Json& config);
};

/// The largest.
class Maximum : public Layer {
 public:
  explicit Maximum(const MergeOptions& options = {});
  static Maximum from_config(const io::Json& config);
};

/// The smallest.
class Minimum : public Layer {
 public:
  explicit Minimum(const MergeOptions& options = {});
  static Minimum from_config(const io::Json& config);
};

/// Fields in the order of `keras.layers.Concatenate`.
struct ConcatenateOptions {
  ByName by_name = ByName();
  int axis = -1;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// One after the other along an axis; all other lengths are equal.
class Concatenate : public Layer {
 public:
  explicit Concatenate(const ConcatenateOptions& options = {});
  static Concatenate from_config(const io::Json& config);
};

}  // namespace rhyton::layers
