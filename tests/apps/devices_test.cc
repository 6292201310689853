// The programs that show devices. Tests on the CPU always run; those on a GPU run if there is one.

#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/device/config.h>
#include <rhyton/tests/apps/programs.h>

namespace rhyton {
namespace {

using test::number_after;
using test::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class DevicePrograms : public test::Programs {
 protected:
  /// Runs a program that must reject its arguments.
  std::string refusal_of(const std::string& command) const {
    const Outcome outcome = run(command);
    EXPECT_GT(outcome.status, 0) << command;
    EXPECT_LT(outcome.status, 126) << command;
    return outcome.errors;
  }
};

/// The numbers in the brackets of `name = tf.Tensor(...)`.
std::vector<double> elements_of(const std::string& name, const std::string& text) {
  const std::size_t begin = text.find("\n" + name + " = tf.Tensor(");
  EXPECT_NE(begin, std::string::npos) << name << " in " << text;
  if (begin == std::string::npos) return {};
  const std::string matrix = text.substr(begin, text.find(", shape=", begin) - begin);
  const std::string brackets = matrix.substr(matrix.find('['));
  const std::regex number(R"(-?\d[\d.e+-]*)");
  std::vector<double> elements;
  for (std::sregex_iterator it(brackets.begin(), brackets.end(), number), end; it != end; ++it) {
    elements.push_back(std::stod(it->str()));
  }
  return elements;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

TEST_F(DevicePrograms, MatmulMeasuresEachSize) {
  const Outcome outcome = run("matmul /CPU:0 200 300 --repeats 1");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  const std::vector<std::string> lines = outcome.lines();
  ASSERT_EQ(lines.size(), 3) << outcome.output;
  EXPECT_TRUE(std::regex_match(lines[0], std::regex("shape +device +with copies, ms +without them, ms +GFLOP/s +sum")));
  for (const int size : {200, 300}) {
    const std::string& line = lines[size == 200 ? 1 : 2];
    const std::string shape = R"(\()" + std::to_string(size) + ", " + std::to_string(size) + R"(\))";
    std::smatch numbers;
    ASSERT_TRUE(std::regex_match(line, numbers, std::regex(shape + R"( +/device:CPU:0 +(\S+) +(\S+) +(\S+) +(\S+))")))
        << line;
    EXPECT_GT(std::stod(numbers[1]), 0);
    const double milliseconds = std::stod(numbers[2]);
    EXPECT_GT(milliseconds, 0);
    // Both are rounded.
    EXPECT_NEAR(std::stod(numbers[3]), 2e-6 * size * size * size / milliseconds, 0.02 * std::stod(numbers[3])) << line;
    // For independent numbers from 0 to 1: n³ times 1/2 · 1/2, and a little for the diagonal.
    EXPECT_NEAR(std::stod(numbers[4]), 0.25 * size * size * size, 0.03 * size * size * size) << line;
  }
}

TEST_F(DevicePrograms, MatmulMeasuresProductsAlone) {
  const Outcome outcome = run("matmul /CPU:0 200 --products 7");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<std::string> lines = outcome.lines();
  ASSERT_EQ(lines.size(), 2) << outcome.output;
  EXPECT_TRUE(std::regex_match(lines[0], std::regex("shape +device +products +ms per product +GFLOP/s")));
  std::smatch numbers;
  ASSERT_TRUE(std::regex_match(lines[1], numbers, std::regex(R"(\(200, 200\) +/device:CPU:0 +7 +(\S+) +(\S+))")))
      << lines[1];
  const double milliseconds = std::stod(numbers[1]);
  EXPECT_GT(milliseconds, 0);
  // Both are rounded.
  EXPECT_NEAR(std::stod(numbers[2]), 2e-6 * 200 * 200 * 200 / milliseconds, 0.02 * std::stod(numbers[2])) << lines[1];
}

TEST_F(DevicePrograms, MatmulTakesTheSameMatrixForTheSameSeed) {
  const auto sum_of = [&](const std::string& options) {
    const std::vector<std::string> lines = run("matmul cpu 64 --repeats 1 " + options).lines();
    return lines.empty() ? "" : lines.back().substr(lines.back().rfind(' ') + 1);
  };
  EXPECT_EQ(sum_of("--seed 3"), sum_of("--seed 3"));
  EXPECT_NE(sum_of("--seed 3"), sum_of("--seed 4"));
}

TEST_F(DevicePrograms, MatmulRefusesWhatIsNotThere) {
  EXPECT_THAT(refusal_of("matmul nonsense"),
              HasSubstr("matmul: Unknown attribute 'nonsense' is encountered while parsing the device spec"));
  EXPECT_THAT(refusal_of("matmul /GPU:99 64"), HasSubstr("matmul: Could not satisfy device specification "
                                                         "'/job:localhost/replica:0/task:0/device:GPU:99'"));
  EXPECT_THAT(refusal_of("matmul /CPU:0 0"), HasSubstr("SIZE: Value 0 not in range"));
  EXPECT_THAT(refusal_of("matmul /CPU:0 many"), HasSubstr("SIZE"));
  EXPECT_THAT(refusal_of("matmul /CPU:0 64 --repeats 0"), HasSubstr("--repeats"));
  EXPECT_THAT(refusal_of("matmul /CPU:0 64 --products 0"), HasSubstr("--products"));
  EXPECT_THAT(refusal_of("matmul /CPU:0 64 --products 2 --repeats 2"), HasSubstr("--repeats excludes --products"));
}

TEST_F(DevicePrograms, MatpowComputesPowers) {
  for (const std::string options : {"", " --squaring"}) {
    const Outcome outcome = run("matpow 5 --size 2 --devices /CPU:0 --print --seed 4" + options);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const std::vector<double> a = elements_of("A", outcome.output);
    const std::vector<double> b = elements_of("B", outcome.output);
    ASSERT_EQ(a.size(), 4) << outcome.output;
    ASSERT_EQ(b.size(), 4) << outcome.output;
    EXPECT_NE(a, b);
    std::vector<double> a_power = a;
    std::vector<double> b_power = b;
    for (int i = 1; i < 5; ++i) {
      a_power = product(a_power, a);
      b_power = product(b_power, b);
    }
    const std::vector<double> result = elements_of("A^5 + B^5", outcome.output);
    ASSERT_EQ(result.size(), 4) << outcome.output;
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(result[i], a_power[i] + b_power[i], 1e-5 * result[i]) << options;
      sum += result[i];
    }
    EXPECT_NEAR(number_after("sum of all elements: ", outcome.output), sum, 1e-4 * sum);
  }
}

TEST_F(DevicePrograms, MatpowCountsMultiplications) {
  const auto counts_of = [&](const std::string& arguments) {
    const Outcome outcome = run("matpow " + arguments + " --size 8 --devices /CPU:0,/CPU:0");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const std::vector<std::string> lines = outcome.lines();
    EXPECT_EQ(lines.size(), 6) << outcome.output;
    if (lines.size() != 6) return std::vector<double>();
    EXPECT_THAT(lines[2], HasSubstr(" on /device:CPU:0"));
    return std::vector<double>{number_after("CPU:0: ", lines[0]), number_after("CPU:0: ", lines[1]),
                               std::stod(lines[3])};
  };
  EXPECT_EQ(counts_of("1"), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(counts_of("2"), (std::vector<double>{1, 1, 2}));
  EXPECT_EQ(counts_of("10"), (std::vector<double>{9, 9, 18}));
  // M^10 = (M^4)^2 M^2: M^2, M^4, M^8, and one more.
  EXPECT_EQ(counts_of("10 --squaring"), (std::vector<double>{4, 4, 8}));
  EXPECT_EQ(counts_of("16 --squaring"), (std::vector<double>{4, 4, 8}));
  EXPECT_EQ(counts_of("15 --squaring"), (std::vector<double>{6, 6, 12}));
  EXPECT_EQ(counts_of("1 --squaring"), (std::vector<double>{0, 0, 0}));
}

TEST_F(DevicePrograms, MatpowDoesNotOverflow) {
  const auto sum_of = [&](const std::string& options) {
    const Outcome outcome = run("matpow 300 --size 100 --devices /CPU:0" + options);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return number_after("sum of all elements: ", outcome.output);
  };
  const double sum = sum_of("");
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_GT(sum, 1);
  EXPECT_LT(sum, 1e4);
  EXPECT_NEAR(sum_of(" --squaring"), sum, 1e-3 * sum);
}

TEST_F(DevicePrograms, MatpowRefusesWhatIsNotThere) {
  EXPECT_THAT(refusal_of("matpow 0"), HasSubstr("N: Value 0 not in range"));
  EXPECT_THAT(refusal_of("matpow 2 --size 0"), HasSubstr("--size"));
  EXPECT_THAT(refusal_of("matpow 2 --devices /cpu:0,/cpu:0,/cpu:0"), HasSubstr("--devices"));
  EXPECT_THAT(refusal_of("matpow 2 --devices /gpu:98,/gpu:99"),
              HasSubstr("matpow: Could not satisfy device specification"));
}

TEST_F(DevicePrograms, DevicePlacementWalksThroughTheGuide) {
  const Outcome outcome = run("device_placement");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"));
  EXPECT_THAT(outcome.output, HasSubstr("LogicalDevice(name='/device:CPU:0', device_type='CPU')"));
  EXPECT_THAT(outcome.output, HasSubstr("# In the scope of the CPU\ntf.Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), "
                                        "dtype=float32) on /job:localhost/replica:0/task:0/device:CPU:0\n"));
  EXPECT_THAT(outcome.output,
              HasSubstr("# A device that does not exist\nInvalidArgumentError: Could not satisfy device "
                        "specification '/job:localhost/replica:0/task:0/device:GPU:99'. "
                        "enable_soft_placement=0. Supported device types ["));
  EXPECT_THAT(outcome.output, HasSubstr("# The same with soft placement\ntf.Tensor(\n[[22. 28.]"));
  EXPECT_THAT(outcome.errors,
              HasSubstr("Executing op MatMul in device /job:localhost/replica:0/task:0/device:CPU:0\n"));
}

TEST_F(DevicePrograms, DevicePlacementUsesAllLogicalDevices) {
  // With a GPU, the GPU is divided instead; this is the test for the CPU.
  if (!config::list_physical_devices("GPU").empty()) GTEST_SKIP() << "there is a GPU";
  const Outcome outcome = run("device_placement --logical-devices 3 --memory-limit 64");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("1 physical, 3 logical\n"));
  EXPECT_THAT(outcome.output, HasSubstr("RuntimeError: Virtual devices cannot be modified after being initialized\n"));
  EXPECT_THAT(outcome.output, HasSubstr("LogicalDevice(name='/device:CPU:2', device_type='CPU')\n"));
  EXPECT_THAT(outcome.output, HasSubstr("tf.Tensor(\n[[ 66.  84.]\n [147. 192.]], shape=(2, 2), dtype=float32) on "
                                        "/job:localhost/replica:0/task:0/device:CPU:0\n"));
  EXPECT_THAT(outcome.output, HasSubstr("ResourceExhaustedError: OOM when allocating"));
  EXPECT_THAT(outcome.output, HasSubstr("limit 67108864 bytes"));
  EXPECT_THAT(outcome.errors,
              StartsWith("Executing op MatMul in device /job:localhost/replica:0/task:0/device:CPU:0\n"
                         "Executing op MatMul in device /job:localhost/replica:0/task:0/device:CPU:1\n"
                         "Executing op MatMul in device /job:localhost/replica:0/task:0/device:CPU:2\n"
                         "Executing op AddV2 in device /job:localhost/replica:0/task:0/device:CPU:0\n"));

  const Outcome unlimited = run("device_placement --logical-devices 2");
  EXPECT_EQ(unlimited.status, 0) << unlimited.errors;
  EXPECT_THAT(unlimited.output, HasSubstr("[[ 44.  56.]\n [ 98. 128.]]"));
  EXPECT_THAT(unlimited.output, Not(HasSubstr("limit")));
}

TEST_F(DevicePrograms, DevicePlacementRefusesBadOptions) {
  EXPECT_THAT(refusal_of("device_placement --memory-limit 64"), HasSubstr("--memory-limit requires --logical-devices"));
  EXPECT_THAT(refusal_of("device_placement --logical-devices 0"), HasSubstr("--logical-devices"));
}

TEST_F(DevicePrograms, MnistCnnComparesDevices) {
  const Outcome outcome = run("mnist_cnn --compare-devices --limit 640 --epochs 2 --seed 1");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<std::string> lines = outcome.lines();
  ASSERT_GE(lines.size(), 3) << outcome.output;
  EXPECT_TRUE(std::regex_match(lines[0], std::regex("device +seconds per epoch +times as fast +training accuracy")))
      << lines[0];
  EXPECT_TRUE(std::regex_match(lines[1], std::regex(R"(/device:CPU:0 +\d+\.\d{3} +1\.00 +0\.\d{4})"))) << lines[1];
  if (config::list_physical_devices("GPU").empty()) {
    ASSERT_EQ(lines.size(), 3) << outcome.output;
    EXPECT_EQ(lines[2], "There is no GPU here to compare the CPU with; RHYTON_LOG=device says why.");
  } else {
    EXPECT_THAT(lines[2], StartsWith("/device:GPU:0 "));
  }
  EXPECT_THAT(refusal_of("mnist_cnn --compare-devices --device /CPU:0"), HasSubstr("excludes"));
}

}  // namespace
}  // namespace rhyton
