// A decoder of characters that generates one after the other.

#include <array>
#include <cstdint>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

constexpr std::int64_t vocabulary = 96;
constexpr std::int64_t context = 256;
constexpr std::int64_t width = 256;
constexpr std::int64_t heads = 8;
constexpr std::int64_t head_size = width / heads;
constexpr std::int64_t blocks = 4;

/// Attention and two dense layers, each behind a normalization and added to its input. The keys and values of earlier
/// positions are kept.
class Block {
 public:
  Block() {
    for (const layers::Layer& layer : {layers::Layer(first_norm_), layers::Layer(second_norm_),
                                       layers::Layer(projections_), layers::Layer(output_), layers::Layer(hidden_)}) {
      layer.build({1, width});
    }
    result_.build({1, 4 * width});
  }

  /// x [1, width] at `position` [1]; `is_known` [1, 1, 1, context] is true for the positions so far.
  Tensor operator()(const Tensor& x, const Tensor& position, const Tensor& is_known) const {
    const Tensor projected = projections_(first_norm_(x)).reshape({3, 1, 1, heads, head_size});
    const Tensor keys = keep(keys_, position, projected[1]);
    const Tensor values = keep(values_, position, projected[2]);
    const Tensor attended = dot_product_attention(projected[0], keys, values, {.mask = is_known});
    const Tensor y = x + output_(attended.reshape({1, width}));
    return y + result_(hidden_(second_norm_(y)));
  }

 private:
  static Tensor keep(const Variable& cache, const Tensor& position, const Tensor& of_position) {
    const Tensor start = position * Tensor::from_data<std::int32_t>({4}, {0, 1, 0, 0});
    cache.assign(slice_update(cache.value(), start, of_position));
    return cache;
  }

  layers::LayerNormalization first_norm_;
  layers::LayerNormalization second_norm_;
  layers::Dense projections_{3 * width};
  layers::Dense output_{width};
  layers::Dense hidden_{4 * width, {.activation = "relu"}};
  layers::Dense result_{width};
  Variable keys_{Tensor::zeros({1, context, heads, head_size}), {.name = "keys"}};
  Variable values_{Tensor::zeros({1, context, heads, head_size}), {.name = "values"}};
};

class Decoder {
 public:
  Decoder() {
    for (const layers::Layer& layer : {layers::Layer(characters_), layers::Layer(positions_)}) layer.build({1});
    for (const layers::Layer& layer : {layers::Layer(norm_), layers::Layer(next_)}) layer.build({1, width});
  }

  /// The most probable character [1] after the one at `position` [1].
  Tensor operator()(const Tensor& character, const Tensor& position) const {
    const Tensor is_known = (range(context) <= position).reshape({1, 1, 1, context});
    Tensor x = characters_(character) + positions_(position);
    for (const Block& block : blocks_) x = block(x, position, is_known);
    return argmax(next_(norm_(x)), -1).cast(int32);
  }

 private:
  layers::Embedding characters_{vocabulary, width};
  layers::Embedding positions_{context, width};
  std::vector<Block> blocks_ = std::vector<Block>(blocks);
  layers::LayerNormalization norm_;
  layers::Dense next_{vocabulary};
};

}  // namespace

io::Json generation(const Options&) {
  const Decoder decoder;
  const graph::FunctionInput integer = {.spec = {{1}, int32}};
  graph::Executable step(graph::trace(
      {integer, integer}, [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{decoder(in[0], in[1])}; }));
  std::int32_t character = 0;
  std::int32_t position = 0;
  const std::array<const void*, 2> inputs = {&character, &position};
  const double seconds = seconds_per_call([&] {
    character = 1;
    for (position = 0; position < context; ++position) {
      step.run(inputs);
      character = step.output(0).elements<std::int32_t>()[0];
    }
  });
  return io::Json::object({{"cases", io::Json::object({{"one text", seconds / static_cast<double>(context)}})}});
}

}  // namespace workloads
