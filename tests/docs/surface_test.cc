// Every name that docs/keras_surface.tsv has as there, in the areas of make_surface_program.py, exists and works.

#include <rhyton/tests/docs/surface_calls.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/weights_to_come.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::test {

Tensor x0() { return random_tensor({2, 3}, 1); }
Tensor x1() { return random_tensor({2, 6, 3}, 2); }
Tensor x2() { return random_tensor({2, 6, 6, 3}, 3, 0.0); }
Tensor x3() { return random_tensor({2, 4, 4, 4, 3}, 4); }
Tensor frames() { return random_tensor({2, 2, 4, 4, 4, 3}, 5); }
Tensor tokens() { return Tensor::from_data<std::int32_t>({2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2}); }
Tensor corners() { return Tensor::from_data<float>({2, 4, 2}, {0, 0, 5, 0, 0, 5, 5, 5, 0, 0, 5, 0, 0, 5, 5, 5}); }
Tensor row() { return Tensor::from_data<float>({6}, {0.5, 1, 2, 3, 4, 5}); }
Tensor matrix() { return Tensor::from_data<float>({3, 3}, {2, 1, 0, 1, 3, 1, 0, 1, 4}); }
ComplexTensor complex() { return {x1(), x1()}; }
Tensor integers() { return Tensor::from_data<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}); }
Tensor truths() { return Tensor::from_data<bool>({2, 3}, {true, false, true, false, false, true}); }
Tensor gaps() { return Tensor::from_data<float>({2, 3}, {1, 2, std::numeric_limits<float>::quiet_NaN(), 4, 5, 6}); }
Tensor places() { return Tensor::from_data<std::int32_t>({2, 2}, {0, 1, 1, 2}); }
Tensor labels() { return Tensor::from_data<std::int32_t>({4}, {0, 1, 2, 1}); }
Tensor y_true() { return Tensor::from_data<float>({4, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0}); }
Tensor y_pred() {
  return Tensor::from_data<float>({4, 3}, {0.7, 0.2, 0.1, 0.25, 0.5, 0.25, 0.4, 0.4, 0.2, 0.1, 0.8, 0.1});
}
Tensor sequences() { return Tensor::from_data<std::int32_t>({2, 2}, {1, 2, 2, 0}); }
Tensor step() { return Tensor::scalar<std::int64_t>(3); }

Tensor measure(const metrics::Metric& metric, const Tensor& labels, const Tensor& predictions) {
  metric.update_state(labels, predictions);
  return metric.result();
}

Tensor value_after_step(const optimizers::Optimizer& optimizer) {
  const Variable variable(x0());
  optimizer.apply({random_tensor({2, 3}, 7)}, {variable});
  if (variable.value().to_vector() == x0().to_vector()) throw Error("the step changes nothing");
  return variable.value();
}

models::Model model_of(const std::function<layers::SymbolicTensor(const layers::SymbolicTensor&)>& operation) {
  const layers::SymbolicTensor images = layers::Input({.shape = {6, 6, 3}});
  return models::Model({.inputs = images, .outputs = operation(images)});
}

void require_result(const Tensor& result) {
  if (result.size() == 0) throw Error("the result has no elements");
  for (const double value : result.to_vector()) {
    if (!std::isfinite(value)) throw Error("the result has elements that are not finite");
  }
}

void require_result(const std::vector<Tensor>& results) {
  if (results.empty()) throw Error("there is no result");
  for (const Tensor& result : results) require_result(result);
}

void require_result(const models::Model& model) {
  Shape shape = model.inputs().front().shape();
  shape[0] = 1;
  require_result(model(random_tensor(shape, 6)));
}

namespace {

void expect_all_work(const std::vector<SurfaceCall>& calls) {
  ASSERT_FALSE(calls.empty());
  for (const SurfaceCall& call : calls) {
    clear_session();
    std::optional<layers::WeightsToCome> zeros;
    if (call.area == "applications") zeros.emplace();  // random weights would take most of the time
    try {
      call.run();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "docs/keras_surface.tsv has " << call.area << " " << call.name
                    << " as there, but: " << error.what();
    }
  }
}

TEST(Surface, LayersThatAreThereWork) { expect_all_work(layer_calls()); }

TEST(Surface, OpsThatAreThereWork) { expect_all_work(op_calls()); }

TEST(Surface, PartsOfTrainingThatAreThereWork) { expect_all_work(training_calls()); }

}  // namespace
}  // namespace rhyton::test
