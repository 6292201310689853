#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/sequence_window.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.MelSpectrogram`.
struct MelSpectrogramOptions {
  ByName by_name = ByName();
  std::int64_t fft_length = 2048;
  /// From the middle of a sequence to that of the next one.
  std::int64_t sequence_stride = 512;
  /// The length of the window; by default, and for 0, `fft_length`.
  std::optional<std::int64_t> sequence_length = std::nullopt;
  /// "hann", "hamming", `sequence_length` numbers, or `std::nullopt`.
  SequenceWindowArgument window = "hann";
  /// Samples of the signal per second.
  double sampling_rate = 16000;
  /// The number of bands.
  std::int64_t num_mel_bins = 128;
  /// The limits of the bands in hertz. By default, and for 0, the upper one is half of `sampling_rate`, rounded down.
  double min_freq = 20.0;
  std::optional<double> max_freq = std::nullopt;
  /// Whether the result is in decibels.
  bool power_to_db = true;
  /// How many decibels values are at most below the largest one of the batch.
  double top_db = 80.0;
  /// The exponent of the magnitudes: 1, or 2 for power.
  double mag_exp = 2.0;
  /// The least power, also of `ref_power`.
  double min_power = 1e-10;
  /// The power of 0 decibels.
  double ref_power = 1.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("fft_length", self.fft_length);
    fields("sequence_stride", self.sequence_stride);
    fields("sequence_length", self.sequence_length);
    fields("window", self.window.value());
    fields.count("sampling_rate", self.sampling_rate);
    fields("num_mel_bins", self.num_mel_bins);
    fields("min_freq", self.min_freq);
    fields("max_freq", self.max_freq);
    fields("power_to_db", self.power_to_db);
    fields("top_db", self.top_db);
    fields("mag_exp", self.mag_exp);
    fields("min_power", self.min_power);
    fields("ref_power", self.ref_power);
  }
};

/// The power of a signal in bands that are equally wide for the ear: [time] or [batch, time] -> [..., num_mel_bins,
/// frames] with 1 + (time - fft_length mod 2) / sequence_stride frames. The magnitudes of `ops::stft` to the power
/// `mag_exp` are summed over the bands, triangles on the mel scale 1127 log(1 + f / 700) that overlap by half. With
/// `power_to_db` it is 10 log10(max(x, min_power) / max(|ref_power|, min_power)), at most `top_db` below the largest
/// value of all samples. Inputs of any dtype; it computes in float64 if that is the compute dtype, else in float32, and
/// returns the compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/audio_preprocessing/mel_spectrogram.
///
/// The constructor throws ValueError in Keras's words for a `sequence_length` beyond `fft_length`, and for lengths and
/// numbers that are not positive. A call throws ValueError for a window of another name or length, and
/// InvalidArgumentError for a signal of `fft_length` / 2 samples or fewer, which cannot be mirrored at its ends.
class MelSpectrogram : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MelSpectrogram";
  using Arguments = MelSpectrogramOptions;

  explicit MelSpectrogram(const MelSpectrogramOptions& options = {});
  static MelSpectrogram from_config(const io::Json& config);
};

}  // namespace rhyton::layers
