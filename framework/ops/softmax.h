#pragma once

#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// e^x / Σ e^x along `axis`, without overflow. (tf.nn.softmax)
Tensor softmax(const Tensor& x, int axis = -1);

/// x - log Σ e^x along `axis`: the logarithm of softmax, without its loss of precision. (tf.nn.log_softmax)
Tensor log_softmax(const Tensor& x, int axis = -1);

/// For each sample -log softmax(logits)[label]: `logits` of shape […, classes], integer `labels` and the result of
/// shape […]. A label outside [0, classes) throws InvalidArgumentError ("Received a label value of 10 which is outside
/// the valid range of [0, 10).  Label values: 10 1 2").
Tensor sparse_softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits);

/// For each sample -Σ labels · log softmax(logits) along the last axis; `labels` are probabilities of logits' shape and
/// may get a gradient too. They need not add up to 1.
Tensor softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits);

/// For each element -labels · log σ(logits) - (1 - labels) · log(1 - σ(logits)), without overflow.
Tensor sigmoid_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits);

}  // namespace ops
}  // namespace rhyton
