#pragma once

#include <limits>
#include <vector>

#include <rhyton/layers/activations.h>
#include <rhyton/layers/symbolic_tensor.h>

// Keras's activations on symbolic tensors: operations of a functional model. Each has the parameters of the function of
// tensors and throws as it does, where the lengths are known.

namespace rhyton::activations {

/// x itself.
layers::SymbolicTensor linear(const layers::SymbolicTensor& x);
/// Where x >= threshold: min(x, max_value), else negative_slope · (x - threshold).
layers::SymbolicTensor relu(const layers::SymbolicTensor& x, double negative_slope = 0.0,
                            double max_value = std::numeric_limits<double>::infinity(), double threshold = 0.0);
/// min(max(x, 0), 6).
layers::SymbolicTensor relu6(const layers::SymbolicTensor& x);
/// x where x > 0, else negative_slope · x.
layers::SymbolicTensor leaky_relu(const layers::SymbolicTensor& x, double negative_slope = 0.2);
/// x where x > 0, else alpha · (e^x - 1).
layers::SymbolicTensor elu(const layers::SymbolicTensor& x, double alpha = 1.0);
/// 1.0507009873554805 · elu(x, 1.6732632423543772).
layers::SymbolicTensor selu(const layers::SymbolicTensor& x);
/// max(x, 0) + min(0, alpha · (e^(x / alpha) - 1)).
layers::SymbolicTensor celu(const layers::SymbolicTensor& x, double alpha = 1.0);
/// x · Φ(x), or with `approximate` its approximation by tanh.
layers::SymbolicTensor gelu(const layers::SymbolicTensor& x, bool approximate = false);
/// x · sigmoid(x).
layers::SymbolicTensor silu(const layers::SymbolicTensor& x);
/// x · hard_sigmoid(x).
layers::SymbolicTensor hard_silu(const layers::SymbolicTensor& x);
/// 1 / (1 + e^-x).
layers::SymbolicTensor sigmoid(const layers::SymbolicTensor& x);
/// x / 6 + 1/2, limited to [0, 1].
layers::SymbolicTensor hard_sigmoid(const layers::SymbolicTensor& x);
/// log sigmoid(x).
layers::SymbolicTensor log_sigmoid(const layers::SymbolicTensor& x);
/// (x + 1) / 2, limited to [0, 1].
layers::SymbolicTensor sparse_sigmoid(const layers::SymbolicTensor& x);
/// The hyperbolic tangent.
layers::SymbolicTensor tanh(const layers::SymbolicTensor& x);
/// x limited to [-1, 1].
layers::SymbolicTensor hard_tanh(const layers::SymbolicTensor& x);
/// x - tanh x.
layers::SymbolicTensor tanh_shrink(const layers::SymbolicTensor& x);
/// x moved toward 0 by `threshold`; 0 within.
layers::SymbolicTensor soft_shrink(const layers::SymbolicTensor& x, double threshold = 0.5);
/// x where |x| > threshold, else 0.
layers::SymbolicTensor hard_shrink(const layers::SymbolicTensor& x, double threshold = 0.5);
/// x where x > threshold, else `default_value`.
layers::SymbolicTensor threshold(const layers::SymbolicTensor& x, double threshold, double default_value);
/// log(1 + e^x).
layers::SymbolicTensor softplus(const layers::SymbolicTensor& x);
/// x / (1 + |x|).
layers::SymbolicTensor softsign(const layers::SymbolicTensor& x);
/// (x + √(x² + b)) / 2.
layers::SymbolicTensor squareplus(const layers::SymbolicTensor& x, double b = 4.0);
/// 0 up to -1, x from 1 on, (x + 1)² / 4 between.
layers::SymbolicTensor sparse_plus(const layers::SymbolicTensor& x);
/// e^x.
layers::SymbolicTensor exponential(const layers::SymbolicTensor& x);
/// e^x / Σ e^x along one axis or over several axes.
layers::SymbolicTensor softmax(const layers::SymbolicTensor& x, int axis = -1);
layers::SymbolicTensor softmax(const layers::SymbolicTensor& x, const std::vector<int>& axes);
/// log softmax(x).
layers::SymbolicTensor log_softmax(const layers::SymbolicTensor& x, int axis = -1);
layers::SymbolicTensor log_softmax(const layers::SymbolicTensor& x, const std::vector<int>& axes);
/// max(x - threshold, 0) along an axis; see the function of tensors.
layers::SymbolicTensor sparsemax(const layers::SymbolicTensor& x, int axis = -1);
/// a · sigmoid(b), with a and b the halves of x along an axis.
layers::SymbolicTensor glu(const layers::SymbolicTensor& x, int axis = -1);

}  // namespace rhyton::activations
