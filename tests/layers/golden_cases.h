#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::test {

/// The cases of one area of tests/golden, see the README there.
class GoldenCases {
 public:
  /// Reads `<area>.json` and, if it exists, `<area>.npz`.
  explicit GoldenCases(const std::string& area);

  const std::vector<io::Json>& cases() const { return cases_; }
  /// The names of all cases, for ::testing::ValuesIn.
  std::vector<std::string> names() const;
  /// Throws NotFoundError if there is no case of that name.
  const io::Json& find(const std::string& name) const;
  bool has_array(const io::Json& golden, const std::string& role) const;
  /// The array `<case>/<role>`.
  Tensor array(const io::Json& golden, const std::string& role) const;

 private:
  std::vector<io::Json> cases_;
  std::map<std::string, Tensor> arrays_;
};

/// The cases of layers.json.
const GoldenCases& golden_layers();

/// The role of the array of that number, `input0` for ("input", 0).
std::string role(const char* name, std::size_t number);

/// A test name: characters other than letters and digits become underscores.
std::string test_name(std::string name);

/// ∞ norm of the difference divided by that of `expected`, or by `floor` if that is larger.
double relative_difference(const Tensor& actual, const Tensor& expected, double floor = 1e-3);

/// Expects equal shapes and values that differ by at most `tolerance`, relative to the largest value.
void expect_close(const Tensor& actual, const Tensor& expected, double tolerance, const std::string& what);
/// The same for several outputs.
void expect_all_close(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected, double tolerance,
                      const std::string& what);

}  // namespace rhyton::test
