#include <rhyton/framework/graph/passes/conv_algorithms.h>

#include <algorithm>
#include <memory>
#include <optional>

#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/conv_max_pool.h>

namespace rhyton::graph {
namespace {

// Transforms take time in proportion to channels + filters, products to channels * filters.
constexpr std::int64_t fewest_channels = 16;
// Kernels of one row save fewer products: these products of channels and filters for each channel and filter.
constexpr std::int64_t fewest_products_of_rows = 12;
// Minimal filtering must save at least a quarter of the products.
constexpr double max_products = 0.75;

std::int64_t tiles(std::int64_t pixels, std::int64_t outputs) { return (pixels + outputs - 1) / outputs; }

/// Products for each tile of that many outputs along an axis: one for an axis that is not filtered.
std::int64_t axis_points(std::int64_t taps, std::int64_t outputs) { return taps == 1 ? 1 : outputs + taps - 1; }

std::int64_t axis_products(std::int64_t pixels, std::int64_t taps, std::int64_t outputs) {
  return tiles(pixels, taps == 1 ? 1 : outputs) * axis_points(taps, outputs);
}

/// Products per image, channel and filter with tiles of that many outputs along each axis that is filtered.
double products(const Shape& kernel, const Shape& output, std::int64_t outputs) {
  return static_cast<double>(axis_products(output[1], kernel[0], outputs) *
                             axis_products(output[2], kernel[1], outputs));
}

/// The same for the direct form.
double direct_products(const Shape& kernel, const Shape& output) {
  return static_cast<double>(kernel[0] * kernel[1] * output[1] * output[2]);
}

bool is_square(const Shape& kernel) { return kernel[0] == 3 && kernel[1] == 3; }
bool is_row(const Shape& kernel) { return kernel[0] == 1 && (kernel[1] == 3 || kernel[1] == 5); }

bool fits(const Shape& kernel, const Conv2DAttributes& window, DType dtype) {
  if (!is_square(kernel) && !is_row(kernel)) return false;
  const Conv2DAttributes plain = {.padding = window.padding};
  const std::int64_t channels = kernel[2];
  const std::int64_t filters = kernel[3];
  return dtype == DType::float32 && window == plain && std::min(channels, filters) >= fewest_channels &&
         (is_square(kernel) || channels * filters >= fewest_products_of_rows * (channels + filters));
}

bool is_one_tile(const Shape& kernel, const Shape& images) {
  return is_square(kernel) && images[1] == 3 && images[2] == 3;
}

/// Outputs of a tile along an axis that is filtered.
std::int64_t outputs_of(ConvAlgorithm algorithm) { return algorithm == ConvAlgorithm::fast_winograd ? 4 : 2; }

/// The one with the fewest products; `output` is the shape of the result, `direct` the products per image, channel and
/// filter of the direct form.
ConvAlgorithm fastest(const Shape& kernel, const Shape& output, double direct) {
  if (is_one_tile(kernel, output)) return ConvAlgorithm::winograd;
  const double small = products(kernel, output, 2);
  const double large = products(kernel, output, 4);
  if (config::fast_math() && large <= small && large <= max_products * direct) return ConvAlgorithm::fast_winograd;
  return small <= max_products * direct ? ConvAlgorithm::winograd : ConvAlgorithm::direct;
}

/// The products that take as long as one element of a transform that the images do not share with others: with all of
/// its elements in the cache, and in memory.
struct TransformCost {
  double cached;
  double uncached;
};
/// A sum of a gradient with respect to the kernel: written, read and transformed.
constexpr TransformCost of_sum = {12, 50};
/// An element of a kernel that is transformed in each step.
constexpr TransformCost of_kernel = {6, 26};

/// Images that are computed, or whose derivatives are, with one transform of the kernel or of its gradient.
struct Images {
  std::int64_t count;
  /// The shape of the result that is cut into tiles.
  Shape shape;
  /// The products of the direct form, per image, channel and filter.
  double direct;
};

/// The fastest one. A transform that these images do not share with others, with its cost, has an element for each
/// point, channel and filter, and must take less time than the products that it saves.
ConvAlgorithm fastest_for(const Shape& kernel, const Images& images, const std::optional<TransformCost>& cost) {
  constexpr double cache_bytes = 512 * 1024;
  const ConvAlgorithm algorithm = fastest(kernel, images.shape, images.direct);
  if (algorithm == ConvAlgorithm::direct || !cost || is_one_tile(kernel, images.shape)) return algorithm;
  const std::int64_t outputs = outputs_of(algorithm);
  const double saved = static_cast<double>(images.count) * (images.direct - products(kernel, images.shape, outputs));
  const auto points = static_cast<double>(axis_points(kernel[0], outputs) * axis_points(kernel[1], outputs));
  const double bytes = points * static_cast<double>(kernel[2] * kernel[3]) * sizeof(float);
  const bool pays = saved >= points * (bytes <= cache_bytes ? cost->cached : cost->uncached);
  return pays ? algorithm : ConvAlgorithm::direct;
}

/// Chooses for one graph.
class Chooser {
 public:
  explicit Chooser(const Graph& graph) : graph_(graph), samples_(analyze_batch(graph).batch) {}

