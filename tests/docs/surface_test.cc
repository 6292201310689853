// Every layer, application and function of images that docs/keras_surface.tsv has as there exists and works.

#include <rhyton/tests/docs/surface_calls.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
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

void require_result(const models::Model& application) {
  Shape shape = application.inputs().front().shape();
  shape[0] = 1;
  require_result(application(random_tensor(shape, 6)));
}

namespace {

TEST(Surface, NamesThatAreThereWork) {
  ASSERT_FALSE(surface_calls().empty());
  for (const SurfaceCall& call : surface_calls()) {
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

}  // namespace
}  // namespace rhyton::test
