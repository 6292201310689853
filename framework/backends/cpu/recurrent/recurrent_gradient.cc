#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/cpu/recurrent/activations.h>
#include <rhyton/framework/backends/cpu/recurrent/kernels.h>
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

/// What the gradient of one step of one sample reads and writes. `dh` and `dc` are the gradients of the states after the
/// step and become, without the recurrent product's part, those of the states before it. `dgates` may be `gates`.
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
        const Vector<T> dh = loaded<T>(row.dh + k, count) + loaded<T>(row.dh_output + k, count);
        stored<T>(row.dgates + k, dh * functions.slope_of_a(loaded<T>(row.gates + k, count)), count);
        stored<T>(row.dh + k, Vector<T>{}, count);
      });
}

template <class T, class Functions>
void lstm_row(const Functions& functions, std::int64_t units, const StepRow<T>& row) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const T* const at = row.gates + k;
        T* const to = row.dgates + k;
        const Vector<T> i = loaded<T>(at, count);
        const Vector<T> f = loaded<T>(at + units, count);
        const Vector<T> g = loaded<T>(at + 2 * units, count);
        const Vector<T> o = loaded<T>(at + 3 * units, count);
        const Vector<T> output = functions.a(loaded<T>(row.residual + k, count));
        const Vector<T> dh = loaded<T>(row.dh + k, count) + loaded<T>(row.dh_output + k, count);
        const Vector<T> dc = loaded<T>(row.dc + k, count) + dh * o * functions.slope_of_a(output);
        stored<T>(to, dc * g * functions.slope_of_s(i), count);
        stored<T>(to + units, dc * loaded<T>(row.c_before + k, count) * functions.slope_of_s(f), count);
        stored<T>(to + 2 * units, dc * i * functions.slope_of_a(g), count);
        stored<T>(to + 3 * units, dh * output * functions.slope_of_s(o), count);
        stored<T>(row.dc + k, dc * f, count);
        stored<T>(row.dh + k, Vector<T>{}, count);
      });
}

template <class T, class Functions>
void gru_row(const Functions& functions, std::int64_t units, const StepRow<T>& row) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const T* const at = row.gates + k;
        T* const to = row.dgates + k;
        const Vector<T> z = loaded<T>(at, count);
        const Vector<T> r = loaded<T>(at + units, count);
        const Vector<T> candidate = loaded<T>(at + 2 * units, count);
        const Vector<T> dh = loaded<T>(row.dh + k, count) + loaded<T>(row.dh_output + k, count);
        const Vector<T> dz = dh * (loaded<T>(row.h_before + k, count) - candidate) * functions.slope_of_s(z);
        const Vector<T> dcandidate = dh * (T(1) - z) * functions.slope_of_a(candidate);
        stored<T>(to, dz, count);
        stored<T>(to + 2 * units, dcandidate, count);
        stored<T>(row.dh + k, dh * z, count);
        if (row.drecurrent == nullptr) return;
        const Vector<T> dr = dcandidate * loaded<T>(row.residual + k, count) * functions.slope_of_s(r);
        stored<T>(to + units, dr, count);
        T* const of_product = row.drecurrent + k;
        stored<T>(of_product, dz, count);
        stored<T>(of_product + units, dr, count);
        stored<T>(of_product + 2 * units, dcandidate * r, count);
      });
}

/// For the gru without `reset_after`: the reset gate's gradient from that of r · h.
template <class T, class Functions>
void reset_row(const Functions& functions, std::int64_t units, const StepRow<T>& row, const T* dreset) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const Vector<T> r = loaded<T>(row.gates + units + k, count);
        const Vector<T> gradient = loaded<T>(dreset + k, count);
        const Vector<T> dr = gradient * loaded<T>(row.h_before + k, count) * functions.slope_of_s(r);
        stored<T>(row.dgates + units + k, dr, count);
        stored<T>(row.dh + k, loaded<T>(row.dh + k, count) + gradient * r, count);
      });
}

/// One call of the kernel.
template <class T, class Functions>
class Backward {
 public:
  explicit Backward(const KernelArguments& arguments)
      : cell_(arguments.attributes<RecurrentGradOp>().cell),
        functions_(cell_),
        position_(arguments.attributes<RecurrentGradOp>().operands()),
        arguments_(arguments),
        samples_(view(position_.h).shape()[0]),
        steps_(view(position_.h).shape()[1]),
        units_(view(position_.h).shape()[2]),
        columns_(units_ * recurrent_gates(cell_.cell)),
        weights_{static_cast<const T*>(arguments.packed), columns_, units_},
        rows_(recurrent_rows<T>(view(position_.recurrent_kernel).shape())),
        scratch_(arguments.workspace, units_, rows_),
        gates_(input(position_.gates)),
        h_(input(position_.h)),
        residual_(input(position_.residual)),
        initial_h_(input(position_.initial_h)),
        initial_c_(input(position_.initial_c)),
        mask_(position_.mask < 0 ? nullptr : view(position_.mask).template as<const bool>()),
        dh_(input(position_.dh)),
        dprojected_(output(position_.dprojected)),
        drecurrent_(output(position_.drecurrent)) {}

  void run() {
    std::fill_n(scratch_.zeros, units_, T());
    for_each_tile(samples_, rows_, [&](std::int64_t first, int count) {
      begin(first, count);
      for (std::int64_t step = steps_ - 1; step >= 0; --step) run_step(first, count, step);
      finish(first, count);
    });
  }

