#include <rhyton/models/callbacks/values_by_name.h>

#include <rhyton/framework/error.h>

namespace rhyton::callbacks {

template <class T>
void ValuesByName<T>::throw_unknown(const std::string& name) const {
  std::string known;
  for (const Entry& entry : entries_) known += (known.empty() ? "'" : ", '") + entry.first + "'";
  throw NotFoundError("There is no value named '" + name + "'. There are: [" + known + "].");
}

template class ValuesByName<LogValue>;
template class ValuesByName<std::vector<double>>;
template class ValuesByName<std::vector<std::vector<double>>>;

}  // namespace rhyton::callbacks
