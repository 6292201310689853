#pragma once

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

// Minimal filtering (Lavin and Gray, arXiv:1509.09308). Along one axis, with d a piece of the input, g the kernel and ⊙
// the product of elements, a piece of the output is Aᵀ [(G g) ⊙ (Bᵀ d)]; along two axes, Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
// with tiles, where each axis may have matrices of its own.

/// The matrices of one axis: `input` is Bᵀ, `kernel` G, `output` Aᵀ, for the points at which polynomials are evaluated.
template <int outputs, int taps>
struct MinimalFilter;

/// An axis along which nothing is filtered.
template <>
struct MinimalFilter<1, 1> {
  static constexpr int inputs = 1;
  static constexpr int points = 1;
  static constexpr int outputs = 1;
  static constexpr int taps = 1;
  static constexpr double input[points][inputs] = {{1}};
  static constexpr double kernel[points][taps] = {{1}};
  static constexpr double output[outputs][points] = {{1}};
};

/// Points 0, 1, -1, ∞.
template <>
struct MinimalFilter<2, 3> {
  static constexpr int inputs = 4;
  static constexpr int points = 4;
  static constexpr int outputs = 2;
  static constexpr int taps = 3;
  static constexpr double input[points][inputs] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static constexpr double kernel[points][taps] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  static constexpr double output[outputs][points] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
};

