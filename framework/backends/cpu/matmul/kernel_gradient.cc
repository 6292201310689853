#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/cpu/matmul/kernels.h>
#include <rhyton/framework/backends/cpu/matmul/transposed_product.h>

namespace rhyton::cpu {
namespace {

template <class T>
Product<T> kernel_gradient_product(const Shape& a, const Shape& gradient) {
  Product<T> product;
  product.transpose_a = true;
  product.rows = a.at(-1);
  product.a_stride = product.rows;
  product.columns = gradient.at(-1);
  product.depth = a.slice(0, a.rank() - 1).size();
  return product;
}

template <class T>
std::size_t kernel_gradient_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < inputs.size(); i += 2) {
    const Product<T> product = kernel_gradient_product<T>(inputs[i].shape, inputs[i + 1].shape);
    bytes = std::max(bytes, TransposedProduct<T>::workspace_bytes(product.rows, product.columns, product.depth,
                                                                  product.a_stride, false));
  }
  return bytes;
}

/// How a kernel gradient is divided into blocks of rows and strips: few enough that each copies few of the strips and
/// rows that others copy too, of a size that stays in a core's L2 cache.
struct GradientBlocks {
  std::int64_t of_rows = 1;
  std::int64_t of_strips = 1;

  GradientBlocks(std::int64_t rows, std::int64_t strips) {
    constexpr std::int64_t max_strips = 8;
    constexpr std::int64_t fewest_blocks = 8;
    constexpr std::int64_t fewest_rows = 24;  // a multiple of all tiles' heights
    of_rows = std::max<std::int64_t>(1, (rows + max_transposed_rows - 1) / max_transposed_rows);
    of_strips = (strips + max_strips - 1) / max_strips;
    while (count() < fewest_blocks && of_strips < strips) of_strips = std::min(strips, 2 * of_strips);
    if (count() < fewest_blocks && strips > 0) {
      const std::int64_t wanted = (fewest_blocks + of_strips - 1) / of_strips;
      of_rows = std::clamp<std::int64_t>(rows / fewest_rows, 1, wanted);
    }
  }

  std::int64_t count() const { return of_rows * of_strips; }
};

template <class T>
GradientBlocks gradient_blocks(const Shape& result) {
  return GradientBlocks(result[0], Strips<T>(result[1]).count);
}

template <class T>
std::int64_t kernel_gradient_pieces(const Op&, Kernel::Specs, Kernel::Specs outputs) {
  return std::max<std::int64_t>(1, gradient_blocks<T>(outputs[0].shape).count());
}

/// Of one pair of inputs, or the sum over several.
template <class T>
void compute_gradient_block(const KernelArguments& arguments, Share row_share, Share strip_share) {
  for (std::size_t i = 0; i < arguments.inputs.size(); i += 2) {
    Product<T> product = kernel_gradient_product<T>(arguments.inputs[i].shape(), arguments.inputs[i + 1].shape());
    const std::int64_t first = row_share.begin(product.rows);
    product.rows = row_share.end(product.rows) - first;
    product.strip_share = strip_share;
    product.a = arguments.inputs[i].as<T>();
    if (product.depth > 0) product.a += first;  // else it has no elements and may be null
    product.b = arguments.inputs[i + 1].as<T>();
    product.c = arguments.outputs[0].as<T>() + first * product.columns;
    product.workspace = arguments.workspace;
    product.result.accumulate = arguments.accumulate || i > 0;
    TransposedProduct<T>(product).compute();
  }
}

template <class T>
void run_kernel_gradient(const KernelArguments& arguments) {
  if (arguments.pieces == 1) return compute_gradient_block<T>(arguments, {}, {});
  const GradientBlocks blocks = gradient_blocks<T>(arguments.outputs[0].shape());
  const Share share{arguments.piece, arguments.pieces};
  for (std::int64_t block = share.begin(blocks.count()); block < share.end(blocks.count()); ++block) {
    compute_gradient_block<T>(arguments, {block % blocks.of_rows, blocks.of_rows},
                              {block / blocks.of_rows, blocks.of_strips});
  }
}

template <class T>
void register_for(KernelTable& table) {
  const Kernel kernel = {.run = &run_kernel_gradient<T>,
                         .workspace_bytes = &kernel_gradient_workspace<T>,
                         .pieces = &kernel_gradient_pieces<T>};
  table.add("MatMulKernelGradient", dtype_of<T>, kernel);
  table.add("SummedMatMulKernelGradients", dtype_of<T>, kernel);
}

}  // namespace

void register_kernel_gradient_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
