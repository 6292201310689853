#pragma once

#include <functional>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::test {

/// One case of tests/golden/kinks.
struct KinkCase {
  std::string name;
  /// The name of the activation or op, or the class.
  std::string id;
  io::Json arguments;
  /// The inputs that the gradients are taken with respect to.
  std::vector<Tensor> inputs;
  /// Only for losses.
  Tensor y_true;
  Tensor y;
  Tensor cotangent;
  std::vector<Tensor> gradients;
};

/// The cases of a kind: "activation", "op", "layer" or "loss".
std::vector<KinkCase> kink_cases(const std::string& kind);

using KinkFunction = std::function<Tensor(const std::vector<Tensor>& inputs)>;

/// Expects `function` of the case's inputs to have Keras's value and gradients: eagerly, and as a planned program with
/// and without fusion. `relative` is the allowed error of each element, `absolute` that near zero.
void expect_keras_kinks(const KinkCase& golden, const KinkFunction& function, double relative = 1e-5,
                        double absolute = 1e-6);

}  // namespace rhyton::test
