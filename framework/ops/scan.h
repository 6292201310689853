#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions that apply a function to the rows of tensors, the sub-tensors along axis 0. Their number is known when a
// compiled function is traced, which then has the ops of all rows: it has all derivatives, and the batch is sliced. All
// dtypes.

namespace rhyton {
inline namespace ops {

/// The arguments of `scan` behind init and xs, with Keras's names.
struct ScanOptions {
  ByName by_name = ByName();
  /// The number of steps; required without `xs`, else it is that of the rows.
  std::optional<std::int64_t> length = std::nullopt;
  /// Begins with the last row. The outputs stay at the positions of their rows.
  bool reverse = false;
  /// As in Keras a boolean or a positive number. Without effect: loops in compiled functions are always unrolled.
  std::variant<bool, int> unroll = 1;
};

/// Calls carry, y = f(carry, x) for the rows x of `xs` one after the other, with `init` as the first carry. Returns the
/// last carry and the stacked ys. The carry keeps the shape and dtype of `init`; y may have any. Without `xs` x is
/// empty, and if f returns an empty y there are no ys. Without steps, f is called to find y's shape only.
///
/// Throws ValueError for an empty `xs` without `length`, a negative `length` or one other than the number of rows,
/// numbers of rows that differ, `unroll` below 1, a carry of another shape or dtype, or numbers of ys that differ.
/// (keras.ops.scan)
///
///     const auto [sum, sums] = scan([](const Tensor& sum, const Tensor& x) { return std::pair(sum + x, sum + x); },
///                                   Tensor::scalar(0.0f), x);
std::pair<Tensor, Tensor> scan(const std::function<std::pair<Tensor, Tensor>(const Tensor& carry, const Tensor& x)>& f,
                               const Tensor& init, const Tensor& xs, const ScanOptions& options = {});
/// The same for lists of tensors.
std::pair<std::vector<Tensor>, std::vector<Tensor>> scan(
    const std::function<std::pair<std::vector<Tensor>, std::vector<Tensor>>(const std::vector<Tensor>& carry,
                                                                            const std::vector<Tensor>& x)>& f,
    const std::vector<Tensor>& init, const std::vector<Tensor>& xs, const ScanOptions& options = {});

/// f of each row of `xs`, stacked. Without rows, f is called to find the shape only. Throws InvalidArgumentError for a
/// tensor of rank 0, and ValueError for numbers of rows, or of results of f, that differ. (keras.ops.map)
///
///     const Tensor norms = map([](const Tensor& row) { return norm(row); }, x);
Tensor map(const std::function<Tensor(const Tensor& x)>& f, const Tensor& xs);
/// The same for lists of tensors.
std::vector<Tensor> map(const std::function<std::vector<Tensor>(const std::vector<Tensor>& x)>& f,
                        const std::vector<Tensor>& xs);

/// `map` under Keras's other name. (keras.ops.vectorized_map)
Tensor vectorized_map(const std::function<Tensor(const Tensor& x)>& function, const Tensor& elements);
std::vector<Tensor> vectorized_map(const std::function<std::vector<Tensor>(const std::vector<Tensor>& x)>& function,
                                   const std::vector<Tensor>& elements);

/// Combines the first k elements along `axis` by `f`, for each k, in about 2 log2(n) calls of f: for an associative f,
/// f(a, f(b, c)) = f(f(a, b), c), which combines all elements of the axis at once. With `reverse` the last k elements.
/// Throws ValueError for an axis that the tensors do not have. (keras.ops.associative_scan; Blelloch 1990, Prefix Sums
/// and Their Applications)
///
///     const Tensor sums = associative_scan([](const Tensor& a, const Tensor& b) { return a + b; }, x);
Tensor associative_scan(const std::function<Tensor(const Tensor& a, const Tensor& b)>& f, const Tensor& elems,
                        bool reverse = false, int axis = 0);
/// The same for lists of tensors. Throws ValueError where their lengths along `axis` differ.
std::vector<Tensor> associative_scan(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>& a, const std::vector<Tensor>& b)>& f,
    const std::vector<Tensor>& elems, bool reverse = false, int axis = 0);

}  // namespace ops
}  // namespace rhyton
