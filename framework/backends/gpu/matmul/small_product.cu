#include <rhyton/framework/backends/gpu/matmul/small_product.h>

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/gpu/matmul/rectified.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/primitives/packs.h>
#include <rhyton/framework/error.h>

namespace rhyton::gpu {
namespace {

// A small product takes about as long as its loads, one after the other. Therefore many blocks compute a small tile of
// results each, and their threads divide the depth: each loads what it needs itself, all of it for one or two steps at
// once, without waiting for others until partial sums are added up.

/// A thread computes a square of results, and takes as many positions of the depth at a time.
constexpr int side = 4;

constexpr int warp_size = 32;

/// The registers of a multiprocessor suffice for that many.
template <class T>
constexpr int max_warps = sizeof(T) == 8 ? 8 : 16;

/// A tile of `squares` by `squares` squares. The lanes of a warp compute all of them, each for one of `slices` slices
/// of the depth.
template <int squares>
struct Tile {
  static constexpr int length = squares * side;
  static constexpr int slices = warp_size / (squares * squares);
  /// The results that a lane has left when those of all slices are added up.
  static constexpr int results_per_lane = side * side / slices;
};

/// An operand's matrices as `lines` lines of `length` neighbouring elements.
template <class T>
struct Lines {
  const T* first;
  std::int64_t matrix_stride;
  int lines;
  int length;
  bool has_packs;
};

template <class T>
constexpr int load_width = std::min(side, pack_width<T>);

/// Elements [line][place in the line].
template <class T>
struct Square {
  T values[side][side];
};

/// Elements from a line and a place on; 0 beyond the end of either.
template <class T>
__device__ void load_square(const Lines<T>& from, const T* first, int line, int place, Square<T>& square) {
  constexpr int width = load_width<T>;
  for (int j = 0; j < side; ++j) {
    const T* const at = first + (line + j) * from.length + place;
    const bool is_line = line + j < from.lines;
    if (from.has_packs) {
      for (int i = 0; i < side; i += width) {
        Pack<T, width> pack{};
        if (is_line && place + i < from.length) pack = load_whole<width>(at + i);
        for (int k = 0; k < width; ++k) square.values[j][i + k] = pack.values[k];
      }
    } else {
      for (int i = 0; i < side; ++i) square.values[j][i] = is_line && place + i < from.length ? at[i] : T();
    }
  }
}

/// Adds a b. Lines along the depth are rows of a and columns of b, the others are columns of a and rows of b.
template <bool a_along_depth, bool b_along_depth, class T>
__device__ void add_product(const Square<T>& a, const Square<T>& b, Computed<T> (&sums)[side * side]) {
  for (int k = 0; k < side; ++k) {
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        sums[row * side + column] += number(a_along_depth ? a.values[row][k] : a.values[k][row]) *
                                     number(b_along_depth ? b.values[column][k] : b.values[k][column]);
      }
    }
  }
}

/// Adds the sums of lanes whose slices differ: of `count` sums each lane is left with its share, the first ones of the
/// array, in the order of the slices.
template <int slices, int count, class C>
__device__ void add_slices(C (&sums)[side * side], int slice) {
  if constexpr (slices > 1) {
    constexpr int distance = slices / 2;
    constexpr int half = count / 2;
    const bool keeps_last = (slice & distance) != 0;
    for (int i = 0; i < half; ++i) {
      const C kept = keeps_last ? sums[half + i] : sums[i];
      const C given = keeps_last ? sums[i] : sums[half + i];
      sums[i] = kept + __shfl_xor_sync(0xFFFFFFFFU, given, distance);
    }
    add_slices<distance, half>(sums, slice);
  }
}

/// What becomes of the sums.
template <class T>
struct Results {
  T* first;
  const T* bias;
  std::int64_t matrix_stride;
  int rows;
  int columns;
  bool is_rectified;
};

