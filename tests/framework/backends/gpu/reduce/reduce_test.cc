#include <rhyton/framework/ops/reduce.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <rhyton/framework/backends/gpu/reduce/reduced_layout.h>
#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>

namespace rhyton::gpu::reduce_tests {
namespace {

using Reduction = Tensor (*)(const Tensor&, const std::vector<int>&, bool);

void expect_reduced_as_on_cpu(Reduction f, const Tensor& x, const std::vector<int>& axes, bool keepdims = false) {
  expect_as_on_cpu(*op_of([&] { f(x, axes, keepdims); }), {x});
}

Tensor reduced(Reduction f, const Tensor& x, const std::vector<int>& axes) {
  return run_kernel(*op_of([&] { f(x, axes, false); }), std::vector<Tensor>{x}, test_stream())[0];
}

struct Layout {
  Shape shape;
  std::vector<int> axes;
};

/// Every kind of axes, with lengths that are multiples of warps, blocks and packs and that are not.
std::vector<Layout> layouts() {
  return {{{}, {}},
          {{1}, {0}},
          {{1, 1}, {1}},
          {{33}, {}},
          {{257}, {0}},
          {{3, 31}, {1}},
          {{31, 3}, {0}},
          {{33, 1}, {1}},
          {{1, 33}, {0}},
          {{64, 10}, {1}},
          {{64, 10}, {0}},
          {{5, 1024}, {1}},
          {{5, 1028}, {1}},
          {{257, 33}, {0}},
          {{300, 32}, {0}},
          {{3, 257, 8}, {1}},
          {{3, 5, 31}, {1}},
          {{2, 3, 4, 33}, {1, 2}},
          {{3, 4, 33}, {0, 2}},
          {{2, 3, 2, 3, 4}, {0, 2, 4}},
          {{2, 3, 2, 3, 2, 4}, {0, 2, 4}},
          {{3, 1, 5, 1, 4}, {1, 2}}};
}

TEST(GpuReduce, SumsAreTheCpusAlongAllAxes) {
  for (const DType dtype : floating_dtypes) {
    for (const Layout& layout : layouts()) {
      expect_reduced_as_on_cpu(&sum, random_of(layout.shape, dtype, 1, 0, 1), layout.axes);
    }
  }
}

TEST(GpuReduce, SumsOfHalvesInFloatAreTheCpusAlongAllAxes) {
  for (const DType dtype : {float16, bfloat16}) {
    for (const Layout& layout : layouts()) {
      const Tensor x = random_of(layout.shape, dtype, 1, 0, 1);
      const OpPtr op = op_of([&] { sum(x, layout.axes, false, float32); });
      const Tensor total = run_kernel(*op, std::vector<Tensor>{x}, test_stream())[0];
      EXPECT_EQ(total.dtype(), float32);
      expect_close(total, run_on_cpu(*op, {x})[0], tolerance(float32));
    }
  }
}

TEST(GpuReduce, ProductsAreTheCpusAlongAllAxes) {
  for (const DType dtype : floating_dtypes) {
    for (const Layout& layout : layouts()) {
      expect_reduced_as_on_cpu(&prod, random_of(layout.shape, dtype, 2, 0.99, 1.01), layout.axes);
    }
  }
}

TEST(GpuReduce, ExtremaAreTheCpusAlongAllAxes) {
  for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8}) {
    for (const Layout& layout : layouts()) {
      const Tensor x = random_of(layout.shape, dtype, 3, dtype == uint8 ? 1 : -100, 100);
      expect_reduced_as_on_cpu(&ops::max, x, layout.axes);
      expect_reduced_as_on_cpu(&ops::min, x, layout.axes);
    }
  }
}

TEST(GpuReduce, IntegersAreAddedAndMultipliedExactly) {
  for (const DType dtype : {int32, int64}) {
    for (const Layout& layout : layouts()) {
      expect_reduced_as_on_cpu(&sum, random_of(layout.shape, dtype, 4, -1e6, 1e6), layout.axes);
      expect_reduced_as_on_cpu(&prod, random_of({3, 4, 5}, dtype, 4, -9, 9), {0, 2});
    }
  }
}

