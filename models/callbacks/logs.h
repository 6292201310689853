#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/models/callbacks/log_value.h>
#include <rhyton/models/callbacks/values_by_name.h>

namespace rhyton::callbacks {

/// Names and values that training reports, in the order in which they are shown (log_order.h). Values are numbers; the
/// result of a metric that is a vector counts as the mean of its elements, which `elements` gives.
class Logs {
 public:
  Logs() = default;
  /// Of two entries of one name the last one counts.
  Logs(std::initializer_list<std::pair<std::string, double>> entries) {
    for (const auto& [name, value] : entries) set(name, value);
  }
  /// The logs that `read` returns, which is called when they are first looked at, changed or copied: for those of a
  /// batch, for which the host has to wait. What `read` refers to must live as long as the object, not as its copies.
  static Logs deferred(std::function<Logs()> read) { return Logs(std::move(read)); }

  Logs(const Logs& other) : values_(other.values()) {}
  Logs& operator=(const Logs& other) {
    values_ = other.values();
    read_ = nullptr;
    return *this;
  }
  ~Logs() = default;

  bool contains(const std::string& name) const { return values().contains(name); }
  std::optional<double> find(const std::string& name) const {
    const LogValue* const value = values().find(name);
    return value == nullptr ? std::nullopt : std::optional<double>(static_cast<double>(*value));
  }
  /// The value of that name. Throws NotFoundError if there is none.
  double at(const std::string& name) const { return values().at(name); }
  double operator[](const std::string& name) const { return values().at(name); }
  /// The elements of the value of that name: several if it is a vector. Throws NotFoundError if there is none.
  std::vector<double> elements(const std::string& name) const { return values().at(name).elements(); }
  /// The value of that name as it was set. Throws NotFoundError if there is none.
  const LogValue& value(const std::string& name) const { return values().at(name); }
  /// Adds the value, or replaces that of the same name.
  void set(const std::string& name, LogValue value) {
    values();
    values_[name] = std::move(value);
  }

  auto begin() const { return values().begin(); }
  auto end() const { return values().end(); }
  std::size_t size() const { return values().size(); }
  bool empty() const { return values().empty(); }

 private:
  explicit Logs(std::function<Logs()> read) : read_(std::move(read)) {}

  const ValuesByName<LogValue>& values() const {
    if (read_) values_ = std::exchange(read_, nullptr)().values();
    return values_;
  }

  // Written by the first look at deferred logs.
  mutable std::function<Logs()> read_;
  mutable ValuesByName<LogValue> values_;
};

/// The result of `fit`: for each name one value per epoch (Keras's `History`).
struct History {
  /// The epochs, counted from 0.
  std::vector<int> epoch;
  /// In the order in which the names were first logged. Vectors are the means of their elements.
  ValuesByName<std::vector<double>> history;
  /// The elements of the values that are vectors, one vector per epoch.
  ValuesByName<std::vector<std::vector<double>>> vectors = {};

  /// The values of that name. Throws NotFoundError if there are none.
  const std::vector<double>& operator[](const std::string& name) const { return history.at(name); }
  /// Adds an epoch with its logs.
  void add(int epoch_number, const Logs& logs);
};

}  // namespace rhyton::callbacks
