#pragma once

#include <span>

#include <rhyton/framework/autodiff/backpropagation.h>

namespace rhyton::conformance {

/// Checks an op's batch rule for every possible batch in this call: for each choice of axes of the same length it runs
/// the op's kernel piece by piece, the last piece shorter, and combines the results according to the rule. They must
/// equal those of the whole, bit for bit if the rule is `maps`. Failures are reported to GoogleTest.
void check_batch_rules(const RecordedCall& call);

/// Runs the CPU's kernel of an op on views, with the scratch memory and packed inputs that it requires.
void run_kernel(const Op& op, std::span<const Tensor> inputs, std::span<const bool> carries_batch,
                std::span<Tensor> outputs, std::int64_t first_sample, bool accumulate);

}  // namespace rhyton::conformance
