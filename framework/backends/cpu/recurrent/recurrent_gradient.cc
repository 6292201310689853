#include <algorithm>
#include <array>
#include <cstdint>

#include <rhyton/framework/backends/cpu/primitives/vector_part.h>
#include <rhyton/framework/backends/cpu/recurrent/activations.h>
#include <rhyton/framework/backends/cpu/recurrent/kernels.h>
#include <rhyton/framework/backends/cpu/recurrent/recurrent_call.h>
#include <rhyton/framework/backends/cpu/recurrent/step_product.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::cpu {
namespace {

/// Scratch memory for the samples that go through the steps together: a row of zeros, and rows of gradients.
template <class T>
struct BackwardScratch {
  T* zeros = nullptr;
  T* dh = nullptr;
  T* dc = nullptr;
  T* dreset = nullptr;
  std::size_t bytes = 0;

  BackwardScratch(void* memory, std::int64_t units, int rows) {
    WorkspaceCutter cutter(memory);
    zeros = cutter.take<T>(units);
    dh = cutter.take<T>(units * rows);
    dc = cutter.take<T>(units * rows);
    dreset = cutter.take<T>(units * rows);
    bytes = cutter.used();
  }
};

template <class T>
std::size_t workspace_bytes(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  const Shape& kernel = inputs[2].shape;
  return BackwardScratch<T>(nullptr, kernel[0], recurrent_rows<T>(kernel)).bytes;
}

// The kernel transposed: rows are its columns.
template <class T>
std::size_t packed_bytes(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  const Shape& kernel = inputs[2].shape;
  return static_cast<std::size_t>(PackedMatrix<T>::size(kernel[1], kernel[0])) * sizeof(T);
}

template <class T>
void pack(const KernelArguments& arguments) {
  const TensorView& kernel = arguments.inputs[2];
  const std::int64_t columns = kernel.shape()[1];
  pack_matrix<T>(static_cast<T*>(arguments.workspace), kernel.as<const T>(), columns, kernel.shape()[0], 1, columns);
}

/// What the gradient of one step of one sample reads and writes. `dh` and `dc` are the gradients of the states after
/// the step and become, without the recurrent product's part, those of the states before it. `dgates` may be `gates`.
template <class T>
struct StepRow {
  const T* gates = nullptr;
  const T* residual = nullptr;
  const T* h_before = nullptr;
  const T* c_before = nullptr;
  const T* dh_output = nullptr;
  T* dgates = nullptr;
  T* drecurrent = nullptr;
  T* dh = nullptr;
  T* dc = nullptr;
};

template <class T, class Functions>
void simple_row(const Functions& functions, std::int64_t units, const StepRow<T>& row) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const Vector<T> dh = load_some<T>(row.dh + k, count) + load_some<T>(row.dh_output + k, count);
        store_some<T>(row.dgates + k, dh * functions.slope_of_a(load_some<T>(row.gates + k, count)), count);
        store_some<T>(row.dh + k, Vector<T>{}, count);
      });
}

template <class T, class Functions>
void lstm_row(const Functions& functions, std::int64_t units, const StepRow<T>& row) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const T* const at = row.gates + k;
        T* const to = row.dgates + k;
        const Vector<T> i = load_some<T>(at, count);
        const Vector<T> f = load_some<T>(at + units, count);
        const Vector<T> g = load_some<T>(at + 2 * units, count);
        const Vector<T> o = load_some<T>(at + 3 * units, count);
        const Vector<T> output = functions.a(load_some<T>(row.residual + k, count));
        const Vector<T> dh = load_some<T>(row.dh + k, count) + load_some<T>(row.dh_output + k, count);
        const Vector<T> dc = load_some<T>(row.dc + k, count) + dh * o * functions.slope_of_a(output);
        store_some<T>(to, dc * g * functions.slope_of_s(i), count);
        store_some<T>(to + units, dc * load_some<T>(row.c_before + k, count) * functions.slope_of_s(f), count);
        store_some<T>(to + 2 * units, dc * i * functions.slope_of_a(g), count);
        store_some<T>(to + 3 * units, dh * output * functions.slope_of_s(o), count);
        store_some<T>(row.dc + k, dc * f, count);
        store_some<T>(row.dh + k, Vector<T>{}, count);
      });
}

