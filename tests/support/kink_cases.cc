#include <rhyton/tests/support/kink_cases.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::test {
namespace {

io::Json read_cases(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return io::Json::parse(text.str(), file.filename().string());
}

void expect_elements(const Tensor& actual, const Tensor& expected, double relative, double absolute,
                     const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what << ": " << actual.shape().to_string();
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> e = expected.to_vector();
  for (std::size_t i = 0; i < e.size(); ++i) {
    EXPECT_NEAR(a[i], e[i], absolute + relative * std::abs(e[i])) << what << ", element " << i;
  }
}

}  // namespace

std::vector<KinkCase> kink_cases(const std::string& kind) {
  const std::filesystem::path folder = RHYTON_GOLDEN_DIR;
  const auto arrays = io::read_npz(folder / "kinks.npz");
  std::vector<KinkCase> cases;
  for (const io::Json& golden : read_cases(folder / "kinks.json")) {
    if (golden["kind"].as_string() != kind) continue;
    const std::string name = golden["name"].as_string();
    const auto array = [&](const std::string& role) {
      for (const auto& [key, tensor] : arrays) {
        if (key == name + "/" + role) return tensor;
      }
      return Tensor();
    };
    KinkCase& made = cases.emplace_back();
    made.name = name;
    made.id = golden["id"].as_string();
    made.arguments = golden["arguments"];
    for (std::int64_t i = 0; i < golden["inputs"].as_int(); ++i) {
      made.inputs.push_back(array("x" + std::to_string(i)));
      made.gradients.push_back(array("gradient" + std::to_string(i)));
    }
    made.y_true = array("y_true");
    made.y = array("y");
    made.cotangent = array("cotangent");
  }
  return cases;
}

void expect_keras_kinks(const KinkCase& golden, const KinkFunction& function, double relative, double absolute) {
  SCOPED_TRACE(golden.name);
  std::vector<Tensor> arguments = golden.inputs;
  arguments.push_back(golden.cotangent);
  // Arguments: the inputs and the cotangent. Results: the value and the gradients.
  const graph::Function with_gradients = [&](const std::vector<Tensor>& given) {
    const std::vector<Tensor> inputs(given.begin(), given.end() - 1);
    GradientTape tape;
    for (const Tensor& input : inputs) tape.watch(input);
    std::vector<Tensor> results = {function(inputs)};
    const std::vector<Tensor> gradients = tape.gradient(results[0], inputs, given.back());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      results.push_back(gradients[i].is_empty() ? zeros_like(inputs[i]) : gradients[i]);
    }
    return results;
  };
  const auto expect_keras = [&](const std::vector<Tensor>& results, const std::string& way) {
    expect_elements(results[0], golden.y, relative, absolute, way + ", value");
    for (std::size_t i = 0; i < golden.gradients.size(); ++i) {
      expect_elements(results[i + 1], golden.gradients[i], relative, absolute, way + ", gradient " + std::to_string(i));
    }
  };

  expect_keras(with_gradients(arguments), "eagerly");
  std::vector<graph::FunctionInput> specs;
  for (const Tensor& argument : arguments) specs.push_back({argument.spec(), -1});
  const graph::Graph traced = graph::trace(specs, with_gradients);
  expect_keras(graph::Executable(traced)(arguments), "planned");
  expect_keras(graph::Executable(traced, {.passes = graph::PassOptions::without_fusion()})(arguments), "not fused");
}

}  // namespace rhyton::test