 private:
  const TensorView& view(int i) const { return arguments_.inputs[static_cast<std::size_t>(i)]; }
  const T* input(int i) const { return i < 0 ? nullptr : view(i).template as<const T>(); }
  T* output(int i) const { return i < 0 ? nullptr : arguments_.outputs[static_cast<std::size_t>(i)].template as<T>(); }

  std::int64_t time_of(std::int64_t step) const { return cell_.reverse ? steps_ - 1 - step : step; }

  /// The state before a step: in `states` [samples, steps, units], or the initial one.
  const T* before(const T* states, const T* initial, std::int64_t sample, std::int64_t step) const {
    if (step > 0) return states + (sample * steps_ + time_of(step - 1)) * units_;
    return initial == nullptr ? scratch_.zeros : initial + sample * units_;
  }

  void begin(std::int64_t first, int count) {
    const std::int64_t size = count * units_;
    const T* const dfinal_h = input(position_.dfinal_h);
    const T* const dfinal_c = input(position_.dfinal_c);
    std::fill_n(scratch_.dh, size, T());
    std::fill_n(scratch_.dc, size, T());
    if (dfinal_h != nullptr) std::copy_n(dfinal_h + first * units_, size, scratch_.dh);
    if (dfinal_c != nullptr) std::copy_n(dfinal_c + first * units_, size, scratch_.dc);
  }

  void finish(std::int64_t first, int count) {
    T* const dinitial_h = output(position_.dinitial_h);
    T* const dinitial_c = output(position_.dinitial_c);
    if (dinitial_h != nullptr) std::copy_n(scratch_.dh, count * units_, dinitial_h + first * units_);
    if (dinitial_c != nullptr) std::copy_n(scratch_.dc, count * units_, dinitial_c + first * units_);
  }

  StepRow<T> row_of(std::int64_t first, int row, std::int64_t step) const {
    const std::int64_t sample = first + row;
    const std::int64_t at = sample * steps_ + time_of(step);
    StepRow<T> result;
    result.gates = gates_ + at * columns_;
    result.residual = residual_ == nullptr ? nullptr : residual_ + at * units_;
    result.h_before = before(h_, initial_h_, sample, step);
    if (is_lstm()) result.c_before = before(residual_, initial_c_, sample, step);
    result.dh_output = dh_ == nullptr ? scratch_.zeros : dh_ + at * units_;
    result.dgates = dprojected_ + at * columns_;
    result.drecurrent = drecurrent_ == nullptr ? nullptr : drecurrent_ + at * columns_;
    result.dh = scratch_.dh + row * units_;
    result.dc = scratch_.dc + row * units_;
    return result;
  }

  bool is_masked(std::int64_t sample, std::int64_t step) const {
    return mask_ != nullptr && !mask_[sample * steps_ + time_of(step)];
  }

  /// The states were carried through: so are their gradients.
  void carry(const StepRow<T>& row) const {
    for (std::int64_t k = 0; k < units_; ++k) row.dh[k] += row.dh_output[k];
    std::fill_n(row.dgates, columns_, T());
    if (row.drecurrent != nullptr) std::fill_n(row.drecurrent, columns_, T());
  }

  void run_step(std::int64_t first, int count, std::int64_t step) {
    RowPointers<const T> factors;
    RowPointers<T> sums;
    for (int i = 0; i < count; ++i) {
      const StepRow<T> row = row_of(first, i, step);
      factors[static_cast<std::size_t>(i)] = row.drecurrent == nullptr ? row.dgates : row.drecurrent;
      sums[static_cast<std::size_t>(i)] = row.dh;
      if (is_masked(first + i, step)) {
        carry(row);
      } else if (is_lstm()) {
        lstm_row<T>(functions_, units_, row);
      } else if (cell_.cell == RecurrentCell::gru) {
        gru_row<T>(functions_, units_, row);
      } else {
        simple_row<T>(functions_, units_, row);
      }
    }
    const bool is_reset_before = cell_.cell == RecurrentCell::gru && !cell_.reset_after;
    if (is_reset_before) reset(first, count, step, factors);
    if (step == 0 && initial_h_ == nullptr) return;
    multiply_step<T>(weights_, 0, is_reset_before ? 2 * units_ : columns_, count, factors, sums, true);
  }

  /// The gru's candidate without `reset_after`: its product is of r · h.
  void reset(std::int64_t first, int count, std::int64_t step, const RowPointers<const T>& dgates) {
    RowPointers<const T> factors;
    RowPointers<T> products;
    for (int i = 0; i < count; ++i) {
      factors[static_cast<std::size_t>(i)] = dgates[static_cast<std::size_t>(i)] + 2 * units_;
      products[static_cast<std::size_t>(i)] = scratch_.dreset + i * units_;
    }
    multiply_step<T>(weights_, 2 * units_, units_, count, factors, products, false);
    for (int i = 0; i < count; ++i) {
      if (is_masked(first + i, step)) continue;
      reset_row<T>(functions_, units_, row_of(first, i, step), scratch_.dreset + i * units_);
    }
  }

  bool is_lstm() const { return cell_.cell == RecurrentCell::lstm; }

  const RecurrentAttributes& cell_;
  const Functions functions_;
  const RecurrentGradOperands position_;
  const KernelArguments& arguments_;
  const std::int64_t samples_;
  const std::int64_t steps_;
  const std::int64_t units_;
  const std::int64_t columns_;
  const PackedMatrix<T> weights_;
  const int rows_;
  const BackwardScratch<T> scratch_;
  const T* const gates_;
  const T* const h_;
  const T* const residual_;
  const T* const initial_h_;
  const T* const initial_c_;
  const bool* const mask_;
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
