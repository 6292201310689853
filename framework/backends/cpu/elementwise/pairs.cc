#include <rhyton/framework/backends/cpu/elementwise/pairs.h>

#include <array>
#include <cstddef>

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

}  // namespace

void run_pairs(const TensorView& a, const TensorView& b, const TensorView& y, PairRun run) {
  // Blocks of a chain are so short that setting up the iteration would take noticeable time.
  if (a.shape() == y.shape() && b.shape() == y.shape()) return run({a.data, 1}, {b.data, 1}, y.data, y.size());
  const BroadcastWalk<2> walk(y.shape(), {&a.shape(), &b.shape()});
  const Elements from_a(a);
  const Elements from_b(b);
  const Elements to(y);
  walk.for_each_run([&](std::int64_t offset, const std::array<std::int64_t, 2>& offsets) {
    run({from_a.at(offsets[0]), walk.run_stride(0)}, {from_b.at(offsets[1]), walk.run_stride(1)}, to.at(offset),
        walk.run_length());
  });
}

}  // namespace rhyton::cpu
