// Functions of keras.ops that rearrange blocks of images, on symbolic tensors.

#include <rhyton/layers/operations/blocks.h>

#include <vector>

#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

template <Tensor (*function)(const Tensor&, std::int64_t, const std::string&),
          Shape (*shape)(const Shape&, std::int64_t, const std::string&)>
Operation of_block_size(const char* class_name) {
  return {.class_name = class_name,
          .module = "ops.nn",
          .parameters = {"x"},
          .options = {{"block_size", {}}, {"data_format", "channels_last"}},
          .compute = computes([](const Tensor& x, std::int64_t block_size, const std::string& data_format) {
            return function(x, block_size, data_format);
          }),
          .infer = [](const std::vector<Argument>& values) -> std::vector<TensorSpec> {
            const TensorSpec x = spec_of(values.at(0));
            return {{shape(x.shape, ArgumentValue<std::int64_t>::from(values.at(1)),
                           ArgumentValue<std::string>::from(values.at(2))),
                     x.dtype}};
          }};
}

UnfoldOptions unfold_options(const PerAxis& dilation, const PerAxis& padding, const PerAxis& stride) {
  return {.dilation = dilation, .padding = padding, .stride = stride};
}

/// From that position of the arguments on.
UnfoldOptions unfold_options_of(const std::vector<Argument>& values, std::size_t first) {
  return unfold_options(ArgumentValue<PerAxis>::from(values.at(first)),
                        ArgumentValue<PerAxis>::from(values.at(first + 1)),
                        ArgumentValue<PerAxis>::from(values.at(first + 2)));
}

std::vector<TensorSpec> unfold_specs(const std::vector<Argument>& values) {
  const TensorSpec x = spec_of(values.at(0));
  return {{unfold_shape(x.shape, ArgumentValue<PerAxis>::from(values.at(1)), unfold_options_of(values, 2)), x.dtype}};
}

std::vector<TensorSpec> fold_specs(const std::vector<Argument>& values) {
  const TensorSpec x = spec_of(values.at(0));
  return {{fold_shape(x.shape, ArgumentValue<PerAxis>::from(values.at(1)), ArgumentValue<PerAxis>::from(values.at(2)),
                      unfold_options_of(values, 3)),
           x.dtype}};
}

SymbolicTensor of_blocks(const char* class_name, const SymbolicTensor& x, std::int64_t block_size,
                         const std::string& data_format) {
  return operation_output(class_name, {x},
                          {block_size, image::has_channels_first(data_format) ? "channels_first" : "channels_last"});
}

}  // namespace

std::vector<Operation> block_operations() {
  return {
      of_block_size<depth_to_space, depth_to_space_shape>("DepthToSpace"),
      of_block_size<space_to_depth, space_to_depth_shape>("SpaceToDepth"),
      {.class_name = "Unfold",
       .module = "ops.nn",
       .parameters = {"x"},
       .options = {{"kernel_size", {}}, {"dilation", 1}, {"padding", 0}, {"stride", 1}},
       .compute = computes(
           [](const Tensor& x, const PerAxis& kernel_size, const PerAxis& dilation, const PerAxis& padding,
              const PerAxis& stride) { return unfold(x, kernel_size, unfold_options(dilation, padding, stride)); }),
       .infer = unfold_specs},
      {.class_name = "Fold",
       .module = "ops.nn",
       .parameters = {"x"},
       .options = {{"output_size", {}}, {"kernel_size", {}}, {"dilation", 1}, {"padding", 0}, {"stride", 1}},
       .compute = computes([](const Tensor& x, const PerAxis& output_size, const PerAxis& kernel_size,
                              const PerAxis& dilation, const PerAxis& padding, const PerAxis& stride) {
         return fold(x, output_size, kernel_size, unfold_options(dilation, padding, stride));
       }),
       .infer = fold_specs},
  };
}

}  // namespace layers

inline namespace ops {

using layers::argument_of;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor depth_to_space(const SymbolicTensor& x, std::int64_t block_size, const std::string& data_format) {
  return layers::of_blocks("DepthToSpace", x, block_size, data_format);
}
SymbolicTensor space_to_depth(const SymbolicTensor& x, std::int64_t block_size, const std::string& data_format) {
  return layers::of_blocks("SpaceToDepth", x, block_size, data_format);
}
SymbolicTensor unfold(const SymbolicTensor& x, const PerAxis& kernel_size, const UnfoldOptions& options) {
  return operation_output("Unfold", {x},
                          {argument_of(kernel_size), argument_of(options.dilation), argument_of(options.padding),
                           argument_of(options.stride)});
}
SymbolicTensor fold(const SymbolicTensor& x, const PerAxis& output_size, const PerAxis& kernel_size,
                    const UnfoldOptions& options) {
  return operation_output("Fold", {x},
                          {argument_of(output_size), argument_of(kernel_size), argument_of(options.dilation),
                           argument_of(options.padding), argument_of(options.stride)});
}

}  // namespace ops
}  // namespace rhyton
