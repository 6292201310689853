#include <rhyton/framework/ops/category_counts.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include <rhyton/framework/backends/cpu/primitives/index_types.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/backends/elementwise/binary.h>

namespace rhyton::cpu {
namespace {

[[noreturn]] void throw_negative_category(std::int64_t category, int rank) {
  if (rank == 1) throw InvalidArgumentError("Input arr must be non-negative! [Op:DenseBincount]");
  throw InvalidArgumentError("Input 'in' must be non-negative! Negative input value found: " +
                             std::to_string(category) + " [Op:DenseBincount]");
}

template <class T>
void run_category_counts(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<CategoryCountsOp>();
  const Shape& shape = arguments.inputs[0].shape();
  const int last = shape.rank() - 1;
  const std::int64_t rows = shape.slice(0, last).size();
  const std::int64_t length = shape[last];
  const T* weights = arguments.inputs.size() > 1 ? arguments.inputs[1].as<const T>() : nullptr;
  T* y = arguments.outputs[0].as<T>();
  if (!arguments.accumulate) std::fill_n(y, arguments.outputs[0].size(), T(0));
  with_indices(arguments.inputs[0], [&](const auto* categories) {
    for (std::int64_t row = 0; row < rows; ++row, categories += length, y += op.depth) {
      for (std::int64_t i = 0; i < length; ++i) {
        const auto category = static_cast<std::int64_t>(categories[i]);
        if (category < 0 && op.negative == NegativeCategories::refused) throw_negative_category(category, shape.rank());
        if (category < 0 || category >= op.depth) continue;
        const T weight = weights == nullptr ? T(1) : weights[row * length + i];
        y[category] = op.counting == CategoryCounting::presence ? T(1) : elementwise::Add()(y[category], weight);
      }
    }
  });
}

template <class... T>
void add_category_counts(KernelTable& table) {
  (table.add("DenseBincount", dtype_of<T>, {.run = &run_category_counts<T>}), ...);
}

}  // namespace

void register_category_count_kernels(KernelTable& table) {
  add_category_counts<float, double, std::int32_t, std::int64_t, std::uint8_t>(table);
}

}  // namespace rhyton::cpu
