#include <rhyton/models/training/tensors.h>

#include <set>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>

namespace rhyton::training {

std::vector<Tensor> Tensors::ordered(const std::vector<std::string>& names, const std::string& what) const {
  if (map_.empty()) {
    if (list_.size() != names.size()) {
      throw ValueError("The model has " + std::to_string(names.size()) + " " + what + ", " + python_list(names) +
                       ", but received " + std::to_string(list_.size()) + " tensors.");
    }
    return list_;
  }
  std::vector<Tensor> tensors;
  for (const std::string& name : names) {
    const auto it = map_.find(name);
    if (it == map_.end())
      throw ValueError("No tensor is given for '" + name + "' of the model's " + what + " " + python_list(names) + ".");
    tensors.push_back(it->second);
  }
  const std::set<std::string_view> known(names.begin(), names.end());
  for (const auto& [name, tensor] : map_) {
    if (!known.contains(name)) {
      throw ValueError("A tensor is given for '" + name + "', which is not among the model's " + what + " " +
                       python_list(names) + ".");
    }
  }
  return tensors;
}

}  // namespace rhyton::training
