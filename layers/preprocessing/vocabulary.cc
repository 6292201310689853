#include <rhyton/layers/preprocessing/vocabulary.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/config_form.h>
#include <rhyton/framework/serialization/custom_objects.h>

namespace rhyton::layers {

template <class Token>
Vocabulary<Token> Vocabulary<Token>::from_config(const io::Json& config) {
  if (!config.is_string()) return ConfigForm<std::vector<Token>>::read("vocabulary", config);
  const DeserializationScope* const scope = DeserializationScope::innermost();
  if (scope != nullptr && scope->safe_mode()) {
    throw ValueError(
        "Requested the loading of a vocabulary file outside of the model archive. This carries a potential risk of "
        "loading arbitrary and sensitive files and thus it is disallowed by default. If you trust the source of the "
        "artifact, you can override this error by passing `safe_mode=False` to the loading function. Vocabulary "
        "file: '" +
        config.as_string() + "'");
  }
  return config.as_string();
}

template class Vocabulary<std::string>;
template class Vocabulary<std::int64_t>;

}  // namespace rhyton::layers
