#pragma once

#include <string>
#include <string_view>

namespace rhyton {

/// The name of a class as Keras makes default names from it (`to_snake_case`): "MeanSquaredError" becomes
/// "mean_squared_error", "MaxPooling2D" "max_pooling2d", "AdamW" "adam_w". A capital starts a word where a small letter
/// follows or precedes it; what is neither a letter, a digit nor "_" is left out.
std::string snake_case(std::string_view class_name);

}  // namespace rhyton
