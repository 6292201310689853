#include <rhyton/framework/distribute/reduction_messages.h>

#include <algorithm>
#include <cstring>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

DType sum_dtype_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
    case DType::float32:
      return DType::float32;
    case DType::float64:
    case DType::int32:
    case DType::int64:
      return dtype;
    case DType::uint8:
    case DType::bool_:
    case DType::int8:
    case DType::int16:
    case DType::uint16:
    case DType::uint32:
      break;
  }
  throw ValueError("A sum over processes takes floating dtypes, int32 and int64, but got " +
                   std::string(name_of(dtype)) + ".");
}

const std::byte* input_of(const ReductionBuffer& buffer, std::int64_t first) {
  return static_cast<const std::byte*>(buffer.input) + static_cast<std::size_t>(first) * size_of(buffer.dtype);
}

std::byte* output_of(const ReductionBuffer& buffer, std::int64_t first) {
  return static_cast<std::byte*>(buffer.output) + static_cast<std::size_t>(first) * size_of(buffer.dtype);
}

std::size_t bytes_of(const ReductionMessage& message, const ReductionPiece& piece) {
  return static_cast<std::size_t>(piece.elements) * size_of(message.dtype);
}

/// The beginning of the message's outputs if they are contiguous, else null.
std::byte* contiguous_outputs(std::span<const ReductionBuffer> buffers, const ReductionMessage& message) {
  std::byte* const begin = output_of(buffers[message.pieces.front().buffer], message.pieces.front().first);
  std::byte* end = begin;
  for (const ReductionPiece& piece : message.pieces) {
    if (output_of(buffers[piece.buffer], piece.first) != end) return nullptr;
    end += bytes_of(message, piece);
  }
  return begin;
}

template <class Narrow>
void widen(const std::byte* from, std::int64_t elements, float* to) {
  const auto* const narrow = reinterpret_cast<const Narrow*>(from);
  for (std::int64_t i = 0; i < elements; ++i) to[i] = static_cast<float>(narrow[i]);
}

template <class Narrow>
void round_to(const float* from, std::int64_t elements, std::byte* to) {
  auto* const narrow = reinterpret_cast<Narrow*>(to);
  for (std::int64_t i = 0; i < elements; ++i) narrow[i] = Narrow(from[i]);
}

}  // namespace

std::vector<ReductionMessage> reduction_messages(std::span<const ReductionBuffer> buffers) {
  std::vector<ReductionMessage> messages;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const DType dtype = buffers[b].dtype;
    const DType sum_dtype = sum_dtype_of(dtype);
    const auto packed = packed_reduction_bytes / static_cast<std::int64_t>(size_of(sum_dtype));
    // Elements that have to be converted are copied to the staging memory, piece by piece.
    const std::int64_t largest_piece = dtype == sum_dtype ? buffers[b].elements : packed;
    for (std::int64_t first = 0; first < buffers[b].elements;) {
      const std::int64_t elements = std::min(buffers[b].elements - first, largest_piece);
      if (messages.empty() || messages.back().dtype != dtype || messages.back().elements + elements > packed) {
        messages.push_back({.pieces = {}, .elements = 0, .dtype = dtype, .sum_dtype = sum_dtype});
      }
      messages.back().pieces.push_back({.buffer = b, .first = first, .elements = elements});
      messages.back().elements += elements;
      first += elements;
    }
  }
  return messages;
}

std::byte* gather_inputs(std::span<const ReductionBuffer> buffers, const ReductionMessage& message,
                         std::vector<std::byte>& staging) {
  std::byte* const in_place = message.dtype == message.sum_dtype ? contiguous_outputs(buffers, message) : nullptr;
  if (in_place == nullptr) {
    staging.resize(std::max(staging.size(), static_cast<std::size_t>(message.elements) * size_of(message.sum_dtype)));
  }
  std::byte* const begin = in_place != nullptr ? in_place : staging.data();
  std::byte* target = begin;
  for (const ReductionPiece& piece : message.pieces) {
    const std::byte* const input = input_of(buffers[piece.buffer], piece.first);
    if (message.dtype == DType::float16) {
      widen<Half>(input, piece.elements, reinterpret_cast<float*>(target));
    } else if (message.dtype == DType::bfloat16) {
      widen<BFloat16>(input, piece.elements, reinterpret_cast<float*>(target));
    } else if (target != input) {
      std::memcpy(target, input, bytes_of(message, piece));
    }
    target += static_cast<std::size_t>(piece.elements) * size_of(message.sum_dtype);
  }
  return begin;
}

void scatter_sums(std::span<const ReductionBuffer> buffers, const ReductionMessage& message, const std::byte* sums) {
  for (const ReductionPiece& piece : message.pieces) {
    std::byte* const output = output_of(buffers[piece.buffer], piece.first);
    if (message.dtype == DType::float16) {
      round_to<Half>(reinterpret_cast<const float*>(sums), piece.elements, output);
    } else if (message.dtype == DType::bfloat16) {
      round_to<BFloat16>(reinterpret_cast<const float*>(sums), piece.elements, output);
    } else if (output != sums) {
      std::memcpy(output, sums, bytes_of(message, piece));
    }
    sums += static_cast<std::size_t>(piece.elements) * size_of(message.sum_dtype);
  }
}

}  // namespace rhyton::distribute
