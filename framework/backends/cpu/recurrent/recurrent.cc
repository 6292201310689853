#include <rhyton/framework/ops/recurrent.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <rhyton/framework/backends/cpu/primitives/vector_part.h>
#include <rhyton/framework/backends/cpu/recurrent/activations.h>
#include <rhyton/framework/backends/cpu/recurrent/kernels.h>
#include <rhyton/framework/backends/cpu/recurrent/recurrent_call.h>
#include <rhyton/framework/backends/cpu/recurrent/step_product.h>

namespace rhyton::cpu {
namespace {

/// The recurrent kernel's columns are multiplied in two parts for the gru, whose candidate has a product of its own.
template <class T>
struct ForwardWeights {
  PackedMatrix<T> gates;
  PackedMatrix<T> candidate;

  ForwardWeights(RecurrentCell cell, std::int64_t units, const T* packed) {
    const std::int64_t columns = gate_columns(cell, units);
    gates = {packed, units, columns};
    if (cell == RecurrentCell::gru) candidate = {packed + PackedMatrix<T>::size(units, columns), units, units};
  }

  static std::int64_t size(RecurrentCell cell, std::int64_t units) {
    return PackedMatrix<T>::size(units, gate_columns(cell, units)) +
           (cell == RecurrentCell::gru ? PackedMatrix<T>::size(units, units) : 0);
  }

 private:
  static std::int64_t gate_columns(RecurrentCell cell, std::int64_t units) {
    return units * (cell == RecurrentCell::gru ? 2 : recurrent_gates(cell));
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
        const Vector<T> i = functions.s(load_some<T>(at, count));
        const Vector<T> f = functions.s(load_some<T>(at + units, count));
        const Vector<T> g = functions.a(load_some<T>(at + 2 * units, count));
        const Vector<T> o = functions.s(load_some<T>(at + 3 * units, count));
        const Vector<T> state = f * load_some<T>(c_before + k, count) + i * g;
        store_some<T>(at, i, count);
        store_some<T>(at + units, f, count);
        store_some<T>(at + 2 * units, g, count);
        store_some<T>(at + 3 * units, o, count);
        store_some<T>(c + k, state, count);
        store_some<T>(h + k, o * functions.a(state), count);
      });
}

template <class T, class Functions>
void simple_row(const Functions& functions, std::int64_t units, T* gates, T* h) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const Vector<T> value = functions.a(load_some<T>(gates + k, count));
        store_some<T>(gates + k, value, count);
        store_some<T>(h + k, value, count);
      });
}

/// `product` is the candidate's recurrent product with `reset_after`; without it, it is in the gates.
template <class T, class Functions>
void gru_row(const Functions& functions, std::int64_t units, T* gates, const T* product, const T* h_before, T* h) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        T* const at = gates + k;
        const Vector<T> z = functions.s(load_some<T>(at, count));
        store_some<T>(at, z, count);
        Vector<T> sum = load_some<T>(at + 2 * units, count);
        if (product != nullptr) {
          const Vector<T> r = functions.s(load_some<T>(at + units, count));
          store_some<T>(at + units, r, count);
          sum += r * load_some<T>(product + k, count);
        }
        const Vector<T> candidate = functions.a(sum);
        store_some<T>(at + 2 * units, candidate, count);
        const Vector<T> before = load_some<T>(h_before + k, count);
        store_some<T>(h + k, candidate + z * (before - candidate), count);
      });
}

/// to = r · h, where r is written in the place of its sum.
template <class T, class Functions>
void reset_row(const Functions& functions, std::int64_t units, T* gate, const T* h_before, T* to) {
  for_each_vector<T>(
      units, [&](std::int64_t k, int count) __attribute__((always_inline)) {
        const Vector<T> r = functions.s(load_some<T>(gate + k, count));
        store_some<T>(gate + k, r, count);
        store_some<T>(to + k, r * load_some<T>(h_before + k, count), count);
      });
}

/// The samples whose states change in a step.
template <class T>
struct ActiveRows {
  int count = 0;
  std::array<std::int64_t, max_recurrent_rows> samples;
  RowPointers<const T> h_before;
  RowPointers<T> gates;
};

/// One call of the kernel.
template <class T, class Functions>
class Forward {
 public:
  explicit Forward(const KernelArguments& arguments)
      : call_(arguments, arguments.attributes<RecurrentOp>().cell, arguments.attributes<RecurrentOp>().operands(),
              arguments.attributes<RecurrentOp>().operands().projected),
        functions_(call_.cell),
        weights_(call_.cell.cell, call_.units, static_cast<const T*>(arguments.packed)),
        scratch_(arguments.workspace, call_.units, call_.rows),
        projected_(call_.input(call_.position.projected)),
        bias_(call_.input(call_.position.recurrent_bias)),
        h_(call_.output(call_.position.h)),
        gates_(call_.output(call_.position.gates)),
        residual_(call_.output(call_.position.residual)) {}

  void run() {
    std::fill_n(scratch_.zeros, call_.units, T());
    for_each_tile(call_.samples, call_.rows, [&](std::int64_t first, int count) {
      for (std::int64_t step = 0; step < call_.steps; ++step) run_step(first, count, step);
      finish(first, count);
    });
  }

