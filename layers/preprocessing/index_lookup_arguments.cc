#include <rhyton/layers/preprocessing/index_lookup_arguments.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

template <class Token>
void check_arguments(IndexLookupArguments<Token>& given) {
  if (given.max_tokens && *given.max_tokens <= 1) {
    throw ValueError("If set, `max_tokens` must be greater than 1. Received: max_tokens=" +
                     std::to_string(*given.max_tokens));
  }
  if (given.pad_to_max_tokens && !given.max_tokens) {
    throw ValueError("If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens=None");
  }
  if (given.num_oov_indices < 0) {
    throw ValueError("`num_oov_indices` must be greater than or equal to 0. Received: num_oov_indices=" +
                     std::to_string(given.num_oov_indices));
  }
  if (given.num_oov_indices > std::numeric_limits<std::int32_t>::max()) {
    throw ValueError("`num_oov_indices` must be less than 2147483648. Received: num_oov_indices=" +
                     std::to_string(given.num_oov_indices));
  }
  if (given.oov_method != "floormod" && given.oov_method != "farmhash") {
    throw ValueError("Unknown value for `oov_method` argument of " + given.class_name +
                     ". Allowed values are: ('floormod', 'farmhash'). Received: oov_method=" + given.oov_method);
  }
  if (std::integral<Token> && !given.salt.is_none() && given.oov_method != "farmhash") {
    throw ValueError("`salt` can only be used when `oov_method='farmhash'`. Received: oov_method=" + given.oov_method);
  }
  if (given.output_mode == "binary") given.output_mode = "multi_hot";
  if (given.output_mode == "tf-idf") given.output_mode = "tf_idf";
  constexpr std::array<const char*, 5> modes = {"int", "one_hot", "multi_hot", "count", "tf_idf"};
  if (std::find(modes.begin(), modes.end(), given.output_mode) == modes.end()) {
    throw ValueError(
        "Unknown value for `output_mode` argument of " + given.class_name +
        ". Allowed values are: ('int', 'one_hot', 'multi_hot', 'count', 'tf_idf'). Received: output_mode=" +
        given.output_mode);
  }
  if (given.invert && given.output_mode != "int") {
    throw ValueError("`output_mode` must be `'int'` when `invert` is true. Received: output_mode=" + given.output_mode);
  }
  if (given.invert && !given.oov_token) {
    throw ValueError("`oov_token` must not be None when `invert` is true: it is what unknown indices become.");
  }
  if (given.idf_weights && given.output_mode != "tf_idf") {
    throw ValueError("`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: idf_weights=" +
                     io::Json::array_from(*given.idf_weights).dump() + " and output_mode=" + given.output_mode);
  }
  if (given.output_mode == "tf_idf" && !given.vocabulary.is_none() && !given.idf_weights) {
    throw ValueError(
        "When specifying the `vocabulary` argument, in TF-IDF output mode, the `idf_weights` argument must also be "
        "provided.");
  }
}

template void check_arguments(IndexLookupArguments<std::string>&);
template void check_arguments(IndexLookupArguments<std::int64_t>&);

}  // namespace rhyton::layers
