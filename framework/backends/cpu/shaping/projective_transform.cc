#include <rhyton/framework/ops/image/projective_transform.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/backends/elementwise/projective_sampling.h>

namespace rhyton::cpu {
namespace {

using elementwise::BilinearPlace;
using elementwise::SampledPlace;
using image::FillMode;

/// The fill value as an element; integers wrap around.
template <class T>
T fill_element(double value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(image::integer_fill(value));
  } else {
    return static_cast<T>(value);
  }
}

/// Calls `body` with the number of channels as a constant where it is a usual one.
template <class Body>
void with_channels(std::int64_t channels, const Body& body) {
  switch (channels) {
    case 1:
      return body(std::integral_constant<std::int64_t, 1>());
    case 3:
      return body(std::integral_constant<std::int64_t, 3>());
    case 4:
      return body(std::integral_constant<std::int64_t, 4>());
    default:
      return body(channels);
  }
}

/// The shape of images [batch, height, width, channels].
struct ImageShape {
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;

  explicit ImageShape(const Shape& shape) : height(shape[1]), width(shape[2]), channels(shape[3]) {}
  std::int64_t size() const { return height * width * channels; }
};

/// Calls `body(pixel, place)` for each pixel of a result, in their order.
template <class Body>
void for_each_place(const ImageShape& shape, const float* transform, FillMode mode, const Body& body) {
  constexpr std::int64_t block = 64;
  std::array<SampledPlace, block> places;
  const auto height = static_cast<float>(shape.height);
  const auto width = static_cast<float>(shape.width);
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t first = 0; first < shape.width; first += block) {
      const std::int64_t count = std::min(block, shape.width - first);
      for (std::int64_t i = 0; i < count; ++i) {
        places[static_cast<std::size_t>(i)] = elementwise::sampled_place(transform, static_cast<float>(first + i),
                                                                         static_cast<float>(y), width, height, mode);
      }
      for (std::int64_t i = 0; i < count; ++i) body(y * shape.width + first + i, places[static_cast<std::size_t>(i)]);
    }
  }
}

/// The offset of the pixel in the image, -1 for one outside.
std::int64_t offset_of(float y, float x, const ImageShape& shape) {
  const bool is_inside = elementwise::is_inside(y, static_cast<float>(shape.height)) &&
                         elementwise::is_inside(x, static_cast<float>(shape.width));
  if (!is_inside) return -1;
  return (static_cast<std::int64_t>(y) * shape.width + static_cast<std::int64_t>(x)) * shape.channels;
}

/// The offset of the nearest pixel, halves away from 0.
std::int64_t nearest_offset(const SampledPlace& place, const ImageShape& shape) {
  return offset_of(std::round(place.y), std::round(place.x), shape);
}

/// The offsets of the four pixels around a place: above those below, left before right.
std::array<std::int64_t, 4> offsets_around(const BilinearPlace& around, const ImageShape& shape) {
  return {offset_of(around.top, around.left, shape), offset_of(around.top, around.left + 1, shape),
          offset_of(around.top + 1, around.left, shape), offset_of(around.top + 1, around.left + 1, shape)};
}

template <class T, class Channels>
void transform_nearest(const T* image, T* result, const float* transform, const ImageShape& shape, Channels channels,
                       FillMode mode, T fill) {
  for_each_place(shape, transform, mode, [&](std::int64_t pixel, const SampledPlace& place) {
    T* const to = result + pixel * channels;
    const std::int64_t from = place.is_seen ? nearest_offset(place, shape) : -1;
    if (from < 0) {
      for (std::int64_t c = 0; c < channels; ++c) to[c] = fill;
    } else {
      for (std::int64_t c = 0; c < channels; ++c) to[c] = image[from + c];
    }
  });
}

