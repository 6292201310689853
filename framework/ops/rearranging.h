#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Functions of keras.ops and NumPy that rearrange, repeat or select elements by place; all are composed of the ops of
// `shaping.h`, `gather.h` and `elementwise.h`. All dtypes, differentiable any number of times. Negative axes count from
// the end; one out of range throws ValueError.

namespace rhyton {
inline namespace ops {

// --- Axes

/// The axes `sources` moved to the positions `destinations`; the others keep their order. Throws ValueError when the
/// lists differ in length or name an axis twice. (keras.ops.moveaxis)
Tensor moveaxis(const Tensor& x, const std::vector<int>& sources, const std::vector<int>& destinations);
Tensor moveaxis(const Tensor& x, int source, int destination);
/// Two axes exchanged. (keras.ops.swapaxes)
Tensor swapaxes(const Tensor& x, int axis1, int axis2);
/// The elements in a single axis. (keras.ops.ravel)
Tensor ravel(const Tensor& x);
/// x rotated by 90 degrees `k` times, from the first towards the second of the two axes. Throws ValueError for a rank
/// below 2 or two equal axes. (keras.ops.rot90)
Tensor rot90(const Tensor& x, int k = 1, const std::vector<int>& axes = {0, 1});

// --- Order along axes

/// The elements in reverse order along one axis, or along all. (keras.ops.flip)
Tensor flip(const Tensor& x, std::optional<int> axis = std::nullopt);
/// The columns (axis 1) in reverse order. (keras.ops.fliplr)
Tensor fliplr(const Tensor& x);
/// The rows (axis 0) in reverse order. (keras.ops.flipud)
Tensor flipud(const Tensor& x);
/// The elements shifted by `shift` places along `axis`; those that leave at the end come in at the beginning. Without
/// an axis the flat x is shifted. (keras.ops.roll)
Tensor roll(const Tensor& x, std::int64_t shift, std::optional<int> axis = std::nullopt);
/// The same for several axes, one shift for each. Throws ValueError when the lists differ in length.
Tensor roll(const Tensor& x, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes);

// --- Joining, cutting and repeating

/// x1 and x2 one after the other along `axis`, without an axis both flat; different dtypes are converted to one.
/// (keras.ops.append)
Tensor append(const Tensor& x1, const Tensor& x2, std::optional<int> axis = std::nullopt);
/// Concatenated along axis 0, after tensors of rank 0 and 1 became rows. (keras.ops.vstack)
Tensor vstack(const std::vector<Tensor>& tensors);
/// Concatenated along axis 1, tensors of rank 0 and 1 along axis 0. (keras.ops.hstack)
Tensor hstack(const std::vector<Tensor>& tensors);
/// Concatenated along axis 2, after [N] became [1, N, 1] and [M, N] became [M, N, 1]. (keras.ops.dstack)
Tensor dstack(const std::vector<Tensor>& tensors);
/// `parts` tensors whose lengths along `axis` differ by at most 1, the longer ones first. (keras.ops.array_split)
std::vector<Tensor> array_split(const Tensor& x, int parts, int axis = 0);
/// The flat x with each element repeated `repeats` times. (keras.ops.repeat)
Tensor repeat(const Tensor& x, std::int64_t repeats);
/// Each element along `axis` repeated its own number of times; one number is that of all. Throws ValueError when the
/// numbers do not fit the axis. (keras.ops.repeat)
Tensor repeat(const Tensor& x, const std::vector<std::int64_t>& repeats, int axis);

/// The parts of `split` along axis 1, of a vector along axis 0, axis 0 and axis 2. Throw ValueError for a rank without
/// that axis. (keras.ops.hsplit, keras.ops.vsplit, keras.ops.dsplit)
std::vector<Tensor> hsplit(const Tensor& x, int sections);
std::vector<Tensor> hsplit(const Tensor& x, const std::vector<std::int64_t>& indices);
std::vector<Tensor> hsplit(const Tensor& x, std::initializer_list<std::int64_t> indices);
std::vector<Tensor> vsplit(const Tensor& x, int sections);
std::vector<Tensor> vsplit(const Tensor& x, const std::vector<std::int64_t>& indices);
std::vector<Tensor> vsplit(const Tensor& x, std::initializer_list<std::int64_t> indices);
std::vector<Tensor> dsplit(const Tensor& x, int sections);
std::vector<Tensor> dsplit(const Tensor& x, const std::vector<std::int64_t>& indices);
std::vector<Tensor> dsplit(const Tensor& x, std::initializer_list<std::int64_t> indices);

/// The axis along which `hsplit`, `vsplit` or `dsplit` splits a tensor of this shape. Throws ValueError for a rank
/// without that axis.
int hsplit_axis(const Shape& x);
int vsplit_axis(const Shape& x);
int dsplit_axis(const Shape& x);

/// The axes of x in another order, with some of them divided or joined, by a pattern of names as of einops:
/// "b (h h1) (w w1) c -> b h w (c h1 w1)". Parentheses on the left divide an axis, on the right they join several; of
/// the names in one of the former all lengths but one are given. Throws ValueError for a pattern without "->", names
/// that do not occur once on each side, a rank other than that of the left side, and lengths that do not divide an
/// axis. (keras.ops.rearrange)
Tensor rearrange(const Tensor& x, std::string_view pattern,
                 const std::vector<std::pair<std::string, std::int64_t>>& axes_lengths = {});

// --- Borders

/// What `pad` fills a border with: zeros or a number, the elements mirrored at the border without and with the
/// outermost one, the outermost element, or the elements of the opposite side.
enum class PadMode { constant, reflect, symmetric, edge, wrap };

/// The mode of that name in Keras. Throws ValueError for an unknown name.
PadMode pad_mode_from_name(std::string_view name);
/// The name of the mode in Keras.
std::string_view pad_mode_name(PadMode mode);

/// x with a border: per axis the number of elements before and after. `constant_value` is for the mode `constant` only.
/// Throws InvalidArgumentError for a border that is longer than x allows: in mode `reflect` it is shorter than the
/// axis, in mode `symmetric` not longer. `edge` and `wrap` are modes of Keras's other backends. One pair is for all
/// axes. (keras.ops.pad)
Tensor pad(const Tensor& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, PadMode mode,
           std::optional<double> constant_value = std::nullopt);
/// The same by the name of the mode: `pad(x, {{0, 0}, {1, 2}}, "reflect")`. Throws ValueError for an unknown name, and
/// for `constant_values` of another mode than "constant".
Tensor pad(const Tensor& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& pad_width, std::string_view mode,
           std::optional<double> constant_values = std::nullopt);
/// The same number of elements before and after each axis: `pad(x, 1)`.
Tensor pad(const Tensor& x, std::int64_t pad_width, std::string_view mode = "constant",
           std::optional<double> constant_values = std::nullopt);

// --- Triangles and diagonals

/// The lower triangle of the matrices in the last two axes: 0 above diagonal `k`. Throws InvalidArgumentError for a
/// rank below 2. (keras.ops.tril)
Tensor tril(const Tensor& x, std::int64_t k = 0);
/// The upper triangle: 0 below diagonal `k`. (keras.ops.triu)
Tensor triu(const Tensor& x, std::int64_t k = 0);
/// Of a vector the square matrix with it on diagonal `k`, of a matrix its diagonal `k`. Throws ValueError for another
/// rank. (keras.ops.diag)
Tensor diag(const Tensor& x, std::int64_t k = 0);
/// The square matrix with the flat x on diagonal `k`. (keras.ops.diagflat)
Tensor diagflat(const Tensor& x, std::int64_t k = 0);
/// Diagonal `offset` of the matrices of two axes, as the last axis of the result. Throws ValueError for a rank below 2
/// or equal axes. (keras.ops.diagonal)
Tensor diagonal(const Tensor& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1);

/// The order of the first two axes of `meshgrid`: Cartesian (lengths of the second, then of the first vector) or that
/// of matrices.
enum class GridIndexing { xy, ij };

/// The coordinates of the points of a grid: one tensor for each vector, all of the grid's shape. Scalars count as
/// vectors of one element. Throws ValueError for a tensor of rank 2 or more. (keras.ops.meshgrid)
std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, GridIndexing indexing = GridIndexing::xy);

}  // namespace ops
}  // namespace rhyton
