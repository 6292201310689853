#pragma once

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

// Minimal filtering of a 3 x 3 window (Lavin and Gray, arXiv:1509.09308): with d a tile of the input, g the kernel and
// ⊙ the product of elements, the tile of the output is Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A. A scheme contains the matrices for
// the input, the kernel and the products.

/// Tiles of 2 x 2 outputs; points 0, 1, -1, ∞.
struct Winograd2 {
  static constexpr int inputs = 4;
  static constexpr int points = 4;
  static constexpr int outputs = 2;
  static constexpr double input[points][inputs] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static constexpr double kernel[points][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  static constexpr double output[outputs][points] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
};

/// Tiles of 3 x 3 outputs; points 0, 1, -1, 2, ∞.
struct Winograd3 {
  static constexpr int inputs = 5;
  static constexpr int points = 5;
  static constexpr int outputs = 3;
  static constexpr double input[points][inputs] = {
      {2, -1, -2, 1, 0}, {0, -2, -1, 1, 0}, {0, 2, -3, 1, 0}, {0, -1, 0, 1, 0}, {0, 2, -1, -2, 1}};
  static constexpr double kernel[points][3] = {{1.0 / 2, 0, 0},
                                               {-1.0 / 2, -1.0 / 2, -1.0 / 2},
                                               {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                               {1.0 / 6, 1.0 / 3, 2.0 / 3},
                                               {0, 0, 1}};
  static constexpr double output[outputs][points] = {{1, 1, 1, 1, 0}, {0, 1, -1, 2, 0}, {0, 1, 1, 4, 1}};
};

/// Tiles of 4 x 4 outputs; points 0, 1, -1, 2, -2, ∞.
struct Winograd4 {
  static constexpr int inputs = 6;
  static constexpr int points = 6;
  static constexpr int outputs = 4;
  static constexpr double input[points][inputs] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                                   {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
  static constexpr double kernel[points][3] = {{1.0 / 4, 0, 0},
                                               {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                               {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                               {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                               {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                               {0, 0, 1}};
  static constexpr double output[outputs][points] = {
      {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
};

/// The derivative of a scheme: from the gradient of one tile of the output to that of its tile of the input, B [(G g
/// Gᵀ)ᵀ ⊙ (A dy Aᵀ)] Bᵀ. Tiles of the input overlap, so it is for images of one tile.
template <class Scheme>
struct WinogradAdjoint {
  static constexpr int inputs = Scheme::outputs;
  static constexpr int points = Scheme::points;
  static constexpr int outputs = Scheme::inputs;

  struct Matrices {
    double input[points][inputs];
    double output[outputs][points];
  };
  static constexpr Matrices transposed = [] {
    Matrices result{};
    for (int point = 0; point < points; ++point) {
      for (int i = 0; i < inputs; ++i) result.input[point][i] = Scheme::output[i][point];
      for (int i = 0; i < outputs; ++i) result.output[i][point] = Scheme::input[point][i];
    }
    return result;
  }();
  static constexpr auto& input = transposed.input;
  static constexpr auto& kernel = Scheme::kernel;
  static constexpr auto& output = transposed.output;
};

// Selects a matrix of a scheme.
template <class Scheme>
struct InputMatrix {
  static constexpr int rows = Scheme::points;
  static constexpr int columns = Scheme::inputs;
  static constexpr double at(int row, int column) { return Scheme::input[row][column]; }
};
template <class Scheme>
struct KernelMatrix {
  static constexpr int rows = Scheme::points;
  static constexpr int columns = 3;
  static constexpr double at(int row, int column) { return Scheme::kernel[row][column]; }
};
template <class Scheme>
struct OutputMatrix {
  static constexpr int rows = Scheme::outputs;
  static constexpr int columns = Scheme::points;
  static constexpr double at(int row, int column) { return Scheme::output[row][column]; }
};

// The same, transposed, for derivatives with respect to the kernel.
template <class Scheme>
struct OutputGradientMatrix {
  static constexpr int rows = Scheme::points;
  static constexpr int columns = Scheme::outputs;
  static constexpr double at(int row, int column) { return Scheme::output[column][row]; }
};
template <class Scheme>
struct KernelGradientMatrix {
  static constexpr int rows = 3;
  static constexpr int columns = Scheme::points;
  static constexpr double at(int row, int column) { return Scheme::kernel[column][row]; }
};

/// sum += coefficient * value, without an operation for 0 and without a product for 1 and -1.
template <class T, class Matrix, int row, int column, bool is_first>
__attribute__((always_inline)) inline void add_term(Vector<T>& sum, const Vector<T>& value) {
  constexpr double coefficient = Matrix::at(row, column);
  if constexpr (is_first) {
    if constexpr (coefficient == 1) {
      sum = value;
    } else if constexpr (coefficient == -1) {
      sum = -value;
    } else {
      sum = static_cast<T>(coefficient) * value;
    }
  } else if constexpr (coefficient == 1) {
    sum += value;
  } else if constexpr (coefficient == -1) {
    sum -= value;
  } else {
    sum += static_cast<T>(coefficient) * value;
  }
}

/// The column of the first nonzero coefficient, a positive one if there is one.
template <class Matrix>
constexpr int first_term(int row) {
  for (int column = 0; column < Matrix::columns; ++column) {
    if (Matrix::at(row, column) > 0) return column;
  }
  for (int column = 0; column < Matrix::columns; ++column) {
    if (Matrix::at(row, column) != 0) return column;
  }
  return 0;
}

/// results = matrix values.
template <class T, class Matrix>
__attribute__((always_inline)) inline void apply_matrix(Vector<T> (&results)[Matrix::rows],
                                                        const Vector<T> (&values)[Matrix::columns]) {
  repeat<Matrix::rows>([&](auto row) __attribute__((always_inline)) {
    constexpr int first = first_term<Matrix>(row);
    add_term<T, Matrix, row, first, true>(results[row], values[first]);
    repeat<Matrix::columns>([&](auto column) __attribute__((always_inline)) {
      if constexpr (column != first && Matrix::at(row, column) != 0) {
        add_term<T, Matrix, row, column, false>(results[row], values[column]);
      }
    });
  });
}

/// result = matrix tile matrixᵀ, where load(row, column) returns the tile's elements, a register of channels each, and
/// store(row, column, value) receives the result's.
template <class T, class Matrix, class Load, class Store>
__attribute__((always_inline)) inline void apply_on_both_sides(Load&& load, Store&& store) {
  Vector<T> half[Matrix::rows][Matrix::columns];
  repeat<Matrix::columns>([&](auto column) __attribute__((always_inline)) {
    Vector<T> values[Matrix::columns];
    Vector<T> results[Matrix::rows];
    repeat<Matrix::columns>([&](auto row) __attribute__((always_inline)) { load(values[row], row, column); });
    apply_matrix<T, Matrix>(results, values);
    repeat<Matrix::rows>([&](auto row) __attribute__((always_inline)) { half[row][column] = results[row]; });
  });
  repeat<Matrix::rows>([&](auto row) __attribute__((always_inline)) {
    Vector<T> results[Matrix::rows];
    apply_matrix<T, Matrix>(results, half[row]);
    repeat<Matrix::rows>([&](auto column) __attribute__((always_inline)) { store(row, column, results[column]); });
  });
}

}  // namespace rhyton::cpu
