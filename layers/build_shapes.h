#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/argument.h>

namespace rhyton::layers {

/// No shape for a parameter, in Python's words; to be caught where the layer is known.
class MissingShapeError final : public TypeError {
 public:
  using TypeError::TypeError;
};

/// Several shapes for a parameter that takes one tensor; likewise.
class SeveralShapesError final : public ValueError {
 public:
  using ValueError::ValueError;
};

/// The shapes that a layer is built for, by the parameters of its call: what Keras passes to
/// `build(query_shape, value_shape, key_shape=None)`. The first parameter is that of the inputs.
///
/// ```
/// attention.build_with({{"query", {-1, 4, 8}}, {"value", {-1, 6, 8}}});
/// ```
class BuildShapes {
 public:
  /// The shapes of the tensors of one argument.
  struct Entry {
    /// A tensor of this shape.
    Entry(std::string parameter, const Shape& shape);
    /// The tensors of an argument, alone, in a list or in a dictionary.
    Entry(std::string parameter, const std::vector<Shape>& shapes, io::Json form);

    std::string parameter;
    /// In the order of `for_each_leaf`.
    std::vector<Shape> shapes;
    /// In the form of the argument: [null, 4, 8], or a list of those.
    io::Json form;
  };

  BuildShapes() = default;
  BuildShapes(std::initializer_list<Entry> entries) : entries_(entries) {}
  /// The shapes of the inputs only.
  BuildShapes(std::string parameter, const std::vector<Shape>& shapes);

  /// The shapes in a `build_config`, `{"input_shape": …}` or `{"shapes_dict": {"query_shape": …}}`, of these
  /// parameters; empty if there are none of the first one. Throws ValueError, naming the parameter, for what is no
  /// shape.
  static BuildShapes from_json(const io::Json& build_config, const std::vector<std::string>& parameters);
  /// The same form: `input_shape` if there is one parameter.
  io::Json to_json() const;

  /// Adds the shapes of an argument's tensors. Nothing for an argument without tensors.
  void add(const std::string& parameter, const Argument& argument);
  /// The same shapes with batches of any size.
  BuildShapes for_any_batch() const;
  /// The shapes of these parameters in their order, without those of others.
  BuildShapes in_order_of(const std::vector<std::string>& parameters) const;

  const std::vector<Entry>& entries() const { return entries_; }
  bool is_empty() const { return entries_.empty(); }
  bool has(std::string_view parameter) const { return find(parameter) != nullptr; }
  /// The shape of the parameter's tensor. Throws MissingShapeError if it has none, SeveralShapesError for several.
  const Shape& operator[](std::string_view parameter) const;
  /// The shapes of the parameter's tensors; none if it has none.
  std::vector<Shape> all(std::string_view parameter) const;
  /// The shapes of the inputs.
  const std::vector<Shape>& inputs() const;

 private:
  const Entry* find(std::string_view parameter) const;

  std::vector<Entry> entries_;
};

/// The shapes of the tensors and symbolic tensors of an argument, in the order of `for_each_leaf`.
std::vector<Shape> shapes_of(const Argument& argument);

}  // namespace rhyton::layers
