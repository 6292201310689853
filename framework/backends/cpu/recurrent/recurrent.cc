#include <rhyton/framework/ops/recurrent.h>

#include <algorithm>
#include <cstring>

#include <rhyton/framework/backends/cpu/recurrent/activations.h>
#include <rhyton/framework/backends/cpu/recurrent/kernels.h>
#include <rhyton/framework/backends/cpu/recurrent/step_product.h>

namespace rhyton::cpu {
namespace {

/// The recurrent kernel's columns are multiplied in two parts for the gru, whose candidate has a product of its own.
template <class T>
struct ForwardWeights {
  PackedMatrix<T> gates;
  PackedMatrix<T> candidate;

  ForwardWeights(RecurrentCell cell, std::int64_t units, const T* packed) {
    const bool is_gru = cell == RecurrentCell::gru;
    const std::int64_t columns = units * (is_gru ? 2 : recurrent_gates(cell));
    gates = {packed, units, columns};
    if (is_gru) candidate = {packed + PackedMatrix<T>::size(units, columns), units, units};
  }

  static std::int64_t size(RecurrentCell cell, std::int64_t units) {
    const ForwardWeights weights(cell, units, nullptr);
    return PackedMatrix<T>::size(units, weights.gates.columns) +
           PackedMatrix<T>::size(units, weights.candidate.columns);
  }
};

template <class T>
std::size_t packed_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const RecurrentCell cell = static_cast<const RecurrentOp&>(op).cell.cell;
  return static_cast<std::size_t>(ForwardWeights<T>::size(cell, inputs[1].shape[0])) * sizeof(T);
}

template <class T>
void pack(const KernelArguments& arguments) {
  const RecurrentCell cell = arguments.attributes<RecurrentOp>().cell.cell;
  const TensorView& kernel = arguments.inputs[1];
  const std::int64_t units = kernel.shape()[0];
  const std::int64_t stride = kernel.shape()[1];
  T* const to = static_cast<T*>(arguments.workspace);
  const ForwardWeights<T> weights(cell, units, to);
  const T* const from = kernel.as<const T>();
  pack_matrix<T>(to, from, units, weights.gates.columns, stride, 1);
  if (weights.candidate.columns > 0) {
    pack_matrix<T>(to + PackedMatrix<T>::size(units, weights.gates.columns), from + weights.gates.columns, units, units,
                   stride, 1);
  }
}

/// Scratch memory: a row of zeros, and for the gru without `reset_after` the states times the reset gate.
template <class T>
struct ForwardScratch {
  T* zeros = nullptr;
  T* reset = nullptr;
  std::size_t bytes = 0;

  ForwardScratch(void* memory, std::int64_t units, int rows) {
    WorkspaceCutter cutter(memory);
    zeros = cutter.take<T>(units);
    reset = cutter.take<T>(units * rows);
    bytes = cutter.used();
  }
};

template <class T>
std::size_t workspace_bytes(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  const Shape& kernel = inputs[1].shape;
  return ForwardScratch<T>(nullptr, kernel[0], recurrent_rows<T>(kernel)).bytes;
}

template <class T, class Functions>
void lstm_row(const Functions& functions, std::int64_t units, T* gates, const T* c_before, T* c, T* h) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        T* const at = gates + k;
        const Vector<T> i = functions.s(loaded<T>(at, count));
        const Vector<T> f = functions.s(loaded<T>(at + units, count));
        const Vector<T> g = functions.a(loaded<T>(at + 2 * units, count));
        const Vector<T> o = functions.s(loaded<T>(at + 3 * units, count));
        const Vector<T> state = f * loaded<T>(c_before + k, count) + i * g;
        stored<T>(at, i, count);
        stored<T>(at + units, f, count);
        stored<T>(at + 2 * units, g, count);
        stored<T>(at + 3 * units, o, count);
        stored<T>(c + k, state, count);
        stored<T>(h + k, o * functions.a(state), count);
      });
}

template <class T, class Functions>
void simple_row(const Functions& functions, std::int64_t units, T* gates, T* h) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const Vector<T> value = functions.a(loaded<T>(gates + k, count));
        stored<T>(gates + k, value, count);
        stored<T>(h + k, value, count);
      });
}

