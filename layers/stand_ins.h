#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/call_arguments.h>

// What stands in for the unknown lengths of symbolic tensors while a layer is called to find the shapes of its outputs.

namespace rhyton::layers {

/// A length for an unknown axis in the first or second of two calls. The primes are far apart, so that the lengths
/// still differ after division by strides, whose product is `stride`.
inline std::int64_t stand_in(int axis, bool second, std::int64_t stride) {
  constexpr std::array<std::int64_t, Shape::max_rank> first_lengths = {211, 223, 227, 229, 233, 239, 241, 251};
  constexpr std::array<std::int64_t, Shape::max_rank> second_lengths = {1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049};
  // The least by which the two lengths of an axis differ.
  constexpr std::int64_t difference = 790;
  const std::int64_t length = (second ? second_lengths : first_lengths)[static_cast<std::size_t>(axis)];
  return stride > difference ? length + (second ? 2 * stride : stride) : length;
}

/// Known lengths in place of the unknown ones of an argument's tensors: those of other tensors at the same axis,
/// counted from the front or from the back. For calls whose unknown lengths must be those of a constant.
class KnownLengths {
 public:
  KnownLengths(const BoundArguments& arguments, bool from_back) : from_back_(from_back) {
    for (const auto& [parameter, argument] : arguments.all()) {
      for_each_leaf(argument, [&](const Argument& leaf) {
        if (leaf.is_tensor()) add(leaf.tensor().shape());
        if (leaf.is_symbolic()) add(leaf.symbolic().shape());
      });
    }
  }

  /// Leaves axes unknown for which there is no length.
  TensorSpec applied_to(TensorSpec spec) const {
    for (int axis = 0; axis < spec.shape.rank(); ++axis) {
      if (spec.shape[axis] < 0) spec.shape[axis] = lengths_[place(axis, spec.shape)];
    }
    return spec;
  }

 private:
  std::size_t place(int axis, const Shape& shape) const {
    return static_cast<std::size_t>(from_back_ ? shape.rank() - 1 - axis : axis);
  }
  void add(const Shape& shape) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      // A length of 1 says nothing: it is repeated.
      if (shape[axis] > 1) lengths_[place(axis, shape)] = shape[axis];
    }
  }

  bool from_back_;
  std::array<std::int64_t, Shape::max_rank> lengths_ = {-1, -1, -1, -1, -1, -1, -1, -1};
};

/// What stands in for unknown lengths.
enum class StandIns {
  primes,
  /// The same prime for all axes: lengths that have to be equal.
  alike,
  /// Large numbers with many divisors: lengths that are divided or compared with others.
  divisible,
};

inline TensorSpec without_unknowns(TensorSpec spec, bool second, StandIns stand_ins = StandIns::primes,
                                   std::int64_t stride = 1) {
  constexpr std::int64_t divisible = 5040;
  for (int axis = 0; axis < spec.shape.rank(); ++axis) {
    if (spec.shape[axis] >= 0) continue;
    switch (stand_ins) {
      case StandIns::primes:
        // No window moves along the batch.
        spec.shape[axis] = stand_in(axis, second, axis == 0 ? 1 : stride);
        break;
      case StandIns::alike:
        spec.shape[axis] = stand_in(0, second, stride);
        break;
      case StandIns::divisible:
        spec.shape[axis] = divisible * (second ? 29 : 13) + axis * divisible * 2;
        if (second && stride > divisible) spec.shape[axis] += divisible * stride;
        break;
    }
  }
  return spec;
}

/// The stand-ins for the unknown lengths of these arguments, without those that are known lengths too.
inline std::vector<std::int64_t> stand_ins_for(const BoundArguments& arguments, std::int64_t stride) {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> known;
  for (const auto& [parameter, argument] : arguments.all()) {
    for_each_leaf(argument, [&](const Argument& leaf) {
      if (!leaf.is_symbolic()) return;
      const Shape& shape = leaf.symbolic().shape();
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] >= 0) {
          known.push_back(shape[axis]);
          continue;
        }
        for (const bool second : {false, true}) lengths.push_back(stand_in(axis, second, axis == 0 ? 1 : stride));
      }
    });
  }
  std::erase_if(lengths,
                [&](std::int64_t length) { return std::find(known.begin(), known.end(), length) != known.end(); });
  return lengths;
}

/// The message of an error with None for the stand-ins in its shapes: "[None,5] vs. [None,4]".
inline std::string with_unknowns(const std::string& message, const std::vector<std::int64_t>& stand_ins) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::string result;
  for (std::size_t i = 0; i < message.size();) {
    if (!is_digit(message[i])) {
      result += message[i++];
      continue;
    }
    const std::size_t first = i;
    while (i < message.size() && is_digit(message[i])) ++i;
    const std::string number = message.substr(first, i - first);
    const bool begins_length = first > 0 && std::string("[(, ").find(message[first - 1]) != std::string::npos;
    const bool ends_length = i < message.size() && std::string("]),").find(message[i]) != std::string::npos;
    const bool is_unknown = begins_length && ends_length &&
                            std::any_of(stand_ins.begin(), stand_ins.end(),
                                        [&](std::int64_t length) { return std::to_string(length) == number; });
    result += is_unknown ? "None" : number;
  }
  return result;
}

}  // namespace rhyton::layers
