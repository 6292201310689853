#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/models/callbacks/log_value.h>

namespace rhyton::callbacks {

/// Values by name in the order in which the names were added, like a dictionary of Python.
template <class T>
class ValuesByName {
 public:
  using Entry = std::pair<std::string, T>;

  ValuesByName() = default;
  /// Of two entries of one name the last one counts.
  ValuesByName(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) (*this)[entry.first] = entry.second;
  }

  /// Null if there is no value of that name.
  const T* find(const std::string& name) const {
    const std::size_t place = place_of(name);
    return place < entries_.size() ? &entries_[place].second : nullptr;
  }
  bool contains(const std::string& name) const { return find(name) != nullptr; }
  std::size_t count(const std::string& name) const { return contains(name) ? 1 : 0; }
  /// The value of that name. Throws NotFoundError that lists the existing names if there is none.
  const T& at(const std::string& name) const {
    const T* const value = find(name);
    if (value == nullptr) throw_unknown(name);
    return *value;
  }
  /// The value of that name, which is added if there is none.
  T& operator[](const std::string& name) {
    const std::size_t place = place_of(name);
    if (place == entries_.size()) {
      entries_.emplace_back(name, T());
      if (!places_.empty()) {
        places_.emplace(name, place);
      } else if (entries_.size() > max_searched) {
        for (std::size_t i = 0; i < entries_.size(); ++i) places_.emplace(entries_[i].first, i);
      }
    }
    return entries_[place].second;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  /// Whether names, values and order are equal.
  friend bool operator==(const ValuesByName& a, const ValuesByName& b) { return a.entries_ == b.entries_; }

 private:
  // Few names are found faster without the table.
  static constexpr std::size_t max_searched = 16;

  std::size_t place_of(const std::string& name) const {
    if (!places_.empty()) {
      const auto found = places_.find(name);
      return found == places_.end() ? entries_.size() : found->second;
    }
    std::size_t place = 0;
    while (place < entries_.size() && entries_[place].first != name) ++place;
    return place;
  }

  [[noreturn]] void throw_unknown(const std::string& name) const;

  std::vector<Entry> entries_;
  // The index of each entry, if there are more than `max_searched`.
  std::unordered_map<std::string, std::size_t> places_;
};

extern template class ValuesByName<LogValue>;
extern template class ValuesByName<std::vector<double>>;
extern template class ValuesByName<std::vector<std::vector<double>>>;

}  // namespace rhyton::callbacks