TEST(GpuReduce, TruthIsTheCpusAlongAllAxes) {
  for (const Layout& layout : layouts()) {
    const Tensor numbers = random_of(layout.shape, float32, 5);
    for (const double limit : {-0.99, 0.0, 0.99}) {
      const Tensor x = greater(numbers, limit);
      expect_reduced_as_on_cpu(&ops::all, x, layout.axes);
      expect_reduced_as_on_cpu(&ops::any, x, layout.axes);
    }
  }
}

TEST(GpuReduce, JoinedAxesMayStayWithLengthOne) {
  const Tensor x = random_of({3, 5, 7}, float32, 6);
  for (const std::vector<int>& axes : {std::vector<int>{}, {0}, {1}, {2}, {0, 2}}) {
    expect_reduced_as_on_cpu(&sum, x, axes, true);
  }
}

TEST(GpuReduce, LargeReductionsAreJoinedFromParts) {
  for (const DType dtype : {float32, float16, int64}) {
    expect_reduced_as_on_cpu(&sum, random_of({20000, 3}, dtype, 7, 0, 1.5), {0});
    expect_reduced_as_on_cpu(&sum, random_of({20000, 8}, dtype, 7, 0, 1.5), {0});
    expect_reduced_as_on_cpu(&sum, random_of({2, 70001}, dtype, 7, 0, 1.5), {1});
    expect_reduced_as_on_cpu(&ops::max, random_of({2, 65536}, dtype, 7, -9, 9), {1});
    expect_reduced_as_on_cpu(&ops::min, random_of({100000}, dtype, 7, -9, 9), {});
    expect_reduced_as_on_cpu(&sum, random_of({8, 3, 8192}, dtype, 7, 0, 1.5), {0, 2});
  }
}

TEST(GpuReduce, ManyShortReductionsAreEachOneThreads) {
  expect_reduced_as_on_cpu(&sum, random_of({2, 9, 40000}, float32, 8), {1});
  expect_reduced_as_on_cpu(&sum, random_of({5000, 4}, float32, 8), {1});
  expect_reduced_as_on_cpu(&sum, random_of({5000, 3}, float32, 8), {1});
}

TEST(GpuReduce, NothingJoinedIsTheNeutralElement) {
  for (const DType dtype : floating_dtypes) {
    for (const Layout& layout : {Layout{{0}, {0}}, Layout{{0, 3}, {0}}, Layout{{3, 0}, {1}}, Layout{{3, 0, 5}, {1}}}) {
      const Tensor x = Tensor::zeros(layout.shape, dtype);
      for (const Reduction f : {Reduction(&sum), Reduction(&prod), Reduction(&ops::max), Reduction(&ops::min)}) {
        expect_reduced_as_on_cpu(f, x, layout.axes);
      }
    }
  }
  for (const Reduction f : {Reduction(&ops::max), Reduction(&ops::min)}) {
    for (const DType dtype : {int32, int64, uint8}) expect_reduced_as_on_cpu(f, Tensor::zeros({3, 0}, dtype), {1});
  }
  for (const Reduction f : {Reduction(&ops::all), Reduction(&ops::any)}) {
    expect_reduced_as_on_cpu(f, Tensor::zeros({3, 0}, bool_), {1});
  }
}

TEST(GpuReduce, AnEmptyResultNeedsNothing) {
  for (const Reduction f : {Reduction(&sum), Reduction(&ops::max)}) {
    EXPECT_EQ(reduced(f, Tensor::zeros({0, 3}), {1}).shape(), Shape({0}));
    EXPECT_EQ(reduced(f, Tensor::zeros({3, 0, 4}), {0}).shape(), Shape({0, 4}));
  }
}

TEST(GpuReduce, NanWinsOverAllNumbers) {
  for (const DType dtype : floating_dtypes) {
    for (const double value : {1.0, infinity, -infinity}) {
      for (const std::size_t place : {0U, 5U, 39U}) {
        std::vector<double> values(40, value);
        values[place] = nan;
        const Tensor row = Tensor::from_data<double>({1, 40}, values).cast(dtype);
        const Tensor column = Tensor::from_data<double>({40, 1}, values).cast(dtype);
        for (const Reduction f : {Reduction(&ops::max), Reduction(&ops::min), Reduction(&sum)}) {
          EXPECT_TRUE(std::isnan(reduced(f, row, {1}).item()));
          EXPECT_TRUE(std::isnan(reduced(f, column, {0}).item()));
        }
      }
    }
  }
}

