#include <rhyton/layers/attention/group_query_attention.h>

#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/attention/projected_attention.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class GroupQueryAttentionImpl final : public ProjectedAttentionImpl {
 public:
  explicit GroupQueryAttentionImpl(const GroupQueryAttentionArguments& arguments)
      : ProjectedAttentionImpl(base_options(arguments), settings_of(checked(arguments), arguments.head_dim)),
        arguments_(arguments) {
    equations_ = attention_equations(4, {1});
  }

  std::string class_name() const override { return GroupQueryAttention::keras_name; }
  std::string source_class_name() const override { return GroupQueryAttention::source_name; }

  std::vector<LayerAttribute> attributes() const override {
    std::vector<LayerAttribute> attributes = LayerImpl::attributes();
    // The class has no public properties of its sublayers.
    for (LayerAttribute& attribute : attributes) {
      if (!attribute.name.starts_with('_')) attribute.name.insert(0, "_");
    }
    return attributes;
  }

  io::Json get_config() const override {
    io::Json config = LayerImpl::get_config();
    // A regularizer of the outputs keeps the place that it has among the options of all layers.
    const io::Json own = written(arguments_);
    for (const auto& [key, value] : own.items()) config[key] = value;
    return config;
  }

 protected:
  bool is_grouped() const override { return true; }

  void prepare_build(const InputShapes& shapes) override {
    for (const Shape& shape : {shapes.query, shapes.value, shapes.key}) {
      if (shape.rank() == 3) continue;
      throw ValueError("The query, value and key of layer \"" + name() +
                       "\" must have 3 dimensions. Received: shape=" + shape.to_string());
    }
  }

  Projection query_projection(int) const override {
    return {.name = "query",
            .equation = {.equation = "bqm,muh->bquh", .bias_axes = "uh"},
            .output_shape = {-1, arguments_.num_query_heads, arguments_.head_dim}};
  }
  Projection key_projection(int) const override { return of_keys("key"); }
  Projection value_projection(int) const override { return of_keys("value"); }
  Projection gate_projection(int rank) const override {
    Projection gate = query_projection(rank);
    gate.name = "gate";
    gate.is_gate = true;
    return gate;
  }
  Projection output_projection(const Shape& query) const override {
    return {.name = "attention_output",
            .equation = {.equation = "bquh,uhm->bqm", .bias_axes = "m"},
            .output_shape = {-1, query.at(-1)}};
  }
  Layer make_softmax() const override { return Softmax({.axis = -1, .dtype = dtype_policy()}); }

  void check_symbolic(const InputShapes& shapes) const override {
    const std::int64_t query = shapes.query.at(-1);
    const std::int64_t value = shapes.value.at(-1);
    if (query != value) {
      throw ValueError("The last dimension of `query_shape` and `value_shape` must be equal, but are " +
                       length_to_string(query) + ", " + length_to_string(value) + ". Received: query_shape=" +
                       shapes.query.to_string() + ", value_shape=" + shapes.value.to_string());
    }
    if (shapes.value[1] != shapes.key[1]) refuse_steps(shapes);
  }
  Shape output_lengths(const Shape& query) const override { return {query.at(-1)}; }

 private:
  static const GroupQueryAttentionArguments& checked(const GroupQueryAttentionArguments& arguments) {
    const auto require_positive = [](const std::string& argument, std::int64_t value) {
      if (value > 0) return;
      throw ValueError("Received an invalid value for argument `" + argument +
                       "`, expected a positive integer. Received: " + argument + "=" + std::to_string(value));
    };
    require_positive("head_dim", arguments.head_dim);
    require_positive("num_query_heads", arguments.num_query_heads);
    require_positive("num_key_value_heads", arguments.num_key_value_heads);
    if (arguments.num_query_heads % arguments.num_key_value_heads != 0) {
      throw ValueError("`num_query_heads` must be divisible by `num_key_value_heads`. Received: num_query_heads=" +
                       std::to_string(arguments.num_query_heads) +
                       ", num_key_value_heads=" + std::to_string(arguments.num_key_value_heads));
    }
    require_window(arguments.sliding_window);
    require_no_dropout_in_flash(arguments.flash_attention, arguments.dropout);
    return arguments;
  }

  Projection of_keys(const char* name) const {
    return {.name = name,
            .equation = {.equation = "bkm,mvh->bkvh", .bias_axes = "vh"},
            .output_shape = {-1, arguments_.num_key_value_heads, arguments_.head_dim}};
  }

  GroupQueryAttentionArguments arguments_;
};

}  // namespace

GroupQueryAttention::GroupQueryAttention(std::int64_t head_dim, std::int64_t num_query_heads,
                                         std::int64_t num_key_value_heads, const GroupQueryAttentionOptions& options)
    : Layer(std::make_shared<GroupQueryAttentionImpl>(
          GroupQueryAttentionArguments{options, head_dim, num_query_heads, num_key_value_heads})) {}

GroupQueryAttention GroupQueryAttention::from_config(const io::Json& config) {
  const auto arguments = read_layer<GroupQueryAttention>(config);
  return GroupQueryAttention(arguments.head_dim, arguments.num_query_heads, arguments.num_key_value_heads, arguments);
}

void GroupQueryAttention::build(const Shape& query_shape, const Shape& value_shape,
                                const std::optional<Shape>& key_shape) const {
  build_with(shapes_of_query_value_and_key(query_shape, value_shape, key_shape));
}

}  // namespace rhyton::layers
