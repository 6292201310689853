#include <rhyton/layers/rnn/lstm_cell.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/built_in_cell.h>

namespace rhyton::layers {
namespace {

class LSTMCellImpl final : public BuiltInCellImpl {
 public:
  explicit LSTMCellImpl(const LSTMCellArguments& options)
      : BuiltInCellImpl(base_options(options), cell_settings(RecurrentCell::lstm, options)),
        options_(with_limited_rates(options)) {
    create_random_state(options.seed);
  }

  std::string class_name() const override { return LSTMCell::keras_name; }
  std::vector<std::int64_t> state_size() const override { return {options_.units, options_.units}; }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  CellResult compute(const CellProducts& products, const Tensor& x, const std::vector<Tensor>& states) const override {
    const ActivationFunction& gate = settings().recurrent_activation;
    const std::vector<Tensor> z = split(add(products.of_inputs(x), products.of_state(states[0])), 4, -1);
    const Tensor c = add(multiply(gate(z[1]), states[1]), multiply(gate(z[0]), settings().activation(z[2])));
    const Tensor h = multiply(gate(z[3]), settings().activation(c));
    return {.output = h, .states = {h, c}};
  }

 private:
  LSTMCellArguments options_;
};

}  // namespace

LSTMCell::LSTMCell(std::int64_t units, const LSTMCellOptions& options)
    : Layer(std::make_shared<LSTMCellImpl>(LSTMCellArguments{options, units})) {}

LSTMCell LSTMCell::from_config(const io::Json& config) {
  const auto arguments = read_layer<LSTMCell>(config);
  return LSTMCell(arguments.units, arguments);
}

}  // namespace rhyton::layers
