#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rhyton::training {

/// Finds outputs by name. Several outputs may have one name: `Model({x}, {y, y})` has two.
class OutputIndices {
 public:
  /// `names` must outlive it.
  explicit OutputIndices(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) indices_[names[i]].push_back(i);
  }

  /// The outputs of that name, in order; none for an unknown name.
  const std::vector<std::size_t>& of(const std::string& name) const {
    const auto found = indices_.find(name);
    return found == indices_.end() ? none_ : found->second;
  }

 private:
  std::unordered_map<std::string_view, std::vector<std::size_t>> indices_;
  std::vector<std::size_t> none_;
};

}  // namespace rhyton::training
