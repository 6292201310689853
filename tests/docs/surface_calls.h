#pragma once

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/fourier.h>
#include <rhyton/framework/serialization/member_count.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/metrics/metric.h>
#include <rhyton/models/model.h>
#include <rhyton/optimizers/optimizer.h>

// What the sources that make_surface_program.py writes are made of.

namespace rhyton::test {

/// A name of docs/keras_surface.tsv that is there, and a call of it.
struct SurfaceCall {
  std::string_view area;
  std::string_view name;
  /// Throws where the call does not work, or its result is not that of a computation.
  void (*run)();
};

/// Those of the areas of each source.
const std::vector<SurfaceCall>& layer_calls();
const std::vector<SurfaceCall>& op_calls();
const std::vector<SurfaceCall>& training_calls();

/// Two samples with three channels, on 0 to 3 axes of length 6 (4 where there are three).
Tensor x0();
Tensor x1();
Tensor x2();
Tensor x3();
/// Two samples with two steps like those of x3.
Tensor frames();
/// Numbers of classes below 10, [2, 6].
Tensor tokens();
/// Of the images x2.
Tensor corners();
/// Six ascending positive numbers.
Tensor row();
/// Symmetric and positive definite, [3, 3].
Tensor matrix();
ComplexTensor complex();
/// [2, 3]: integers from 1 to 6, truth values, and numbers of which one is NaN.
Tensor integers();
Tensor truths();
Tensor gaps();
/// Two places in a matrix [2, 3].
Tensor places();
/// The classes of four samples, as numbers [4] and as one-hot codes [4, 3], and predicted probabilities [4, 3].
Tensor labels();
Tensor y_true();
Tensor y_pred();
/// Labels of the sequences x1, of which 0 is the blank.
Tensor sequences();
/// The number of a step of training.
Tensor step();

/// The metric's result of one batch.
Tensor measure(const metrics::Metric& metric, const Tensor& labels = y_true(), const Tensor& predictions = y_pred());
/// The value that one step of the optimizer gives a variable. Throws Error where it leaves it as it was.
Tensor value_after_step(const optimizers::Optimizer& optimizer);
/// The model of an operation of images like x2.
models::Model model_of(const std::function<layers::SymbolicTensor(const layers::SymbolicTensor&)>& operation);

/// Throws Error for a tensor without elements, and for elements that are not finite.
void require_result(const Tensor& result);
void require_result(const std::vector<Tensor>& results);
/// Calls the model on one image of its size.
void require_result(const models::Model& model);

/// The parts of a result.
template <class First, class Second>
void require_result(const std::pair<First, Second>& result) {
  require_result(result.first);
  require_result(result.second);
}
template <class Result>
requires std::is_aggregate_v<Result>
void require_result(const Result& result) {
  if constexpr (member_count<Result>() == 2) {
    const auto& [first, second] = result;
    require_result(std::pair(first, second));
  } else if constexpr (member_count<Result>() == 3) {
    const auto& [first, second, third] = result;
    require_result(std::vector<Tensor>{first, second, third});
  } else {
    const auto& [first, second, third, fourth] = result;
    require_result(std::vector<Tensor>{first, second, third, fourth});
  }
}

}  // namespace rhyton::test
