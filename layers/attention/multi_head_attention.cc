#include <rhyton/layers/attention/multi_head_attention.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/attention/projected_attention.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_errors.h>

namespace rhyton::layers {
namespace {

/// -1 for the lengths that follow from the input, and the others.
Shape after_unknown(int unknown, const std::vector<std::int64_t>& lengths) {
  Shape shape;
  for (int i = 0; i < unknown; ++i) shape.push_back(-1);
  for (const std::int64_t length : lengths) shape.push_back(length);
  return shape;
}

class MultiHeadAttentionImpl final : public ProjectedAttentionImpl {
 public:
  explicit MultiHeadAttentionImpl(const MultiHeadAttentionArguments& arguments)
      : ProjectedAttentionImpl({.name = arguments.name, .dtype = arguments.dtype, .trainable = arguments.trainable},
                               settings_of(checked(arguments), arguments.key_dim)),
        arguments_(arguments) {
    arguments_.value_dim = arguments.value_dim.value_or(arguments.key_dim);
    if (arguments.attention_axes.has_value()) arguments_.attention_axes = Axes(arguments.attention_axes->values());
  }

  std::string class_name() const override { return MultiHeadAttention::keras_name; }
  bool takes_masks_off() const override { return true; }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 protected:
  void prepare_build(const InputShapes& shapes) override {
    require_same_steps(shapes);
    const int rank = shapes.value.rank();
    const std::vector<int> axes = attention_axes(rank);
    if (rank + 1 > Shape::max_rank || rank + static_cast<int>(axes.size()) > Shape::max_rank) {
      throw ValueError("Layer \"" + name() + "\" cannot attend over " + std::to_string(axes.size()) +
                       " axes of a value of " + std::to_string(rank) + " dimensions: the attention scores would have " +
                       "more than " + std::to_string(Shape::max_rank) + " dimensions.");
    }
    equations_ = attention_equations(rank + 1, axes);
    arguments_.attention_axes = Axes(axes);
  }

  Projection query_projection(int rank) const override { return projection("query", rank, arguments_.key_dim); }
  Projection key_projection(int rank) const override { return projection("key", rank, arguments_.key_dim); }
  Projection value_projection(int rank) const override { return projection("value", rank, *arguments_.value_dim); }
  Projection gate_projection(int rank) const override {
    Projection gate = projection("gate", rank, *arguments_.value_dim);
    gate.is_gate = true;
    return gate;
  }
  Projection output_projection(const Shape& query) const override {
    const Shape lengths = output_lengths(query);
    const std::vector<std::int64_t> values(lengths.begin(), lengths.end());
    return {.name = "attention_output",
            .equation = projection_equation(query.rank() - 1, 2, lengths.rank()),
            .output_shape = after_unknown(query.rank() - 2, values)};
  }
  Layer make_softmax() const override {
    std::vector<int> axes;
    const int rank = equations_.rank_of_scores();
    for (int axis = rank - static_cast<int>(equations_.attention_axes.size()); axis < rank; ++axis) {
      axes.push_back(axis);
    }
    return Softmax({.axis = axes, .dtype = dtype_policy()});
  }
  void check_symbolic(const InputShapes& shapes) const override { require_same_steps(shapes); }
  Shape output_lengths(const Shape& query) const override {
    if (arguments_.output_shape.is_that_of_query()) return {query.at(-1)};
    return Shape(arguments_.output_shape.lengths());
  }

 private:
  static const MultiHeadAttentionArguments& checked(const MultiHeadAttentionArguments& arguments) {
    const auto require_positive = [](const std::string& argument, std::int64_t value, const char* expected) {
      if (value > 0) return;
      throw ValueError("Received an invalid value for argument `" + argument + "`, expected " + expected +
                       ". Received: " + argument + "=" + std::to_string(value));
    };
    require_positive("num_heads", arguments.num_heads, "a positive integer");
    require_positive("key_dim", arguments.key_dim, "a positive integer");
    if (arguments.value_dim) require_positive("value_dim", *arguments.value_dim, "a positive integer or `None`");
    require_window(arguments.sliding_window);
    require_no_dropout_in_flash(arguments.flash_attention, arguments.dropout);
    return arguments;
  }

