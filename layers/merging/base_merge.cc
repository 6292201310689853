#include <rhyton/layers/merging/base_merge.h>

#include <algorithm>
#include <set>
#include <utility>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/merging/masked_merge.h>

namespace rhyton::layers {
namespace {

/// Throws where samples of these shapes do not broadcast.
Shape broadcast_samples(const Shape& a, const Shape& b) {
  if (a.rank() < b.rank()) return broadcast_samples(b, a);
  Shape result = a;
  for (int i = 0; i < b.rank(); ++i) {
    std::int64_t& length = result[a.rank() - b.rank() + i];
    if (length < 0 || b[i] < 0) {
      length = -1;
    } else if (length == 1) {
      length = b[i];
    } else if (b[i] != 1 && b[i] != length) {
      throw ValueError("Inputs have incompatible shapes. Received shapes " + a.to_string() + " and " + b.to_string());
    }
  }
  return result;
}

class MergeImpl : public LayerImpl {
 public:
  MergeImpl(std::string class_name, MergeFunction function, const MergeOptions& options)
      : LayerImpl(base_options(options)), class_name_(std::move(class_name)), function_(function) {}

  std::string class_name() const override { return class_name_; }

  void check_single_input(const Shape& shape) const override {
    throw ValueError("A merge layer should be called on a list of inputs. Received: input_shape=" + shape.to_string() +
                     " (not a list of shapes)");
  }

  void check_inputs(const std::vector<Shape>& shapes) const override {
    if (shapes.empty()) {
      throw ValueError(
          "A merge layer should be called on a list of at least 1 input. Received 0 inputs. Full input_shape received: "
          "[]");
    }
    if (class_name_ == "Subtract" && shapes.size() != 2) {
      throw ValueError("A `Subtract` layer should be called on exactly 2 inputs. Received: input_shape=" +
                       shape_list_text(shapes));
    }
    std::set<std::int64_t> batches;
    for (const Shape& shape : shapes) {
      if (shape.rank() > 0 && shape[0] >= 0) batches.insert(shape[0]);
    }
    if (batches.size() > 1) {
      throw ValueError("Cannot merge tensors with different batch sizes. Received tensors with shapes " +
                       shape_list_text(shapes));
    }
    Shape joined = sample_of(shapes[0]);
    for (const Shape& shape : shapes) joined = broadcast_samples(joined, sample_of(shape));
  }

  io::Json get_build_config() const override {
    return build_config_of_list(LayerImpl::get_build_config(), built_shapes().size());
  }

  // A step counts if it does in any of the inputs; nothing is known of inputs without masks.
  bool supports_masking() const override { return true; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>& masks) const override {
    return joined_masks(masks, [](const Tensor& a, const Tensor& b) { return logical_or(a, b); });
  }
  std::vector<SymbolicTensor> compute_symbolic_mask(const std::vector<SymbolicTensor>&,
                                                    const std::vector<SymbolicTensor>& masks) const override {
    return joined_masks(masks, [](const SymbolicTensor& a, const SymbolicTensor& b) { return a | b; });
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    int rank = 0;
    for (const Tensor& input : inputs) rank = std::max(rank, input.rank());
    std::vector<Tensor> aligned = inputs;
    for (Tensor& x : aligned) {
      while (x.rank() < rank) x = expand_dims(x, std::min(1, x.rank()));
    }
    if (has_mask(aligned) && class_name_ == "Multiply") return {multiply_unmasked(aligned)};
    if (has_mask(aligned) && (class_name_ == "Maximum" || class_name_ == "Minimum")) {
      return {merge_unmasked(aligned, function_)};
    }
    Tensor result;
    for (const Tensor& x : aligned) result = result.is_empty() ? x : function_(result, x);
    if (class_name_ == "Average") result = divide(result, static_cast<double>(inputs.size()));
    return {result};
  }

 private:
  template <class T, class Join>
  static std::vector<T> joined_masks(const std::vector<T>& masks, Join join) {
    if (masks.empty() || std::any_of(masks.begin(), masks.end(), [](const T& mask) { return mask.is_empty(); })) {
      return {};
    }
    T joined = masks.front();
    for (std::size_t i = 1; i < masks.size(); ++i) joined = join(joined, masks[i]);
    return {joined};
  }

  static Shape sample_of(const Shape& shape) { return shape.rank() == 0 ? shape : shape.slice(1, shape.rank()); }

  std::string class_name_;
  MergeFunction function_;
};

}  // namespace

std::shared_ptr<LayerImpl> make_merge(const std::string& class_name, MergeFunction function,
                                      const MergeOptions& options) {
  return std::make_shared<MergeImpl>(class_name, function, options);
}

io::Json build_config_of_list(const io::Json& build_config, std::size_t inputs) {
  if (inputs != 1) return build_config;
  return io::Json::object({{"input_shape", io::Json::array({build_config["input_shape"]})}});
}

std::string shape_list_text(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape.to_string();
  return "[" + text + "]";
}

}  // namespace rhyton::layers
