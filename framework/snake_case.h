#pragma once

#include <string>
#include <string_view>

namespace rhyton {

/// The default name of a class, as Keras makes it (`to_snake_case`): "MeanSquaredError" becomes "mean_squared_error",
/// "MaxPooling2D" "max_pooling2d", "AdamW" "adam_w". A capital letter begins a word if a small letter follows or
/// precedes it; characters other than letters, digits and "_" are omitted.
std::string snake_case(std::string_view class_name);

}  // namespace rhyton