 private:
  // Samples whose step is masked take no part in the products: their states are carried on.
  void run_step(std::int64_t first, int count, std::int64_t step) {
    const std::int64_t time = call_.time_of(step);
    ActiveRows<T> rows;
    for (std::int64_t sample = first; sample < first + count; ++sample) {
      const std::int64_t at = sample * call_.steps + time;
      if (call_.is_masked(at)) {
        carry(sample, step);
        continue;
      }
      const auto i = static_cast<std::size_t>(rows.count++);
      rows.samples[i] = sample;
      rows.h_before[i] = call_.before(h_, call_.initial_h, scratch_.zeros, sample, step);
      rows.gates[i] = gates_ + at * call_.columns;
      if (gates_ != projected_) {
        std::memcpy(gates_ + at * call_.columns, projected_ + at * call_.columns,
                    static_cast<std::size_t>(call_.columns) * sizeof(T));
      }
    }
    if (rows.count == 0) return;
    const bool has_state = step > 0 || call_.initial_h != nullptr;
    if (has_state) {
      multiply_step<T>(weights_.gates, 0, call_.units, rows.count, rows.h_before, rows.gates, true, bias_);
    }
    if (call_.is_gru()) {
      run_gru(rows, time, has_state);
      return;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
      const std::int64_t at = rows.samples[i] * call_.steps + time;
      T* const h = h_ + at * call_.units;
      if (call_.is_lstm()) {
        const T* const c_before = call_.before(residual_, call_.initial_c, scratch_.zeros, rows.samples[i], step);
        lstm_row<T>(functions_, call_.units, rows.gates[i], c_before, residual_ + at * call_.units, h);
      } else {
        simple_row<T>(functions_, call_.units, rows.gates[i], h);
      }
    }
  }

  void carry(std::int64_t sample, std::int64_t step) {
    const std::int64_t at = sample * call_.steps + call_.time_of(step);
    const std::int64_t units = call_.units;
    std::copy_n(call_.before(h_, call_.initial_h, scratch_.zeros, sample, step), units, h_ + at * units);
    std::fill_n(gates_ + at * call_.columns, call_.columns, T());
    if (residual_ == nullptr) return;
    if (call_.is_lstm()) {
      std::copy_n(call_.before(residual_, call_.initial_c, scratch_.zeros, sample, step), units,
                  residual_ + at * units);
    } else {
      std::fill_n(residual_ + at * units, units, T());
    }
  }

  void run_gru(const ActiveRows<T>& rows, std::int64_t time, bool has_state) {
    const auto count = static_cast<std::size_t>(rows.count);
    RowPointers<T> products;
    if (call_.cell.reset_after) {
      for (std::size_t i = 0; i < count; ++i) {
        products[i] = residual_ + (rows.samples[i] * call_.steps + time) * call_.units;
      }
      const T* const bias = bias_ == nullptr ? nullptr : bias_ + 2 * call_.units;
      if (has_state) {
        multiply_step<T>(weights_.candidate, 0, call_.units, rows.count, rows.h_before, products, false, bias);
      } else {
        start_without_state(rows, products);
      }
    } else {
      RowPointers<const T> from;
      RowPointers<T> to;
      for (std::size_t i = 0; i < count; ++i) {
        T* const reset = scratch_.reset + static_cast<std::int64_t>(i) * call_.units;
        reset_row<T>(functions_, call_.units, rows.gates[i] + call_.units, rows.h_before[i], reset);
        from[i] = reset;
        to[i] = rows.gates[i] + 2 * call_.units;
      }
      if (has_state) multiply_step<T>(weights_.candidate, 0, call_.units, rows.count, from, to, true);
    }
    for (std::size_t i = 0; i < count; ++i) {
      T* const h = h_ + (rows.samples[i] * call_.steps + time) * call_.units;
      gru_row<T>(functions_, call_.units, rows.gates[i], call_.cell.reset_after ? products[i] : nullptr,
                 rows.h_before[i], h);
    }
  }

  // The recurrent product of zeros is the bias.
  void start_without_state(const ActiveRows<T>& rows, const RowPointers<T>& products) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
      if (bias_ == nullptr) {
        std::fill_n(products[i], call_.units, T());
        continue;
      }
      std::copy_n(bias_ + 2 * call_.units, call_.units, products[i]);
      for (std::int64_t k = 0; k < 2 * call_.units; ++k) rows.gates[i][k] += bias_[k];
    }
  }

  void finish(std::int64_t first, int count) {
    T* const final_h = call_.output(call_.position.final_h);
    T* const final_c = call_.output(call_.position.final_c);
    for (std::int64_t sample = first; sample < first + count; ++sample) {
      std::copy_n(call_.before(h_, call_.initial_h, scratch_.zeros, sample, call_.steps), call_.units,
                  final_h + sample * call_.units);
      if (!call_.is_lstm()) continue;
      std::copy_n(call_.before(residual_, call_.initial_c, scratch_.zeros, sample, call_.steps), call_.units,
                  final_c + sample * call_.units);
    }
  }

  const RecurrentCall<T, RecurrentOperands> call_;
  const Functions functions_;
  const ForwardWeights<T> weights_;
  const ForwardScratch<T> scratch_;
  const T* const projected_;
  const T* const bias_;
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