template <class T, class Functions>
void gru_row(const Functions& functions, std::int64_t units, const StepRow<T>& row) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const T* const at = row.gates + k;
        T* const to = row.dgates + k;
        const Vector<T> z = load_some<T>(at, count);
        const Vector<T> r = load_some<T>(at + units, count);
        const Vector<T> candidate = load_some<T>(at + 2 * units, count);
        const Vector<T> dh = load_some<T>(row.dh + k, count) + load_some<T>(row.dh_output + k, count);
        const Vector<T> dz = dh * (load_some<T>(row.h_before + k, count) - candidate) * functions.slope_of_s(z);
        const Vector<T> dcandidate = dh * (T(1) - z) * functions.slope_of_a(candidate);
        store_some<T>(to, dz, count);
        store_some<T>(to + 2 * units, dcandidate, count);
        store_some<T>(row.dh + k, dh * z, count);
        if (row.drecurrent == nullptr) return;
        const Vector<T> dr = dcandidate * load_some<T>(row.residual + k, count) * functions.slope_of_s(r);
        store_some<T>(to + units, dr, count);
        T* const of_product = row.drecurrent + k;
        store_some<T>(of_product, dz, count);
        store_some<T>(of_product + units, dr, count);
        store_some<T>(of_product + 2 * units, dcandidate * r, count);
      });
}

/// For the gru without `reset_after`: the reset gate's gradient from that of r · h.
template <class T, class Functions>
void reset_row(const Functions& functions, std::int64_t units, const StepRow<T>& row, const T* dreset) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const Vector<T> r = load_some<T>(row.gates + units + k, count);
        const Vector<T> gradient = load_some<T>(dreset + k, count);
        const Vector<T> dr = gradient * load_some<T>(row.h_before + k, count) * functions.slope_of_s(r);
        store_some<T>(row.dgates + units + k, dr, count);
        store_some<T>(row.dh + k, load_some<T>(row.dh + k, count) + gradient * r, count);
      });
}

/// The samples whose states changed in a step, by their positions among those that go through the steps together.
struct ActivePositions {
  int count = 0;
  std::array<int, max_recurrent_rows> of_tile;
};

/// One call of the kernel.
template <class T, class Functions>
class Backward {
 public:
  explicit Backward(const KernelArguments& arguments)
      : call_(arguments, arguments.attributes<RecurrentGradOp>().cell,
              arguments.attributes<RecurrentGradOp>().operands(), arguments.attributes<RecurrentGradOp>().operands().h),
        functions_(call_.cell),
        weights_{static_cast<const T*>(arguments.packed), call_.columns, call_.units},
        scratch_(arguments.workspace, call_.units, call_.rows),
        gates_(call_.input(call_.position.gates)),
        h_(call_.input(call_.position.h)),
        residual_(call_.input(call_.position.residual)),
        dh_(call_.input(call_.position.dh)),
        dprojected_(call_.output(call_.position.dprojected)),
        drecurrent_(call_.output(call_.position.drecurrent)) {}

  void run() {
    std::fill_n(scratch_.zeros, call_.units, T());
    for_each_tile(call_.samples, call_.rows, [&](std::int64_t first, int count) {
      begin(first, count);
      for (std::int64_t step = call_.steps - 1; step >= 0; --step) run_step(first, count, step);
      finish(first, count);
    });
  }

 private:
  void begin(std::int64_t first, int count) {
    const std::int64_t size = count * call_.units;
    const T* const dfinal_h = call_.input(call_.position.dfinal_h);
    const T* const dfinal_c = call_.input(call_.position.dfinal_c);
    std::fill_n(scratch_.dh, size, T());
    std::fill_n(scratch_.dc, size, T());
    if (dfinal_h != nullptr) std::copy_n(dfinal_h + first * call_.units, size, scratch_.dh);
    if (dfinal_c != nullptr) std::copy_n(dfinal_c + first * call_.units, size, scratch_.dc);
  }

  void finish(std::int64_t first, int count) {
    T* const dinitial_h = call_.output(call_.position.dinitial_h);
    T* const dinitial_c = call_.output(call_.position.dinitial_c);
    if (dinitial_h != nullptr) std::copy_n(scratch_.dh, count * call_.units, dinitial_h + first * call_.units);
    if (dinitial_c != nullptr) std::copy_n(scratch_.dc, count * call_.units, dinitial_c + first * call_.units);
  }

