#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhyton::callbacks {

/// Names and values that training reports, in the order in which they are shown.
class Logs {
 public:
  Logs() = default;
  Logs(std::initializer_list<std::pair<std::string, double>> entries) : entries_(entries) {}

  bool contains(const std::string& name) const { return find(name).has_value(); }
  std::optional<double> find(const std::string& name) const {
    for (const auto& [key, value] : entries_) {
      if (key == name) return value;
    }
    return std::nullopt;
  }
  /// The value of that name. Throws NotFoundError when there is none.
  double at(const std::string& name) const;
  double operator[](const std::string& name) const { return at(name); }
  /// Adds, or replaces where the name is there.
  void set(const std::string& name, double value) {
    for (auto& [key, old] : entries_) {
      if (key == name) {
        old = value;
        return;
      }
    }
    entries_.emplace_back(name, value);
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<std::pair<std::string, double>> entries_;
};

/// What `fit` returns: per name one value per epoch (Keras's `History`).
struct History {
  /// The epochs, counted from 0.
  std::vector<int> epoch;
  std::map<std::string, std::vector<double>> history;

  /// The values of that name. Throws NotFoundError when there are none.
  const std::vector<double>& operator[](const std::string& name) const;
};

}  // namespace rhyton::callbacks
