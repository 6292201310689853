#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/models/callbacks/values_by_name.h>

namespace rhyton::callbacks {

/// Names and values that training reports, in the order in which they are shown (log_order.h).
class Logs {
 public:
  Logs() = default;
  Logs(std::initializer_list<std::pair<std::string, double>> entries) : values_(entries) {}

  bool contains(const std::string& name) const { return values_.contains(name); }
  std::optional<double> find(const std::string& name) const {
    const double* const value = values_.find(name);
    return value == nullptr ? std::nullopt : std::optional<double>(*value);
  }
  /// The value of that name. Throws NotFoundError if there is none.
  double at(const std::string& name) const { return values_.at(name); }
  double operator[](const std::string& name) const { return values_.at(name); }
  /// Adds the value, or replaces that of the same name.
  void set(const std::string& name, double value) { values_[name] = value; }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

 private:
  ValuesByName<double> values_;
};

/// The result of `fit`: for each name one value per epoch (Keras's `History`).
struct History {
  /// The epochs, counted from 0.
  std::vector<int> epoch;
  /// In the order in which the names were first logged.
  ValuesByName<std::vector<double>> history;

  /// The values of that name. Throws NotFoundError if there are none.
  const std::vector<double>& operator[](const std::string& name) const { return history.at(name); }
  /// Adds an epoch with its logs.
  void add(int epoch_number, const Logs& logs);
};

}  // namespace rhyton::callbacks
