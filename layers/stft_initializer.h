#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/sequence_window.h>

namespace rhyton::initializers {

/// Fields in the order of `keras.initializers.STFT`.
struct STFTOptions {
  ByName by_name = ByName();
  /// "real" or "imag".
  std::string side = "real";
  /// A name that SciPy (`scipy.signal.get_window`) knows, as many numbers as the kernel is long, or `std::nullopt`.
  layers::SequenceWindowArgument window = "hann";
  /// What the kernel is divided by: the Euclidean norm of the window for "density", the sum of its absolute values for
  /// "spectrum", or nothing for `std::nullopt`.
  std::optional<std::string> scaling = "density";
  /// Whether a window with a name is periodic instead of symmetric.
  bool periodic = false;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("side", self.side);
    fields("window", self.window.value());
    fields("periodic", self.periodic);
    fields("scaling", self.scaling);
  }
};

/// The kernel [frame length, 1, F / 2 + 1] of a convolution that computes one part of the short-time Fourier transform
/// of length F: w_t cos(-2πtf / F) for the real one, w_t sin(-2πtf / F) for the imaginary one, with an even F. For
/// `layers::STFTSpectrogram`.
///
/// The constructor throws ValueError in Keras's words for an unknown side or scaling, and in SciPy's for a window that
/// it does not know without parameters. Calling it throws ValueError for another shape, and for a window of another
/// length.
class STFT : public layers::Initializer {
 public:
  explicit STFT(const STFTOptions& options = {});
};

}  // namespace rhyton::initializers
