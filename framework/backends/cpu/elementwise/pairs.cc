#include <rhyton/framework/backends/cpu/elementwise/pairs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include <rhyton/framework/backends/cpu/primitives/broadcasting.h>

namespace rhyton::cpu {
namespace {

/// The addresses of elements of a tensor.
class Elements {
 public:
  explicit Elements(const TensorView& view)
      : data_(static_cast<std::byte*>(view.data)), size_(static_cast<std::int64_t>(size_of(view.spec.dtype))) {}

  std::byte* at(std::int64_t offset) const { return data_ + offset * size_; }

 private:
  std::byte* data_;
  std::int64_t size_;
};

// So many bytes of a repeated row let loops run long enough, and stay in the first-level cache.
constexpr std::int64_t max_repeated_bytes = 4096;

/// Whether `row` is repeated along the axis before the last while the other operand advances through both: a factor for
/// each channel of an image.
bool repeats_a_short_row(const BroadcastWalk<2>& walk, std::size_t row, std::int64_t element_size) {
  if (walk.rank < 2) return false;
  const auto before = static_cast<std::size_t>(walk.rank - 2);
  return walk.run_stride(0) == 1 && walk.run_stride(1) == 1 && walk.strides[row][before] == 0 &&
         walk.strides[1 - row][before] == walk.run_length() &&
         walk.run_length() * element_size <= max_repeated_bytes / 2;
}

/// Calls `run` for several rows at a time, with a copy of the row for each.
void run_repeated_row(const BroadcastWalk<2>& walk, std::size_t row, const std::array<Elements, 2>& from,
                      const Elements& to, std::int64_t element_size, PairRun run) {
  const std::int64_t rows = walk.lengths[static_cast<std::size_t>(walk.rank - 2)];
  const std::int64_t length = walk.run_length();
  const std::int64_t copies = std::min(rows, max_repeated_bytes / (length * element_size));
  alignas(64) std::array<std::byte, max_repeated_bytes> repeated;
  walk.for_each_part(2, [&](std::int64_t offset, const std::array<std::int64_t, 2>& offsets) {
    const auto row_bytes = static_cast<std::size_t>(length * element_size);
    for (std::int64_t i = 0; i < copies; ++i) {
      std::memcpy(repeated.data() + static_cast<std::size_t>(i) * row_bytes, from[row].at(offsets[row]), row_bytes);
    }
    for (std::int64_t first = 0; first < rows; first += copies) {
      const std::int64_t size = std::min(copies, rows - first) * length;
      const PairOperand of_row{repeated.data(), 1};
      const PairOperand other{from[1 - row].at(offsets[1 - row] + first * length), 1};
      run(row == 0 ? of_row : other, row == 0 ? other : of_row, to.at(offset + first * length), size);
    }
  });
}

}  // namespace

void run_pairs(const TensorView& a, const TensorView& b, const TensorView& y, PairRun run) {
  // Blocks of a chain are so short that setting up the iteration would take noticeable time.
  if (a.shape() == y.shape() && b.shape() == y.shape()) return run({a.data, 1}, {b.data, 1}, y.data, y.size());
  const BroadcastWalk<2> walk(y.shape(), {&a.shape(), &b.shape()});
  const Elements from_a(a);
  const Elements from_b(b);
  const Elements to(y);
  const auto element_size = static_cast<std::int64_t>(size_of(a.spec.dtype));
  for (const std::size_t row : {std::size_t{0}, std::size_t{1}}) {
    if (a.spec.dtype != b.spec.dtype || !repeats_a_short_row(walk, row, element_size)) continue;
    return run_repeated_row(walk, row, {from_a, from_b}, to, element_size, run);
  }
  walk.for_each_run([&](std::int64_t offset, const std::array<std::int64_t, 2>& offsets) {
    run({from_a.at(offsets[0]), walk.run_stride(0)}, {from_b.at(offsets[1]), walk.run_stride(1)}, to.at(offset),
        walk.run_length());
  });
}

}  // namespace rhyton::cpu
