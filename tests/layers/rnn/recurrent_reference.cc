#include <rhyton/tests/layers/rnn/recurrent_reference.h>

#include <cstdint>

namespace rhyton::test {
namespace {

/// A matrix [rows, columns], or a vector as one row.
struct Matrix {
  explicit Matrix(const Tensor& tensor)
      : values(tensor.to_vector()), columns(static_cast<std::size_t>(tensor.shape()[tensor.rank() - 1])) {}
  double operator()(std::size_t row, std::size_t column) const { return values[row * columns + column]; }

  std::vector<double> values;
  std::size_t columns;
};

/// Row · column of a matrix.
double dot(const double* row, const Matrix& matrix, std::size_t column) {
  double result = 0;
  for (std::size_t i = 0; i < matrix.values.size() / matrix.columns; ++i) result += row[i] * matrix(i, column);
  return result;
}

}  // namespace

RecurrentReference::Result RecurrentReference::operator()(const Tensor& x, const std::vector<Tensor>& weights,
                                                          const std::vector<bool>& mask,
                                                          const std::vector<Tensor>& states) const {
  const auto length = [&](int axis) { return static_cast<std::size_t>(x.shape()[axis]); };
  const std::size_t batch = length(0);
  const std::size_t steps = length(1);
  const std::size_t features = length(2);
  const Matrix kernel(weights[0]);
  const Matrix recurrent(weights[1]);
  const std::size_t units = static_cast<std::size_t>(weights[1].shape()[0]);
  const std::vector<double> inputs = x.to_vector();
  const auto bias = [&](std::size_t row, std::size_t column) {
    if (weights.size() < 3 || (row == 1 && weights[2].rank() == 1)) return 0.0;
    return Matrix(weights[2])(row, column);
  };
  Result result{.outputs = std::vector<double>(batch * steps * units), .last_output = {}, .h = {}, .c = {}};
  for (std::size_t sample = 0; sample < batch; ++sample) {
    const auto initial = [&](std::size_t state) {
      if (states.empty()) return std::vector<double>(units, 0.0);
      const std::vector<double> all = states[state].to_vector();
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(sample * units),
                                 all.begin() + static_cast<std::ptrdiff_t>((sample + 1) * units));
    };
    std::vector<double> h = initial(0);
    std::vector<double> c = cell == RecurrentCell::lstm ? initial(1) : std::vector<double>();
    std::vector<double> output(units, 0.0);
    for (std::size_t t = 0; t < steps; ++t) {
      const std::size_t step = go_backwards ? steps - 1 - t : t;
      if (mask.empty() || mask[sample * steps + step]) {
        const double* const row = inputs.data() + (sample * steps + step) * features;
        const auto from_x = [&](std::size_t gate, std::size_t unit) {
          return dot(row, kernel, gate * units + unit) + bias(0, gate * units + unit);
        };
        const auto from_h = [&](const std::vector<double>& state, std::size_t gate, std::size_t unit) {
          return dot(state.data(), recurrent, gate * units + unit) + bias(1, gate * units + unit);
        };
        const auto gate_of = [&](std::size_t gate, std::size_t unit) {
          return recurrent_activation(from_x(gate, unit) + from_h(h, gate, unit));
        };
        std::vector<double> next(units);
        std::vector<double> reset = h;
        if (cell == RecurrentCell::gru && !reset_after) {
          for (std::size_t unit = 0; unit < units; ++unit) reset[unit] = gate_of(1, unit) * h[unit];
        }
        std::vector<double> next_c(c);
        for (std::size_t unit = 0; unit < units; ++unit) {
          if (cell == RecurrentCell::simple_rnn) {
            next[unit] = activation(from_x(0, unit) + from_h(h, 0, unit));
          } else if (cell == RecurrentCell::lstm) {
            next_c[unit] =
                gate_of(1, unit) * c[unit] + gate_of(0, unit) * activation(from_x(2, unit) + from_h(h, 2, unit));
            next[unit] = gate_of(3, unit) * activation(next_c[unit]);
          } else {
            const double from_state = reset_after ? gate_of(1, unit) * from_h(h, 2, unit) : from_h(reset, 2, unit);
            const double z = gate_of(0, unit);
            next[unit] = z * h[unit] + (1 - z) * activation(from_x(2, unit) + from_state);
          }
        }
        h = next;
        c = next_c;
        output = next;
      } else if (zero_output_for_mask) {
        output.assign(units, 0.0);
      }
      for (std::size_t unit = 0; unit < units; ++unit) {
        result.outputs[(sample * steps + t) * units + unit] = output[unit];
      }
    }
    result.last_output.insert(result.last_output.end(), output.begin(), output.end());
    result.h.insert(result.h.end(), h.begin(), h.end());
    result.c.insert(result.c.end(), c.begin(), c.end());
  }
  return result;
}

}  // namespace rhyton::test
