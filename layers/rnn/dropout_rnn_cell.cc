#include <rhyton/layers/rnn/dropout_rnn_cell.h>

#include <algorithm>

#include <rhyton/framework/ops/custom_gradient.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {

double limited_rate(double rate) { return std::min(1.0, std::max(0.0, rate)); }

double rate_of_gates(double rate) { return rate < 1 ? rate : 0; }

DropoutRNNCellImpl::DropoutRNNCellImpl(const LayerOptions& options, double dropout, double recurrent_dropout, int masks)
    : RNNCellImpl(options),
      dropout_(limited_rate(dropout)),
      recurrent_dropout_(limited_rate(recurrent_dropout)),
      masks_(masks) {}

void DropoutRNNCellImpl::create_random_state(const std::optional<std::int64_t>& seed) {
  if (dropout_ == 0 && recurrent_dropout_ == 0) return;
  random_state_ = add_state(first_dropout_draw(seed), "seed_generator_state");
}

CellResult DropoutRNNCellImpl::step(const Tensor& inputs, const std::vector<Tensor>& states, bool training) {
  return start_sequence(inputs, training)(inputs, states);
}

std::vector<Tensor> DropoutRNNCellImpl::dropout_masks(const Tensor& inputs, bool training) const {
  return training && dropout_ > 0 ? draw_masks(inputs, dropout_) : std::vector<Tensor>();
}

std::vector<Tensor> DropoutRNNCellImpl::recurrent_dropout_masks(const Tensor& state, bool training) const {
  return training && recurrent_dropout_ > 0 ? draw_masks(state, recurrent_dropout_) : std::vector<Tensor>();
}

std::vector<Tensor> DropoutRNNCellImpl::draw_masks(const Tensor& like, double rate) const {
  const Tensor pattern = stop_gradient(like);
  std::vector<Tensor> masks;
  for (int i = 0; i < masks_; ++i) {
    const Tensor draw = next_dropout_draw(random_state_);
    masks.push_back(dropout_factors(pattern, rate, dropout_mask_key, draw, first_sample_of(pattern)));
  }
  return masks;
}

}  // namespace rhyton::layers