/// `product` is the candidate's recurrent product with `reset_after`; without it, it is in the gates.
template <class T, class Functions>
void gru_row(const Functions& functions, std::int64_t units, T* gates, const T* product, const T* h_before, T* h) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        T* const at = gates + k;
        const Vector<T> z = functions.s(loaded<T>(at, count));
        stored<T>(at, z, count);
        Vector<T> sum = loaded<T>(at + 2 * units, count);
        if (product != nullptr) {
          const Vector<T> r = functions.s(loaded<T>(at + units, count));
          stored<T>(at + units, r, count);
          sum += r * loaded<T>(product + k, count);
        }
        const Vector<T> candidate = functions.a(sum);
        stored<T>(at + 2 * units, candidate, count);
        const Vector<T> before = loaded<T>(h_before + k, count);
        stored<T>(h + k, candidate + z * (before - candidate), count);
      });
}

/// to = r · h, where r is written in the place of its sum.
template <class T, class Functions>
void reset_row(const Functions& functions, std::int64_t units, T* gate, const T* h_before, T* to) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const Vector<T> r = functions.s(loaded<T>(gate + k, count));
        stored<T>(gate + k, r, count);
        stored<T>(to + k, r * loaded<T>(h_before + k, count), count);
      });
}

/// One call of the kernel.
template <class T, class Functions>
class Forward {
 public:
  explicit Forward(const KernelArguments& arguments)
      : cell_(arguments.attributes<RecurrentOp>().cell),
        functions_(cell_),
        position_(arguments.attributes<RecurrentOp>().operands()),
        arguments_(arguments),
        samples_(arguments.inputs[0].shape()[0]),
        steps_(arguments.inputs[0].shape()[1]),
        units_(arguments.inputs[1].shape()[0]),
        columns_(units_ * recurrent_gates(cell_.cell)),
        weights_(cell_.cell, units_, static_cast<const T*>(arguments.packed)),
        rows_(recurrent_rows<T>(view(position_.recurrent_kernel).shape())),
        scratch_(arguments.workspace, units_, rows_),
        projected_(input(position_.projected)),
        bias_(input(position_.recurrent_bias)),
        initial_h_(input(position_.initial_h)),
        initial_c_(input(position_.initial_c)),
        mask_(position_.mask < 0 ? nullptr : view(position_.mask).template as<const bool>()),
        h_(output(position_.h)),
        gates_(output(position_.gates)),
        residual_(output(position_.residual)) {}

  void run() {
    std::fill_n(scratch_.zeros, units_, T());
    for_each_tile(samples_, rows_, [&](std::int64_t first, int count) {
      for (std::int64_t step = 0; step < steps_; ++step) run_step(first, count, step);
      finish(first, count);
    });
  }

 private:
  const TensorView& view(int i) const { return arguments_.inputs[static_cast<std::size_t>(i)]; }
  const T* input(int i) const { return i < 0 ? nullptr : view(i).template as<const T>(); }
  T* output(int i) const { return i < 0 ? nullptr : arguments_.outputs[static_cast<std::size_t>(i)].template as<T>(); }

  /// The position in time of the step that is computed as that number.
  std::int64_t time_of(std::int64_t step) const { return cell_.reverse ? steps_ - 1 - step : step; }

  /// The state before a step: in `states` [samples, steps, units], or the initial one.
  const T* before(const T* states, const T* initial, std::int64_t sample, std::int64_t step) const {
    if (step > 0) return states + (sample * steps_ + time_of(step - 1)) * units_;
    return initial == nullptr ? scratch_.zeros : initial + sample * units_;
  }

  void run_step(std::int64_t first, int count, std::int64_t step) {
    const std::int64_t time = time_of(step);
    RowPointers<const T> h_before;
    RowPointers<T> gates;
    for (int row = 0; row < count; ++row) {
      const std::int64_t at = (first + row) * steps_ + time;
      h_before[static_cast<std::size_t>(row)] = before(h_, initial_h_, first + row, step);
      gates[static_cast<std::size_t>(row)] = gates_ + at * columns_;
      if (gates_ != projected_) {
        std::memcpy(gates_ + at * columns_, projected_ + at * columns_, static_cast<std::size_t>(columns_) * sizeof(T));
      }
    }
    const bool has_state = step > 0 || initial_h_ != nullptr;
    if (has_state) multiply_step<T>(weights_.gates, 0, units_, count, h_before, gates, true, bias_);
    if (cell_.cell == RecurrentCell::gru) {
      run_gru(first, count, step, h_before, gates, has_state);
      return;
    }
    for (int row = 0; row < count; ++row) {
      const std::int64_t at = (first + row) * steps_ + time;
      T* const h = h_ + at * units_;
      T* const from = gates[static_cast<std::size_t>(row)];
      const T* const c_before = is_lstm() ? before(residual_, initial_c_, first + row, step) : nullptr;
      if (is_lstm()) {
        lstm_row<T>(functions_, units_, from, c_before, residual_ + at * units_, h);
      } else {
        simple_row<T>(functions_, units_, from, h);
      }
      if (mask_ == nullptr || mask_[at]) continue;
      std::copy_n(h_before[static_cast<std::size_t>(row)], units_, h);
      if (is_lstm()) std::copy_n(c_before, units_, residual_ + at * units_);
    }
  }