template <class T, bool a_along_depth, bool b_along_depth, int squares>
__global__ void __launch_bounds__(max_warps<T>* warp_size)
    multiply_small(Lines<T> a, Lines<T> b, Results<T> c, int depth) {
  using Number = Computed<T>;
  using Own = Tile<squares>;
  __shared__ Number sums_of_warps[max_warps<T>][Own::length][Own::length];
  const int thread = static_cast<int>(threadIdx.x);
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  const int slice = thread % Own::slices;
  const int square = thread % warp_size / Own::slices;
  const int row_in_tile = square / squares * side;
  const int column_in_tile = square % squares * side;
  const int first_row = static_cast<int>(blockIdx.y) * Own::length;
  const int first_column = static_cast<int>(blockIdx.x) * Own::length;
  const T* const own_a = a.first + blockIdx.z * a.matrix_stride;
  const T* const own_b = b.first + blockIdx.z * b.matrix_stride;
  T* const own_c = c.first + blockIdx.z * c.matrix_stride;

  // All results of a thread are in one column. It is loaded now, not when the sums wait for it.
  const int column = first_column + thread % Own::length;
  const Number addend = c.bias != nullptr && column < c.columns ? number(c.bias[column]) : Number(0);

  const auto load = [&](int place, Square<T>& of_a, Square<T>& of_b) {
    const int row = first_row + row_in_tile;
    const int first_of_square = first_column + column_in_tile;
    load_square(a, own_a, a_along_depth ? row : place, a_along_depth ? place : row, of_a);
    load_square(b, own_b, b_along_depth ? first_of_square : place, b_along_depth ? place : first_of_square, of_b);
  };
  Number sums[side * side] = {};
  const int step = warps * Own::slices * side;
  for (int place = thread / warp_size * Own::slices * side + slice * side; place < depth; place += 2 * step) {
    // Two steps' loads are on their way before any of them is waited for.
    const bool has_two = place + step < depth;
    Square<T> squares_of_a[2];
    Square<T> squares_of_b[2];
    load(place, squares_of_a[0], squares_of_b[0]);
    if (has_two) load(place + step, squares_of_a[1], squares_of_b[1]);
    add_product<a_along_depth, b_along_depth>(squares_of_a[0], squares_of_b[0], sums);
    if (has_two) add_product<a_along_depth, b_along_depth>(squares_of_a[1], squares_of_b[1], sums);
  }

  add_slices<Own::slices, side * side>(sums, slice);
  for (int i = 0; i < Own::results_per_lane; ++i) {
    const int result = slice * Own::results_per_lane + i;
    sums_of_warps[thread / warp_size][row_in_tile + result / side][column_in_tile + result % side] = sums[i];
  }
  __syncthreads();
  for (int result = thread; result < Own::length * Own::length; result += static_cast<int>(blockDim.x)) {
    const int row = first_row + result / Own::length;
    if (row >= c.rows || column >= c.columns) continue;
    Number sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += sums_of_warps[warp][result / Own::length][result % Own::length];
    sum += addend;
    own_c[static_cast<std::int64_t>(row) * c.columns + column] = element<T>(c.is_rectified ? rectified(sum) : sum);
  }
}

template <class T>
Lines<T> lines_of(const void* first, std::int64_t matrix_stride, std::int64_t lines, std::int64_t length) {
  const bool has_packs =
      length % side == 0 && matrix_stride % side == 0 && is_aligned(first, load_width<T> * sizeof(T));
  return {static_cast<const T*>(first), matrix_stride, static_cast<int>(lines), static_cast<int>(length), has_packs};
}

std::int64_t quotient_up(std::int64_t dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

template <class T, int squares>
void launch_tiles(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses,
                  bool is_rectified) {
  using Own = Tile<squares>;
  // As few steps as the most warps need, with as few warps as that needs.
  const std::int64_t slices = quotient_up(product.depth, side);
  const std::int64_t steps = quotient_up(slices, max_warps<T> * Own::slices);
  const std::int64_t warps = quotient_up(slices, steps * Own::slices);
  const LaunchShape shape{
      dim3(static_cast<unsigned>(quotient_up(product.columns, Own::length)),
           static_cast<unsigned>(quotient_up(product.rows, Own::length)), static_cast<unsigned>(product.count)),
      dim3(static_cast<unsigned>(warps * warp_size))};
  const auto a = product.transpose_a ? lines_of<T>(addresses.a, product.a_stride, product.depth, product.rows)
                                     : lines_of<T>(addresses.a, product.a_stride, product.rows, product.depth);
  const auto b = product.transpose_b ? lines_of<T>(addresses.b, product.b_stride, product.columns, product.depth)
                                     : lines_of<T>(addresses.b, product.b_stride, product.depth, product.columns);
  const Results<T> c = {.first = static_cast<T*>(addresses.c),
                        .bias = static_cast<const T*>(addresses.bias),
                        .matrix_stride = product.c_stride,
                        .rows = static_cast<int>(product.rows),
                        .columns = static_cast<int>(product.columns),
                        .is_rectified = is_rectified};
  const auto run = [&](auto* kernel) {
    launch(stream, "small matrix product", shape, kernel, a, b, c, static_cast<int>(product.depth));
  };
  if (product.transpose_a) {
    return product.transpose_b ? run(&multiply_small<T, false, true, squares>)
                               : run(&multiply_small<T, false, false, squares>);
  }
  return product.transpose_b ? run(&multiply_small<T, true, true, squares>)
                             : run(&multiply_small<T, true, false, squares>);
}

/// Large tiles load each element less often, but only if there is one for every multiprocessor.
template <class T>
void launch_product(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses,
                    bool is_rectified) {
  constexpr int large = 4;
  constexpr std::int64_t multiprocessors = 132;
  const std::int64_t large_tiles = quotient_up(product.rows, Tile<large>::length) *
                                   quotient_up(product.columns, Tile<large>::length) * product.count;
  if (large_tiles >= multiprocessors && product.rows > Tile<2>::length && product.columns > Tile<2>::length) {
    return launch_tiles<T, large>(stream, product, addresses, is_rectified);
  }
  launch_tiles<T, 2>(stream, product, addresses, is_rectified);
}

}  // namespace

void small_product(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses,
                   bool is_rectified) {
  switch (product.dtype) {
    case DType::float32:
      return launch_product<float>(stream, product, addresses, is_rectified);
    case DType::float64:
      return launch_product<double>(stream, product, addresses, is_rectified);
    case DType::float16:
      return launch_product<Half>(stream, product, addresses, is_rectified);
    case DType::bfloat16:
      return launch_product<BFloat16>(stream, product, addresses, is_rectified);
    default:
      throw InvalidArgumentError("Products of matrices take tensors of a floating dtype.");
  }
}

}  // namespace rhyton::gpu
