#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/sequence_window.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.STFTSpectrogram`.
struct STFTSpectrogramOptions {
  ByName by_name = ByName();
  /// "log", "magnitude", "psd", "real", "imag", "angle" or "stft": see STFTSpectrogram.
  std::string mode = "log";
  /// The number of elements of a frame.
  std::int64_t frame_length = 256;
  /// From the beginning of a frame to that of the next one; by default `frame_length` / 2, rounded down.
  std::optional<std::int64_t> frame_step = std::nullopt;
  /// F, the length of the transform; by default the smallest power of two from `frame_length` on.
  std::optional<std::int64_t> fft_length = std::nullopt;
  /// `window`, `periodic` and `scaling` are those of `initializers::STFT`, which creates the weights.
  SequenceWindowArgument window = "hann";
  bool periodic = false;
  std::optional<std::string> scaling = "density";
  /// "valid", or "same": as many frames as elements divided by `frame_step`, rounded up.
  std::string padding = "valid";
  /// Whether the frequencies are an axis of their own.
  bool expand_dims = false;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  Regularizer activity_regularizer = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("mode", self.mode);
    fields("frame_length", self.frame_length);
    fields("frame_step", self.frame_step);
    fields("fft_length", self.fft_length);
    fields("window", self.window.value());
    fields("periodic", self.periodic);
    fields("scaling", self.scaling);
    fields("padding", self.padding);
    fields("data_format", self.data_format);
    fields("expand_dims", self.expand_dims);
  }
};

/// The short-time Fourier transform of each channel of a signal, [batch, time, channels] -> [batch, frames, channels ·
/// frequencies], where the frequencies of a channel are side by side, or [batch, frames, frequencies, channels] with
/// `expand_dims`; for "channels_first" [batch, channels, time] -> [batch, channels · frequencies, frames], or [batch,
/// channels, frames, frequencies]. There are F / 2 + 1 frequencies. By `mode`:
///
/// - "real", "imag": the real part R or the imaginary part I;
/// - "stft": both, twice as many frequencies: the real parts of a channel before its imaginary ones;
/// - "angle": the angle of the complex number;
/// - "psd": R² + I², twice that for all frequencies but the first and the last;
/// - "magnitude": √max(R² + I², ε) with ε = `config::epsilon()`; "log": the logarithm of that, or of ε if it is less.
///
/// R and I are convolutions. Weights: real_kernel [frame_length, 1, frequencies], unless the mode is "imag",
/// imag_kernel of the same shape, unless it is "real". See
/// https://keras.io/api/layers/preprocessing_layers/audio_preprocessing/stft_spectrogram.
///
/// The constructor throws ValueError in Keras's words for numbers and names that do not fit, and warns of an
/// `fft_length` that is no power of two. A call throws ValueError for inputs of another rank or shorter than a frame,
/// TypeError for other dtypes than float16, float32 and float64.
class STFTSpectrogram : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "STFTSpectrogram";
  using Arguments = STFTSpectrogramOptions;

  explicit STFTSpectrogram(const STFTSpectrogramOptions& options = {});
  static STFTSpectrogram from_config(const io::Json& config);
};

}  // namespace rhyton::layers
