#pragma once

#include <string_view>

namespace rhyton {
inline namespace ops {

/// The activation that a fused op applies to its result after the bias; relu6 only where an op says so.
enum class Epilogue { none, relu, relu6 };

constexpr std::string_view name_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::none:
      return "none";
    case Epilogue::relu:
      return "relu";
    case Epilogue::relu6:
      return "relu6";
  }
  return "none";
}

}  // namespace ops
}  // namespace rhyton