  void run_gru(std::int64_t first, int count, std::int64_t step, const RowPointers<const T>& h_before,
               const RowPointers<T>& gates, bool has_state) {
    const std::int64_t time = time_of(step);
    RowPointers<T> products;
    if (cell_.reset_after) {
      for (int row = 0; row < count; ++row) {
        products[static_cast<std::size_t>(row)] = residual_ + ((first + row) * steps_ + time) * units_;
      }
      const T* const bias = bias_ == nullptr ? nullptr : bias_ + 2 * units_;
      if (has_state) {
        multiply_step<T>(weights_.candidate, 0, units_, count, h_before, products, false, bias);
      } else {
        start_without_state(count, gates, products);
      }
    } else {
      RowPointers<const T> from;
      RowPointers<T> to;
      for (int row = 0; row < count; ++row) {
        const auto i = static_cast<std::size_t>(row);
        T* const reset = scratch_.reset + row * units_;
        reset_row<T>(functions_, units_, gates[i] + units_, h_before[i], reset);
        from[i] = reset;
        to[i] = gates[i] + 2 * units_;
      }
      if (has_state) multiply_step<T>(weights_.candidate, 0, units_, count, from, to, true);
    }
    for (int row = 0; row < count; ++row) {
      const auto i = static_cast<std::size_t>(row);
      const std::int64_t at = (first + row) * steps_ + time;
      T* const h = h_ + at * units_;
      gru_row<T>(functions_, units_, gates[i], cell_.reset_after ? products[i] : nullptr, h_before[i], h);
      if (mask_ != nullptr && !mask_[at]) std::copy_n(h_before[i], units_, h);
    }
  }

  // The recurrent product of zeros is the bias.
  void start_without_state(int count, const RowPointers<T>& gates, const RowPointers<T>& products) {
    for (int row = 0; row < count; ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (bias_ == nullptr) {
        std::fill_n(products[i], units_, T());
        continue;
      }
      std::copy_n(bias_ + 2 * units_, units_, products[i]);
      for (std::int64_t k = 0; k < 2 * units_; ++k) gates[i][k] += bias_[k];
    }
  }

  void finish(std::int64_t first, int count) {
    T* const final_h = output(position_.final_h);
    T* const final_c = output(position_.final_c);
    for (std::int64_t sample = first; sample < first + count; ++sample) {
      std::copy_n(before(h_, initial_h_, sample, steps_), units_, final_h + sample * units_);
      if (is_lstm()) std::copy_n(before(residual_, initial_c_, sample, steps_), units_, final_c + sample * units_);
    }
  }

  bool is_lstm() const { return cell_.cell == RecurrentCell::lstm; }

  const RecurrentAttributes& cell_;
  const Functions functions_;
  const RecurrentOperands position_;
  const KernelArguments& arguments_;
  const std::int64_t samples_;
  const std::int64_t steps_;
  const std::int64_t units_;
  const std::int64_t columns_;
  const ForwardWeights<T> weights_;
  const int rows_;
  const ForwardScratch<T> scratch_;
  const T* const projected_;
  const T* const bias_;
  const T* const initial_h_;
  const T* const initial_c_;
  const bool* const mask_;
  T* const h_;
  T* const gates_;
  T* const residual_;
};

template <class T>
void run(const KernelArguments& arguments) {
  if (DefaultFunctions<T>::are_of(arguments.attributes<RecurrentOp>().cell)) {
    Forward<T, DefaultFunctions<T>>(arguments).run();
  } else {
    Forward<T, AnyFunctions<T>>(arguments).run();
  }
}

template <class T>
std::int64_t least_samples(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return recurrent_rows<T>(inputs[1].shape);
}

template <class T>
void register_for(KernelTable& table) {
  table.add("Recurrent", dtype_of<T>,
            {.run = &run<T>,
             .workspace_bytes = &workspace_bytes<T>,
             .packed_bytes = &packed_bytes<T>,
             .pack = &pack<T>,
             .least_samples = &least_samples<T>,
             .least_chunk = &least_samples<T>});
}

}  // namespace

void register_recurrent_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  register_recurrent_gradient_kernels(table);
}

}  // namespace rhyton::cpu