  StepRow<T> row_of(std::int64_t first, int row, std::int64_t step) const {
    const std::int64_t sample = first + row;
    const std::int64_t at = sample * call_.steps + call_.time_of(step);
    StepRow<T> result;
    result.gates = gates_ + at * call_.columns;
    result.residual = residual_ == nullptr ? nullptr : residual_ + at * call_.units;
    result.h_before = call_.before(h_, call_.initial_h, scratch_.zeros, sample, step);
    if (call_.is_lstm()) result.c_before = call_.before(residual_, call_.initial_c, scratch_.zeros, sample, step);
    result.dh_output = dh_ == nullptr ? scratch_.zeros : dh_ + at * call_.units;
    result.dgates = dprojected_ + at * call_.columns;
    result.drecurrent = drecurrent_ == nullptr ? nullptr : drecurrent_ + at * call_.columns;
    result.dh = scratch_.dh + row * call_.units;
    result.dc = scratch_.dc + row * call_.units;
    return result;
  }

  /// The states were carried through: so are their gradients.
  void carry(const StepRow<T>& row) const {
    for (std::int64_t k = 0; k < call_.units; ++k) row.dh[k] += row.dh_output[k];
    std::fill_n(row.dgates, call_.columns, T());
    if (row.drecurrent != nullptr) std::fill_n(row.drecurrent, call_.columns, T());
  }

  // Samples whose step is masked take no part in the products.
  void run_step(std::int64_t first, int count, std::int64_t step) {
    ActivePositions rows;
    RowPointers<const T> factors;
    RowPointers<T> sums;
    for (int i = 0; i < count; ++i) {
      const StepRow<T> row = row_of(first, i, step);
      if (call_.is_masked((first + i) * call_.steps + call_.time_of(step))) {
        carry(row);
        continue;
      }
      const auto at = static_cast<std::size_t>(rows.count++);
      rows.of_tile[at] = i;
      factors[at] = row.drecurrent == nullptr ? row.dgates : row.drecurrent;
      sums[at] = row.dh;
      if (call_.is_lstm()) {
        lstm_row<T>(functions_, call_.units, row);
      } else if (call_.is_gru()) {
        gru_row<T>(functions_, call_.units, row);
      } else {
        simple_row<T>(functions_, call_.units, row);
      }
    }
    if (rows.count == 0) return;
    const bool is_reset_before = call_.is_gru() && !call_.cell.reset_after;
    if (is_reset_before) reset(first, rows, step, factors);
    if (step == 0 && call_.initial_h == nullptr) return;
    multiply_step<T>(weights_, 0, is_reset_before ? 2 * call_.units : call_.columns, rows.count, factors, sums, true);
  }

  /// The gru's candidate without `reset_after`: its product is of r · h.
  void reset(std::int64_t first, const ActivePositions& rows, std::int64_t step, const RowPointers<const T>& dgates) {
    RowPointers<const T> factors;
    RowPointers<T> products;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
      factors[i] = dgates[i] + 2 * call_.units;
      products[i] = scratch_.dreset + static_cast<std::int64_t>(i) * call_.units;
    }
    multiply_step<T>(weights_, 2 * call_.units, call_.units, rows.count, factors, products, false);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
      reset_row<T>(functions_, call_.units, row_of(first, rows.of_tile[i], step), products[i]);
    }
  }

  const RecurrentCall<T, RecurrentGradOperands> call_;
  const Functions functions_;
  const PackedMatrix<T> weights_;
  const BackwardScratch<T> scratch_;
  const T* const gates_;
  const T* const h_;
  const T* const residual_;
  const T* const dh_;
  T* const dprojected_;
  T* const drecurrent_;
};

template <class T>
void run(const KernelArguments& arguments) {
  if (DefaultFunctions<T>::are_of(arguments.attributes<RecurrentGradOp>().cell)) {
    Backward<T, DefaultFunctions<T>>(arguments).run();
  } else {
    Backward<T, AnyFunctions<T>>(arguments).run();
  }
}

template <class T>
std::int64_t least_samples(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return recurrent_rows<T>(inputs[2].shape);
}

template <class T>
void register_for(KernelTable& table) {
  table.add("RecurrentGrad", dtype_of<T>,
            {.run = &run<T>,
             .workspace_bytes = &workspace_bytes<T>,
             .packed_bytes = &packed_bytes<T>,
             .pack = &pack<T>,
             .least_samples = &least_samples<T>,
             .least_chunk = &least_samples<T>});
}

}  // namespace

void register_recurrent_gradient_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
