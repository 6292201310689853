#include <rhyton/tests/layers/golden_cases.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/npy.h>

namespace rhyton::test {

GoldenCases::GoldenCases(const std::string& area) {
  const std::filesystem::path folder = RHYTON_GOLDEN_DIR;
  std::ifstream file(folder / (area + ".json"));
  std::stringstream text;
  text << file.rdbuf();
  const io::Json json = io::Json::parse(text.str(), area + ".json");
  cases_.assign(json.begin(), json.end());
  if (std::filesystem::exists(folder / (area + ".npz"))) {
    for (auto& [name, tensor] : io::read_npz(folder / (area + ".npz"))) arrays_.emplace(name, tensor);
  }
}

std::vector<std::string> GoldenCases::names() const {
  std::vector<std::string> names;
  for (const io::Json& golden : cases_) names.push_back(golden["name"].as_string());
  return names;
}

const io::Json& GoldenCases::find(const std::string& name) const {
  for (const io::Json& golden : cases_) {
    if (golden["name"].as_string() == name) return golden;
  }
  throw NotFoundError("There is no golden case " + name);
}

bool GoldenCases::has_array(const io::Json& golden, const std::string& role) const {
  return arrays_.contains(golden["name"].as_string() + "/" + role);
}

Tensor GoldenCases::array(const io::Json& golden, const std::string& role) const {
  const std::string key = golden["name"].as_string() + "/" + role;
  const auto found = arrays_.find(key);
  if (found == arrays_.end()) throw NotFoundError("There is no golden array " + key);
  return found->second;
}

const GoldenCases& golden_layers() {
  static const GoldenCases cases("layers");
  return cases;
}

std::string role(const char* name, std::size_t number) { return name + std::to_string(number); }

std::string test_name(std::string name) {
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

double relative_difference(const Tensor& actual, const Tensor& expected, double floor) {
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  double difference = 0;
  double largest = floor;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!std::isfinite(a[i])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return difference / largest;
}

void expect_close(const Tensor& actual, const Tensor& expected, double tolerance, const std::string& what) {
  ASSERT_FALSE(actual.is_empty()) << what;
  ASSERT_EQ(actual.shape(), expected.shape())
      << what << ": " << actual.shape().to_string() << " instead of " << expected.shape().to_string();
  EXPECT_LE(relative_difference(actual, expected), tolerance) << what;
}

void expect_all_close(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected, double tolerance,
                      const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    expect_close(actual[i], expected[i], tolerance, what + role(", output ", i));
  }
}

}  // namespace rhyton::test
