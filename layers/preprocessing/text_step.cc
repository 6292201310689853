#include <rhyton/layers/preprocessing/text_step.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

template <class Result>
io::Json TextStep<Result>::to_config() const {
  if (name() == nullptr) {
    throw ValueError(
        "A C++ function that a text is processed with cannot be written to a configuration. Process the strings before "
        "the layer, with `standardize` or `split` None, or give one of Keras's names.");
  }
  return *name();
}

template <class Result>
TextStep<Result> TextStep<Result>::from_config(const char* key, const io::Json& config) {
  if (config.is_string()) return config.as_string();
  throw NotImplementedError("The argument `" + std::string(key) +
                            "` of a TextVectorization is a function of Python, which cannot be run.");
}

template class TextStep<std::string>;
template class TextStep<std::vector<std::string>>;

std::vector<int> NGrams::widths() const {
  if (!up_to_) return widths_;
  std::vector<int> all(static_cast<std::size_t>(std::max(*up_to_, 0)));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

io::Json NGrams::to_config() const {
  if (is_none()) return {};
  return up_to_ ? io::Json(*up_to_) : io::Json::array_from(widths_);
}

NGrams NGrams::from_config(const io::Json& config) {
  if (!config.is_array()) return static_cast<int>(config.as_int());
  std::vector<int> widths;
  for (const io::Json& width : config) widths.push_back(static_cast<int>(width.as_int()));
  return widths;
}

}  // namespace rhyton::layers
