#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/layers/rnn/rnn_cell.h>

namespace rhyton::layers {

/// A rate within [0, 1]: Keras limits those of recurrent layers.
double limited_rate(double rate);
/// The arguments of a recurrent layer or cell with such rates.
template <class Arguments>
Arguments with_limited_rates(Arguments arguments) {
  arguments.dropout = limited_rate(arguments.dropout);
  arguments.recurrent_dropout = limited_rate(arguments.recurrent_dropout);
  return arguments;
}
/// The rate that gates of LSTM and GRU apply: Keras ignores a rate of 1.
double rate_of_gates(double rate);

/// The base of cells with dropout (`DropoutRNNCell`): of the inputs, and of the state within the recurrent product. A
/// mask is the same for all steps of a sequence.
class DropoutRNNCellImpl : public RNNCellImpl {
 public:
  /// Rates are limited to [0, 1]. `masks`: how many masks a sequence has for the inputs, and for the state.
  DropoutRNNCellImpl(const LayerOptions& options, double dropout, double recurrent_dropout, int masks);

  double dropout() const { return dropout_; }
  double recurrent_dropout() const { return recurrent_dropout_; }

  /// A step by itself draws its own masks.
  CellResult step(const Tensor& inputs, const std::vector<Tensor>& states, bool training) override;

 protected:
  /// For the constructor of the class itself, which gives the state its name.
  void create_random_state(const std::optional<std::int64_t>& seed);
  /// The masks of a sequence for inputs of one step like these: the values to multiply them with. None without dropout.
  std::vector<Tensor> dropout_masks(const Tensor& inputs, bool training) const;
  /// The same for states like this one.
  std::vector<Tensor> recurrent_dropout_masks(const Tensor& state, bool training) const;

 private:
  std::vector<Tensor> draw_masks(const Tensor& like, double rate) const;

  double dropout_;
  double recurrent_dropout_;
  int masks_;
  /// Counts the masks. Only with dropout.
  Variable random_state_;
};

}  // namespace rhyton::layers