  void require_same_steps(const InputShapes& shapes) const {
    const auto middle = [](const Shape& shape) { return shape.slice(1, std::max(shape.rank() - 1, 1)); };
    if (shapes.value.rank() > 0 && shapes.key.rank() > 0 && middle(shapes.value) == middle(shapes.key)) return;
    refuse_steps(shapes);
  }

  Projection projection(const std::string& name, int rank, std::int64_t size) const {
    return {.name = name,
            .equation = projection_equation(rank - 1, 1, 2),
            .output_shape = after_unknown(rank - 2, {arguments_.num_heads, size})};
  }

  /// Counted from the front.
  std::vector<int> attention_axes(int rank) const {
    std::vector<int> axes;
    if (!arguments_.attention_axes.has_value()) {
      for (int axis = 1; axis < rank - 1; ++axis) axes.push_back(axis);
    } else {
      for (const int given : arguments_.attention_axes->values()) {
        const int axis = given < 0 ? rank + given : given;
        if (axis < 0 || axis >= rank || std::find(axes.begin(), axes.end(), axis) != axes.end()) {
          throw ValueError("The `attention_axes` of layer \"" + name() + "\" must be different axes of a value of " +
                           std::to_string(rank) +
                           " dimensions. Received: attention_axes=" + arguments_.attention_axes->to_config().dump());
        }
        axes.push_back(axis);
      }
    }
    if (axes.empty()) {
      throw ValueError("Layer \"" + name() + "\" needs an axis to attend over besides the batch and the last one. " +
                       "Received a value of " + std::to_string(rank) + " dimensions.");
    }
    return axes;
  }

  MultiHeadAttentionArguments arguments_;
};

const MultiHeadAttentionImpl& attention_impl(const Layer& layer) {
  return static_cast<const MultiHeadAttentionImpl&>(*layer.impl());
}

LoraLayer built_dense(const Layer& layer, const Layer& dense, const char* attribute) {
  if (!dense.is_empty()) return LoraLayer::from_layer(dense);
  throw ValueError("The layer \"" + layer.name() + "\" has no `" + attribute + "` before it is built.");
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t num_heads, std::int64_t key_dim,
                                       const MultiHeadAttentionOptions& options)
    : Layer(std::make_shared<MultiHeadAttentionImpl>(MultiHeadAttentionArguments{options, num_heads, key_dim})) {}

MultiHeadAttention MultiHeadAttention::from_layer(const Layer& layer) {
  if (dynamic_cast<const MultiHeadAttentionImpl*>(layer.impl().get()) != nullptr) return MultiHeadAttention(layer);
  throw TypeError("Expected a MultiHeadAttention. " +
                  (layer.is_empty() ? std::string("Received an empty handle.")
                                    : "Received layer '" + layer.name() + "' of class " + layer.class_name() + "."));
}

MultiHeadAttention MultiHeadAttention::from_config(const io::Json& config) {
  const auto arguments = read_layer<MultiHeadAttention>(config);
  return MultiHeadAttention(arguments.num_heads, arguments.key_dim, arguments);
}

void MultiHeadAttention::build(const Shape& query_shape, const Shape& value_shape,
                               const std::optional<Shape>& key_shape) const {
  build_with(shapes_of_query_value_and_key(query_shape, value_shape, key_shape));
}

LoraLayer MultiHeadAttention::query_dense() const {
  return built_dense(*this, attention_impl(*this).query_dense(), "query_dense");
}
LoraLayer MultiHeadAttention::key_dense() const {
  return built_dense(*this, attention_impl(*this).key_dense(), "key_dense");
}
LoraLayer MultiHeadAttention::value_dense() const {
  return built_dense(*this, attention_impl(*this).value_dense(), "value_dense");
}
LoraLayer MultiHeadAttention::output_dense() const {
  return built_dense(*this, attention_impl(*this).output_dense(), "output_dense");
}

}  // namespace rhyton::layers
