#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::test {

/// The golden cases of an area with their arrays; see tests/golden/README.md.
class GoldenArea {
 public:
  explicit GoldenArea(const std::string& area) : cases_(read_json(area)) {
    const std::string path = RHYTON_GOLDEN_DIR "/" + area + ".npz";
    if (!std::ifstream(path)) return;
    for (auto& [key, array] : io::read_npz(path)) arrays_[key] = array;
  }

  const io::Json& cases() const { return cases_; }
  const io::Json& find(const std::string& name) const {
    for (const io::Json& golden : cases_) {
      if (golden["name"].as_string() == name) return golden;
    }
    throw NotFoundError("no golden case " + name);
  }
  /// The array of that role; empty if the case has none.
  Tensor array(const io::Json& golden, const std::string& role) const {
    const auto found = arrays_.find(golden["name"].as_string() + "/" + role);
    return found == arrays_.end() ? Tensor() : found->second;
  }

 private:
  static io::Json read_json(const std::string& area) {
    std::ifstream file(RHYTON_GOLDEN_DIR "/" + area + ".json");
    std::stringstream text;
    text << file.rdbuf();
    return io::Json::parse(text.str(), area + ".json");
  }

  io::Json cases_;
  std::map<std::string, Tensor> arrays_;
};

/// Elements within `relative` of the expected ones, or within `absolute` near zero.
inline void expect_close(const Tensor& actual, const Tensor& expected, double relative = 1e-5, double absolute = 1e-6) {
  ASSERT_FALSE(actual.is_empty());
  ASSERT_FALSE(expected.is_empty());
  ASSERT_EQ(actual.shape().to_string(), expected.shape().to_string());
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> e = expected.to_vector();
  for (std::size_t i = 0; i < e.size(); ++i) {
    ASSERT_NEAR(a[i], e[i], absolute + relative * std::abs(e[i])) << "element " << i;
  }
}

using test::message_of;

/// Keras's message in that case of errors.json.
inline std::string keras_message(const std::string& name) {
  static const GoldenArea errors("errors");
  return errors.find(name)["message"].as_string();
}

}  // namespace rhyton::test
