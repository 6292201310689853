#include <rhyton/layers/preprocessing/category_encoding.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/category_output.h>

namespace rhyton::layers {
namespace {

class CategoryEncodingImpl final : public LayerImpl {
 public:
  explicit CategoryEncodingImpl(const CategoryEncodingArguments& options)
      : LayerImpl(base_options(options)), options_(options) {
    std::string& mode = options_.output_mode;
    // The name of older versions.
    if (mode == "binary") mode = "multi_hot";
    if (mode != "count" && mode != "one_hot" && mode != "multi_hot") {
      throw ValueError("Unknown arg for output_mode: " + mode);
    }
    if (options.num_tokens < 1) {
      throw ValueError("`num_tokens` must be >= 1. Received: num_tokens=" + std::to_string(options.num_tokens) + ".");
    }
    mark_built();
  }

  std::string class_name() const override { return CategoryEncoding::keras_name; }
  bool autocasts() const override { return false; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<std::string> call_parameters() const override { return {"inputs", "count_weights"}; }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    Tensor weights = arguments.tensor("count_weights");
    if (!weights.is_empty()) {
      if (options_.output_mode != "count") {
        throw ValueError("`count_weights` is not used when `output_mode` is not `'count'`. Received `count_weights=" +
                         arguments["count_weights"].to_string() + "`.");
      }
      weights = cast(weights, compute_dtype());
    }
    return {encode_categories(arguments.tensor("inputs"), options_.output_mode, options_.num_tokens, variable_dtype(),
                              weights)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  CategoryEncodingArguments options_;
};

}  // namespace

CategoryEncoding::CategoryEncoding(std::int64_t num_tokens, const CategoryEncodingOptions& options)
    : Layer(std::make_shared<CategoryEncodingImpl>(CategoryEncodingArguments{options, num_tokens})) {}

CategoryEncoding CategoryEncoding::from_config(const io::Json& config) {
  const auto arguments = read_layer<CategoryEncoding>(config);
  return CategoryEncoding(arguments.num_tokens, arguments);
}

}  // namespace rhyton::layers