  /// The op with its algorithm; null for ops that stay as they are.
  OpPtr chosen(const Node& node) const {
    if (const auto* op = op_as<Conv2DInputGradientOp>(node)) return input_gradient(node, *op);
    if (const auto* op = op_as<Conv2DKernelGradientOp>(node)) return kernel_gradient(node, *op);
    if (const auto* op = op_as<FusedConv2DMaxPoolOp>(node)) return pooled(node, *op);
    if (const auto* op = op_as<FusedConv2DOp>(node)) return forward(node, op->window(), op->activation());
    if (const auto* op = op_as<Conv2DOp>(node)) return forward(node, op->window(), Epilogue::none);
    return nullptr;
  }

 private:
  const TensorSpec& input(const Node& node, std::size_t i) const { return graph_.value(node.inputs[i]).spec; }
  const Shape& output(const Node& node) const { return graph_.value(node.outputs[0]).spec.shape; }

  /// Whether the graph changes the kernel, so that each run has to transform it.
  bool is_trained(ValueId kernel) const {
    const Value* value = &graph_.value(kernel);
    while (value->kind == Value::Kind::computed && graph_.node(value->producer).inputs.size() == 1) {
      value = &graph_.value(graph_.node(value->producer).inputs[0]);
    }
    return value->kind == Value::Kind::variable &&
           std::any_of(graph_.updates.begin(), graph_.updates.end(),
                       [&](const Update& update) { return update.variable.is_same(value->variable); });
  }

  /// `result` is the shape of the images that are computed, `direct` the products of the direct form per image.
  ConvAlgorithm algorithm_for(ValueId kernel, const Shape& result, double direct) const {
    return fastest_for(graph_.value(kernel).spec.shape, {.count = result[0], .shape = result, .direct = direct},
                       is_trained(kernel) ? std::optional(of_kernel) : std::nullopt);
  }

  OpPtr forward(const Node& node, const Conv2DAttributes& window, Epilogue activation) const {
    const Shape& kernel = input(node, 1).shape;
    if (!fits(kernel, window, input(node, 0).dtype)) return nullptr;
    const ConvAlgorithm algorithm = algorithm_for(node.inputs[1], output(node), direct_products(kernel, output(node)));
    if (algorithm == ConvAlgorithm::direct) return nullptr;
    return std::make_shared<const FusedConv2DOp>(activation, window, algorithm);
  }

  OpPtr pooled(const Node& node, const FusedConv2DMaxPoolOp& op) const {
    const FusedConv2DOp& conv = op.convolution();
    const Pool2DAttributes& pool = op.pool().window();
    const Shape& kernel = input(node, 1).shape;
    const Pool2DAttributes usual;
    if (!is_square(kernel) || !fits(kernel, conv.window(), input(node, 0).dtype) || !(pool == usual)) return nullptr;
    // The pixels that windows cover: others are not computed.
    const Shape& pooled = output(node);
    const Shape covered = {pooled[0], pooled[1] * pool.pool_size[0], pooled[2] * pool.pool_size[1], pooled[3]};
    const ConvAlgorithm algorithm = algorithm_for(node.inputs[1], covered, direct_products(kernel, covered));
    if (algorithm == ConvAlgorithm::direct) return nullptr;
    return std::make_shared<const FusedConv2DMaxPoolOp>(FusedConv2DOp(conv.activation(), conv.window(), algorithm),
                                                        pool, op.has_index());
  }

  OpPtr input_gradient(const Node& node, const Conv2DInputGradientOp& op) const {
    const Shape& kernel = input(node, 0).shape;
    const Shape& dy = input(node, 1).shape;
    if (!fits(kernel, op.window(), input(node, 0).dtype)) return nullptr;
    // If an image of dy is one tile, so is one of dx: 25 products.
    const bool has_one_tile = is_one_tile(kernel, dy) && output(node)[1] == 5 && output(node)[2] == 5;
    const ConvAlgorithm algorithm = has_one_tile
                                        ? ConvAlgorithm::winograd
                                        : algorithm_for(node.inputs[0], output(node), direct_products(kernel, dy));
    if (algorithm == ConvAlgorithm::direct) return nullptr;
    return std::make_shared<const Conv2DInputGradientOp>(op.height(), op.width(), op.window(), algorithm);
  }

  OpPtr kernel_gradient(const Node& node, const Conv2DKernelGradientOp& op) const {
    const Shape& kernel = output(node);
    const Shape& dy = input(node, 1).shape;
    if (!fits(kernel, op.window(), input(node, 0).dtype) || is_one_tile(kernel, dy)) return nullptr;
    // A call has at least the images of one sample.
    const std::int64_t images = samples_ > 0 ? std::max<std::int64_t>(1, dy[0] / samples_) : dy[0];
    const ConvAlgorithm algorithm =
        fastest_for(kernel, {.count = images, .shape = dy, .direct = direct_products(kernel, dy)}, of_sum);
    if (algorithm == ConvAlgorithm::direct) return nullptr;
    return std::make_shared<const Conv2DKernelGradientOp>(op.kernel_height(), op.kernel_width(), op.window(),
                                                          algorithm);
  }

  const Graph& graph_;
  std::int64_t samples_;
};

}  // namespace

Graph choose_conv_algorithms(const Graph& graph) {
  const Chooser chooser(graph);
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    const OpPtr op = chooser.chosen(node);
    Node copy = node;
    if (op != nullptr) copy.op = op;
    rewriter.keep(copy);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
