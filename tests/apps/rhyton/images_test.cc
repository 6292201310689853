// Images in place of arrays.

#include <cstring>
#include <string>
#include <vector>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::tests {
namespace {

class Images : public RhytonTool {
 protected:
  /// A picture of a digit of MNIST.
  std::string digit(std::int64_t index) const {
    const Tensor image = datasets::mnist::load_data().test.images.slice(index, index + 1).reshape({28, 28, 1});
    datasets::save_img(path("digit" + std::to_string(index) + ".png"), image.cast(float32), {.scale = false});
    return path("digit" + std::to_string(index) + ".png");
  }
};

TEST_F(Images, AreABatch) {
  const Tensor pixels = datasets::mnist::load_data().test.images.slice(0, 3).reshape({3, 28, 28, 1}).cast(float32);
  const Tensor expected = models::load_model(golden("digits.keras")).predict(pixels, {.verbose = 0});
  output_of("predict " + golden("digits.keras") + " --input " + digit(0) + " --input " + digit(1) + " --input " +
            digit(2) + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")), expected);
  const models::Model model = models::load_model(golden("digits.keras"));
  const std::string name = model.input_names()[0];
  output_of("predict " + golden("digits.keras") + " --input " + name + "=" + digit(0) + " --input " + name + "=" +
            digit(1) + " --input " + name + "=" + digit(2) + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")), expected);
}

TEST_F(Images, AreBroughtToTheSizeAndColoursOfTheInput) {
  datasets::save_img(path("large.jpg"), Tensor::full({60, 40, 3}, 128), {.scale = false});
  const Tensor image = datasets::img_to_array(datasets::load_img(
      path("large.jpg"), {.color_mode = "grayscale", .target_size = {28, 28}, .interpolation = "bilinear"}));
  output_of("predict " + golden("digits.keras") + " --input " + path("large.jpg") + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")),
                     models::load_model(golden("digits.keras")).predict(image.reshape({1, 28, 28, 1}), {.verbose = 0}));
}

TEST_F(Images, DamagedOnesAndInputsThatTakeNoneAreNamed) {
  const std::string half = half_of(digit(0), "half.png");
  expect_failure("predict " + golden("digits.keras") + " --input " + half + " --json", error, half);
  expect_failure("predict " + golden("digits.keras") + " --input " + path("none.png") + " --json", error,
                 path("none.png"));
  expect_failure("predict " + golden("dense.keras") + " --input " + digit(0) + " --json", error, "(None, 6)");
}

}  // namespace
}  // namespace rhyton::tests
