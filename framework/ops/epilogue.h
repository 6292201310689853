#pragma once

#include <string_view>

namespace rhyton {
inline namespace ops {

/// The activation that a fused op applies to its result after the bias.
enum class Epilogue { none, relu };

constexpr std::string_view name_of(Epilogue epilogue) { return epilogue == Epilogue::relu ? "relu" : "none"; }

}  // namespace ops
}  // namespace rhyton
