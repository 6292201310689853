#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// The op of that name with these attributes, as `Op::attributes` writes them, for inputs of these specs: the other
/// direction of `name` and `attributes`. The result computes what the original computes; its gradient may be that of
/// the default at kinks, which the attributes leave out.
///
/// Name, attributes and specs may come from anyone. Throws NotImplementedError for a name that `readable_ops` does not
/// have, ValueError for attributes of another form and for a number, ranks or dtypes of inputs that the op does not
/// take; what is not checked here, `Op::infer` checks.
OpPtr make_op(std::string_view name, std::string_view attributes, std::span<const TensorSpec> inputs);

/// Whether `make_op` knows the op of that name: all that a traced graph can have, except for ops with bodies (branches
/// and loops), sums over replicas, and ops that a program defines itself. Ops that only passes create are no part of a
/// traced graph.
bool is_readable_op(std::string_view name);

/// All names that `make_op` knows, in alphabetical order.
std::vector<std::string_view> readable_ops();

}  // namespace rhyton