TEST(GpuReduce, HalfNumbersAreAddedInFloat) {
  // Added in float16 the total would stay at 2048.
  EXPECT_EQ(reduced(&sum, Tensor::full({4096}, 1.0, float16), {}).item(), 4096.0);
  EXPECT_EQ(reduced(&sum, Tensor::full({4096, 3}, 1.0, bfloat16), {0}).to_vector(), std::vector<double>(3, 4096.0));
}

TEST(GpuReduce, IntegersWrapAround) {
  const Tensor x = Tensor::from_data<std::int32_t>({2}, {std::numeric_limits<std::int32_t>::max(), 1});
  EXPECT_EQ(reduced(&sum, x, {}).item(), static_cast<double>(std::numeric_limits<std::int32_t>::min()));
}

void expect_positions_as_on_cpu(const Tensor& x, int axis) {
  expect_as_on_cpu(*op_of([&] { argmax(x, axis); }), {x});
  expect_as_on_cpu(*op_of([&] { argmin(x, axis); }), {x});
}

std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}; }

Tensor elements_of(const Shape& shape, DType dtype) {
  return dtype == bool_ ? greater(random_of(shape, float32, 9), 0.5) : random_of(shape, dtype, 9, 0, 100);
}

TEST(GpuReduce, PositionsAreTheCpusAlongEachAxis) {
  for (const DType dtype : all_dtypes()) {
    for (const Shape& shape : {Shape{1}, Shape{33}, Shape{5, 257}, Shape{257, 5}, Shape{2, 31, 8}, Shape{3, 1}}) {
      for (int axis = 0; axis < shape.rank(); ++axis) expect_positions_as_on_cpu(elements_of(shape, dtype), axis);
    }
    expect_positions_as_on_cpu(elements_of({40000}, dtype), 0);
    expect_positions_as_on_cpu(elements_of({20000, 3}, dtype), 0);
  }
}

TEST(GpuReduce, OfEqualElementsTheFirstIsTaken) {
  for (const DType dtype : all_dtypes()) {
    for (const Shape& shape : {Shape{70, 3}, Shape{3, 70}}) {
      expect_positions_as_on_cpu(Tensor::full(shape, 1, dtype), 0);
      expect_positions_as_on_cpu(Tensor::full(shape, 1, dtype), 1);
    }
  }
}

TEST(GpuReduce, PositionsPassOverNanUnlessItIsTheFirst) {
  for (const DType dtype : floating_dtypes) {
    for (const std::vector<double>& values : {std::vector<double>{nan, 1, 2, 0},
                                              {1, nan, 2, 0},
                                              {2, 1, 0, nan},
                                              {nan, nan, nan, nan},
                                              {-infinity, nan, nan, -infinity},
                                              {infinity, nan, infinity, nan}}) {
      expect_positions_as_on_cpu(Tensor::from_data<double>({4}, values).cast(dtype), 0);
      expect_positions_as_on_cpu(Tensor::from_data<double>({4, 1}, values).cast(dtype), 0);
    }
  }
}

TEST(GpuReduce, NeighbouringAxesAreWalkedAsOne) {
  const std::vector<int> images = {0, 1, 2};
  const ReducedLayout columns(Shape{4, 5, 6, 7}, images);
  EXPECT_TRUE(columns.is_direct());
  EXPECT_FALSE(columns.joins_last_axis());
  EXPECT_EQ(columns.outer.size(), 1);
  EXPECT_EQ(columns.rows.size(), 120);
  EXPECT_EQ(columns.columns, 7);

  const std::vector<int> last = {2, 3};
  const ReducedLayout rows(Shape{4, 5, 6, 7}, last);
  EXPECT_TRUE(rows.is_direct());
  EXPECT_TRUE(rows.joins_last_axis());
  EXPECT_EQ(rows.outer.size(), 20);
  EXPECT_EQ(rows.rows.size(), 42);

  const std::vector<int> planes = {0, 2, 3};
  const ReducedLayout split(Shape{4, 5, 6, 7}, planes);
  EXPECT_FALSE(split.is_direct());
  EXPECT_TRUE(split.joins_last_axis());
  EXPECT_EQ(split.outer.size(), 5);
  EXPECT_EQ(split.rows.count, 2);
  EXPECT_EQ(split.rows.strides[0], 5 * 42);
}

}  // namespace
}  // namespace rhyton::gpu::reduce_tests
