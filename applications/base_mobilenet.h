#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <rhyton/applications/base_application.h>

// What the MobileNets have in common.

namespace rhyton::applications {

/// The shape of one image. The default size is that of `hint`, the shape of an image, if there are weights for it.
Shape mobilenet_input_shape(const ApplicationOptions& options, const std::vector<std::int64_t>& pretrained_sizes,
                            const Shape& hint);

/// The height of images, for names. For pre-trained weights one that there are weights for, with a warning if the
/// images have another.
std::string mobilenet_size(const Shape& input_shape, const std::vector<std::int64_t>& pretrained_sizes,
                           bool is_pretrained);

bool is_one_of(double value, std::initializer_list<double> values);
/// As Python writes it: "1.0".
std::string python_float(double value);
/// "1.00"
std::string two_decimals(double value);

}  // namespace rhyton::applications
