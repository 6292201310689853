#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <rhyton/framework/ops/per_axis.h>
#include <rhyton/tests/framework/ops/golden_calls.h>

namespace rhyton::golden {

/// The words of a call with the form "key=value".
class Words {
 public:
  explicit Words(const Call& call) {
    for (std::size_t i = 0; i < call.size(); ++i) {
      const std::string& word = call.word(i);
      const std::size_t sign = word.find('=');
      if (sign != std::string::npos) values_[word.substr(0, sign)] = word.substr(sign + 1);
    }
  }

  // Each changes an option that the call names.
  void read(const std::string& key, std::string& option) const {
    if (has(key)) option = values_.at(key);
  }
  void read(const std::string& key, bool& option) const {
    if (has(key)) option = values_.at(key) == "True";
  }
  void read(const std::string& key, double& option) const {
    if (has(key)) option = std::stod(values_.at(key));
  }
  void read(const std::string& key, std::int64_t& option) const {
    if (has(key)) option = std::stoll(values_.at(key));
  }
  void read(const std::string& key, std::optional<std::int64_t>& option) const {
    if (has(key)) option = std::stoll(values_.at(key));
  }
  void read(const std::string& key, std::vector<std::int64_t>& option) const {
    if (!has(key)) return;
    option.clear();
    for (const double number : numbers(key)) option.push_back(static_cast<std::int64_t>(number));
  }
  void read(const std::string& key, PerAxis& option) const {
    std::vector<std::int64_t> numbers;
    read(key, numbers);
    if (!numbers.empty()) option = PerAxis(numbers);
  }
  void read(const std::string& key, std::array<std::int64_t, 2>& option) const {
    if (has(key))
      option = {static_cast<std::int64_t>(numbers(key).at(0)), static_cast<std::int64_t>(numbers(key).at(1))};
  }
  void read(const std::string& key, std::array<double, 2>& option) const {
    if (has(key)) option = {numbers(key).at(0), numbers(key).at(1)};
  }

 private:
  bool has(const std::string& key) const { return values_.count(key) > 0; }
  /// Of "{1, 2}" or "1".
  std::vector<double> numbers(const std::string& key) const {
    std::string text = values_.at(key);
    for (char& c : text) {
      if (c == '{' || c == '}' || c == ',') c = ' ';
    }
    std::stringstream stream(text);
    std::vector<double> result;
    for (double number = 0; stream >> number;) result.push_back(number);
    return result;
  }

  std::map<std::string, std::string> values_;
};

}  // namespace rhyton::golden