template <class T, class Channels>
void transform_bilinear(const T* image, T* result, const float* transform, const ImageShape& shape, Channels channels,
                        FillMode mode, T fill) {
  const auto beyond = static_cast<float>(fill);
  for_each_place(shape, transform, mode, [&](std::int64_t pixel, const SampledPlace& place) {
    T* const to = result + pixel * channels;
    if (!place.is_seen) {
      for (std::int64_t c = 0; c < channels; ++c) to[c] = fill;
      return;
    }
    const BilinearPlace around = elementwise::bilinear_place(place);
    const std::array<std::int64_t, 4> from = offsets_around(around, shape);
    const auto blend = [&](std::int64_t c, const auto& read) {
      const float upper = elementwise::weighted(around.left_weight, read(0, c), around.right_weight, read(1, c));
      const float lower = elementwise::weighted(around.left_weight, read(2, c), around.right_weight, read(3, c));
      to[c] = elementwise::sampled_element<T>(
          elementwise::weighted(around.upper_weight, upper, around.lower_weight, lower));
    };
    if ((from[0] | from[1] | from[2] | from[3]) >= 0) {
      const auto read = [&](std::size_t i, std::int64_t c) { return static_cast<float>(image[from[i] + c]); };
      for (std::int64_t c = 0; c < channels; ++c) blend(c, read);
    } else {
      const auto read = [&](std::size_t i, std::int64_t c) {
        return from[i] < 0 ? beyond : static_cast<float>(image[from[i] + c]);
      };
      for (std::int64_t c = 0; c < channels; ++c) blend(c, read);
    }
  });
}

template <class T>
void run_transform(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<image::ProjectiveTransformOp>();
  const Shape& images = arguments.inputs[0].shape();
  const Shape& transforms = arguments.inputs[1].shape();
  const ImageShape shape(images);
  const T* from = arguments.inputs[0].as<const T>();
  T* to = arguments.outputs[0].as<T>();
  const float* numbers = arguments.inputs[1].as<const float>();
  const std::int64_t step = transforms[0] == 1 ? 0 : transforms[1];
  const T fill = fill_element<T>(op.fill_value);
  with_channels(shape.channels, [&](auto channels) {
    for (std::int64_t sample = 0; sample < images[0]; ++sample) {
      if (op.bilinear) {
        transform_bilinear(from, to, numbers, shape, channels, op.mode, fill);
      } else {
        transform_nearest(from, to, numbers, shape, channels, op.mode, fill);
      }
      from += shape.size();
      to += shape.size();
      numbers += step;
    }
  });
}

template <class T>
void add_gradient(const T* dy, T* dx, const float* transform, const ImageShape& shape,
                  const image::ProjectiveTransformGradOp& op) {
  for_each_place(shape, transform, op.mode, [&](std::int64_t pixel, const SampledPlace& place) {
    if (!place.is_seen) return;
    const T* const own = dy + pixel * shape.channels;
    const auto add = [&](std::int64_t offset, float weight) {
      if (offset < 0) return;
      for (std::int64_t c = 0; c < shape.channels; ++c) dx[offset + c] += static_cast<T>(weight) * own[c];
    };
    if (!op.bilinear) return add(nearest_offset(place, shape), 1);
    const BilinearPlace around = elementwise::bilinear_place(place);
    const std::array<std::int64_t, 4> to = offsets_around(around, shape);
    add(to[0], around.upper_weight * around.left_weight);
    add(to[1], around.upper_weight * around.right_weight);
    add(to[2], around.lower_weight * around.left_weight);
    add(to[3], around.lower_weight * around.right_weight);
  });
}

template <class T>
void run_gradient(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<image::ProjectiveTransformGradOp>();
  const Shape& images = arguments.inputs[0].shape();
  const Shape& transforms = arguments.inputs[1].shape();
  const ImageShape shape(images);
  const T* dy = arguments.inputs[0].as<const T>();
  T* dx = arguments.outputs[0].as<T>();
  const float* numbers = arguments.inputs[1].as<const float>();
  const std::int64_t step = transforms[0] == 1 ? 0 : transforms[1];
  std::fill_n(dx, images.size(), T(0));
  for (std::int64_t sample = 0; sample < images[0]; ++sample) {
    add_gradient(dy, dx, numbers, shape, op);
    dy += shape.size();
    dx += shape.size();
    numbers += step;
  }
}

}  // namespace

void register_projective_transform_kernels(KernelTable& table) {
  const auto add = [&]<class T>(T) {
    table.add("ImageProjectiveTransformV3", dtype_of<T>, {.run = &run_transform<T>});
  };
  add(float());
  add(double());
  add(std::int32_t());
  add(std::int64_t());
  add(std::uint8_t());
  // The op's function converts half types.
  table.add("ImageProjectiveTransformGrad", DType::float32,
            {.run = &run_gradient<float>, .serves_narrow_types = false});
  table.add("ImageProjectiveTransformGrad", DType::float64,
            {.run = &run_gradient<double>, .serves_narrow_types = false});
}

}  // namespace rhyton::cpu