/// Points 0, 1, -1, 2, ∞.
template <>
struct MinimalFilter<3, 3> {
  static constexpr int inputs = 5;
  static constexpr int points = 5;
  static constexpr int outputs = 3;
  static constexpr int taps = 3;
  static constexpr double input[points][inputs] = {
      {2, -1, -2, 1, 0}, {0, -2, -1, 1, 0}, {0, 2, -3, 1, 0}, {0, -1, 0, 1, 0}, {0, 2, -1, -2, 1}};
  static constexpr double kernel[points][taps] = {{1.0 / 2, 0, 0},
                                                  {-1.0 / 2, -1.0 / 2, -1.0 / 2},
                                                  {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                                  {1.0 / 6, 1.0 / 3, 2.0 / 3},
                                                  {0, 0, 1}};
  static constexpr double output[outputs][points] = {{1, 1, 1, 1, 0}, {0, 1, -1, 2, 0}, {0, 1, 1, 4, 1}};
};

/// Points 0, 1, -1, 2, -2, ∞.
template <>
struct MinimalFilter<4, 3> {
  static constexpr int inputs = 6;
  static constexpr int points = 6;
  static constexpr int outputs = 4;
  static constexpr int taps = 3;
  static constexpr double input[points][inputs] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                                   {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
  static constexpr double kernel[points][taps] = {{1.0 / 4, 0, 0},
                                                  {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                                  {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                                  {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                                  {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                                  {0, 0, 1}};
  static constexpr double output[outputs][points] = {
      {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
};

/// Points 0, 1, -1, 2, -1/2, ∞.
template <>
struct MinimalFilter<2, 5> {
  static constexpr int inputs = 6;
  static constexpr int points = 6;
  static constexpr int outputs = 2;
  static constexpr int taps = 5;
  static constexpr double input[points][inputs] = {{1, 1.5, -2, -1.5, 1, 0}, {0, -1, -2.5, -0.5, 1, 0},
                                                   {0, 1, 0.5, -2.5, 1, 0},  {0, -0.5, -1, 0.5, 1, 0},
                                                   {0, 2, -1, -2, 1, 0},     {0, 1, 1.5, -2, -1.5, 1}};
  static constexpr double kernel[points][taps] = {{1, 0, 0, 0, 0},
                                                  {-1.0 / 3, -1.0 / 3, -1.0 / 3, -1.0 / 3, -1.0 / 3},
                                                  {1.0 / 3, -1.0 / 3, 1.0 / 3, -1.0 / 3, 1.0 / 3},
                                                  {1.0 / 15, 2.0 / 15, 4.0 / 15, 8.0 / 15, 16.0 / 15},
                                                  {-16.0 / 15, 8.0 / 15, -4.0 / 15, 2.0 / 15, -1.0 / 15},
                                                  {0, 0, 0, 0, 1}};
  static constexpr double output[outputs][points] = {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -0.5, 1}};
};

/// Points 0, 1, -1, 2, -2, 1/2, -1/2, ∞.
template <>
struct MinimalFilter<4, 5> {
  static constexpr int inputs = 8;
  static constexpr int points = 8;
  static constexpr int outputs = 4;
  static constexpr int taps = 5;
  static constexpr double input[points][inputs] = {
      {-1, 0, 5.25, 0, -5.25, 0, 1, 0},     {0, 1, 1, -4.25, -4.25, 1, 1, 0},      {0, -1, 1, 4.25, -4.25, -1, 1, 0},
      {0, 0.5, 0.25, -2.5, -1.25, 2, 1, 0}, {0, -0.5, 0.25, 2.5, -1.25, -2, 1, 0}, {0, 2, 4, -2.5, -5, 0.5, 1, 0},
      {0, -2, 4, 2.5, -5, -0.5, 1, 0},      {0, -1, 0, 5.25, 0, -5.25, 0, 1}};
  static constexpr double kernel[points][taps] = {{-1, 0, 0, 0, 0},
                                                  {-2.0 / 9, -2.0 / 9, -2.0 / 9, -2.0 / 9, -2.0 / 9},
                                                  {-2.0 / 9, 2.0 / 9, -2.0 / 9, 2.0 / 9, -2.0 / 9},
                                                  {1.0 / 90, 1.0 / 45, 2.0 / 45, 4.0 / 45, 8.0 / 45},
                                                  {1.0 / 90, -1.0 / 45, 2.0 / 45, -4.0 / 45, 8.0 / 45},
                                                  {32.0 / 45, 16.0 / 45, 8.0 / 45, 4.0 / 45, 2.0 / 45},
                                                  {32.0 / 45, -16.0 / 45, 8.0 / 45, -4.0 / 45, 2.0 / 45},
                                                  {0, 0, 0, 0, 1}};
  static constexpr double output[outputs][points] = {{1, 1, 1, 1, 1, 1, 1, 0},
                                                     {0, 1, -1, 2, -2, 0.5, -0.5, 0},
                                                     {0, 1, 1, 4, 4, 0.25, 0.25, 0},
                                                     {0, 1, -1, 8, -8, 0.125, -0.125, 1}};
};

/// The derivative of a filter: from the gradient of one piece of the output to that of its piece of the input, B [(G g)
/// ⊙ (A dy)]. Pieces of the input overlap, so it is for images of one tile.
template <class Filter>
struct AdjointFilter {
  static constexpr int inputs = Filter::outputs;
  static constexpr int points = Filter::points;
  static constexpr int outputs = Filter::inputs;
  static constexpr int taps = Filter::taps;

  struct Matrices {
    double input[points][inputs];
    double output[outputs][points];
  };
  static constexpr Matrices transposed = [] {
    Matrices result{};
    for (int point = 0; point < points; ++point) {
      for (int i = 0; i < inputs; ++i) result.input[point][i] = Filter::output[i][point];
      for (int i = 0; i < outputs; ++i) result.output[i][point] = Filter::input[point][i];
    }
    return result;
  }();
  static constexpr auto& input = transposed.input;
  static constexpr auto& kernel = Filter::kernel;
  static constexpr auto& output = transposed.output;
};

/// The filters of both axes.
template <class RowFilter, class ColumnFilter>
struct WinogradScheme {
  using Rows = RowFilter;
  using Columns = ColumnFilter;
  static constexpr int points = Rows::points * Columns::points;
  static constexpr int taps = Rows::taps * Columns::taps;
};

/// The same along both axes.
template <class Filter>
using SquareScheme = WinogradScheme<Filter, Filter>;
/// A kernel of one row.
template <class Filter>
using RowScheme = WinogradScheme<MinimalFilter<1, 1>, Filter>;

// Selects a matrix of a filter.
template <class Filter>
struct InputMatrix {
  static constexpr int rows = Filter::points;
  static constexpr int columns = Filter::inputs;
  static constexpr double at(int row, int column) { return Filter::input[row][column]; }
};
template <class Filter>
struct KernelMatrix {
  static constexpr int rows = Filter::points;
  static constexpr int columns = Filter::taps;
  static constexpr double at(int row, int column) { return Filter::kernel[row][column]; }
};
template <class Filter>
struct OutputMatrix {
  static constexpr int rows = Filter::outputs;
  static constexpr int columns = Filter::points;
  static constexpr double at(int row, int column) { return Filter::output[row][column]; }
};

// The same, transposed, for derivatives with respect to the kernel.
template <class Filter>
struct OutputGradientMatrix {
  static constexpr int rows = Filter::points;
  static constexpr int columns = Filter::outputs;
  static constexpr double at(int row, int column) { return Filter::output[column][row]; }
};
template <class Filter>
struct KernelGradientMatrix {
  static constexpr int rows = Filter::taps;
  static constexpr int columns = Filter::points;
  static constexpr double at(int row, int column) { return Filter::kernel[column][row]; }
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

/// result = rows tile columnsᵀ, where Rows and Columns are matrices of the two axes. load(row, column) returns the
/// tile's elements, a register of channels each, and store(row, column, value) receives the result's.
template <class T, class Rows, class Columns, class Load, class Store>
__attribute__((always_inline)) inline void apply_on_both_sides(Load&& load, Store&& store) {
  Vector<T> half[Rows::rows][Columns::columns];
  repeat<Columns::columns>([&](auto column) __attribute__((always_inline)) {
    Vector<T> values[Rows::columns];
    Vector<T> results[Rows::rows];
    repeat<Rows::columns>([&](auto row) __attribute__((always_inline)) { load(values[row], row, column); });
    apply_matrix<T, Rows>(results, values);
    repeat<Rows::rows>([&](auto row) __attribute__((always_inline)) { half[row][column] = results[row]; });
  });
  repeat<Rows::rows>([&](auto row) __attribute__((always_inline)) {
    Vector<T> results[Columns::rows];
    apply_matrix<T, Columns>(results, half[row]);
    repeat<Columns::rows>([&](auto column) __attribute__((always_inline)) { store(row, column, results[column]); });
  });
}

}  // namespace rhyton::cpu
