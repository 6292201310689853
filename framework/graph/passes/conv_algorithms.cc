#include <rhyton/framework/graph/passes/conv_algorithms.h>

#include <memory>

#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/ops/conv_max_pool.h>

namespace rhyton::graph {
namespace {

// Transforms take time in proportion to channels + filters, products to channels * filters.
constexpr std::int64_t fewest_channels = 16;
// Minimal filtering must save at least a quarter of the products.
constexpr double max_products = 0.75;

std::int64_t tiles(std::int64_t pixels, std::int64_t outputs) { return (pixels + outputs - 1) / outputs; }

/// Products per image, channel and filter with tiles of that many outputs.
double products(const Shape& output, std::int64_t outputs) {
  const double per_tile = static_cast<double>((outputs + 2) * (outputs + 2));
  return static_cast<double>(tiles(output[1], outputs) * tiles(output[2], outputs)) * per_tile;
}

bool fits(const Shape& kernel, const Conv2DAttributes& window, DType dtype) {
  const Conv2DAttributes plain = {.padding = window.padding};
  return dtype == DType::float32 && window == plain && kernel[0] == 3 && kernel[1] == 3 &&
         kernel[2] >= fewest_channels && kernel[3] >= fewest_channels;
}

ConvAlgorithm wanted() { return config::fast_math() ? ConvAlgorithm::fast_winograd : ConvAlgorithm::winograd; }

/// `output` is the shape of the result, `direct` the products per image, channel and filter of the direct form.
ConvAlgorithm algorithm_for(const Shape& output, double direct) {
  if (output[1] == 3 && output[2] == 3) return ConvAlgorithm::winograd;
  if (config::fast_math() && products(output, 4) <= products(output, 2) &&
      products(output, 4) <= max_products * direct) {
    return ConvAlgorithm::fast_winograd;
  }
  return products(output, 2) <= max_products * direct ? ConvAlgorithm::winograd : ConvAlgorithm::direct;
}

double pixels_of(const Shape& images) { return static_cast<double>(images[1] * images[2]); }

OpPtr chosen(const Graph& graph, const Node& node) {
  const auto spec = [&](std::size_t input) -> const TensorSpec& { return graph.value(node.inputs[input]).spec; };
  const Shape& output = graph.value(node.outputs[0]).spec.shape;
  if (const auto* gradient = op_as<Conv2DInputGradientOp>(node)) {
    if (!fits(spec(0).shape, gradient->window(), spec(0).dtype)) return nullptr;
    const Shape& dy = spec(1).shape;
    // If an image of dy is one tile, so is one of dx: 25 products.
    const bool is_one_tile = dy[1] == 3 && dy[2] == 3 && output[1] == 5 && output[2] == 5;
    const ConvAlgorithm algorithm = is_one_tile ? ConvAlgorithm::winograd : algorithm_for(output, 9 * pixels_of(dy));
    if (algorithm == ConvAlgorithm::direct) return nullptr;
    return std::make_shared<const Conv2DInputGradientOp>(gradient->height(), gradient->width(), gradient->window(),
                                                         algorithm);
  }
  if (const auto* gradient = op_as<Conv2DKernelGradientOp>(node)) {
    const Shape& dy = spec(1).shape;
    if (!fits(output, gradient->window(), spec(0).dtype) || (dy[1] == 3 && dy[2] == 3)) return nullptr;
    const ConvAlgorithm algorithm = algorithm_for(dy, 9 * pixels_of(dy));
    if (algorithm == ConvAlgorithm::direct) return nullptr;
    return std::make_shared<const Conv2DKernelGradientOp>(gradient->kernel_height(), gradient->kernel_width(),
                                                          gradient->window(), algorithm);
  }
  if (const auto* pooled = op_as<FusedConv2DMaxPoolOp>(node)) {
    const FusedConv2DOp& conv = pooled->convolution();
    const Pool2DAttributes& pool = pooled->pool().window();
    const Pool2DAttributes usual;
    if (!fits(spec(1).shape, conv.window(), spec(0).dtype) || !(pool == usual)) return nullptr;
    return std::make_shared<const FusedConv2DMaxPoolOp>(FusedConv2DOp(conv.activation(), conv.window(), wanted()), pool,
                                                        pooled->has_index());
  }
  const auto* fused = op_as<FusedConv2DOp>(node);
  const auto* plain = op_as<Conv2DOp>(node);
  if (fused == nullptr && plain == nullptr) return nullptr;
  const Conv2DAttributes& window = fused != nullptr ? fused->window() : plain->window();
  if (!fits(spec(1).shape, window, spec(0).dtype)) return nullptr;
  const ConvAlgorithm algorithm = algorithm_for(output, 9 * pixels_of(output));
  if (algorithm == ConvAlgorithm::direct) return nullptr;
  return std::make_shared<const FusedConv2DOp>(fused != nullptr ? fused->activation() : Epilogue::none, window,
                                               algorithm);
}

}  // namespace

Graph choose_conv_algorithms(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    const OpPtr op = chosen(graph, node);
    Node copy = node;
    if (op != nullptr) copy.op = op;
    rewriter.keep(copy);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
