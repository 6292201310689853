#include <rhyton/layers/rnn/gru_cell.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/built_in_cell.h>

namespace rhyton::layers {
namespace {

class GRUCellImpl final : public BuiltInCellImpl {
 public:
  explicit GRUCellImpl(const GRUCellArguments& options)
      : BuiltInCellImpl(base_options(options), cell_settings(RecurrentCell::gru, options)),
        options_(with_limited_rates(options)) {
    create_random_state(options.seed);
  }

  std::string class_name() const override { return GRUCell::keras_name; }
  std::vector<std::int64_t> state_size() const override { return {options_.units}; }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  CellResult compute(const CellProducts& products, const Tensor& x, const std::vector<Tensor>& states) const override {
    const ActivationFunction& gate = settings().recurrent_activation;
    const Tensor& h = states[0];
    const std::vector<Tensor> xs = split(products.of_inputs(x), 3, -1);
    Tensor z;
    Tensor candidate;
    if (options_.reset_after) {
      const std::vector<Tensor> hs = split(products.of_state(h), 3, -1);
      z = gate(add(xs[0], hs[0]));
      candidate = add(xs[2], multiply(gate(add(xs[1], hs[1])), hs[2]));
    } else {
      z = gate(add(xs[0], products.of_state(h, 0)));
      const Tensor r = gate(add(xs[1], products.of_state(h, 1)));
      candidate = add(xs[2], products.of_state(multiply(r, h), 2));
    }
    const Tensor next = add(multiply(z, h), multiply(subtract(1, z), settings().activation(candidate)));
    return {.output = next, .states = {next}};
  }

 private:
  GRUCellArguments options_;
};

}  // namespace

GRUCell::GRUCell(std::int64_t units, const GRUCellOptions& options)
    : Layer(std::make_shared<GRUCellImpl>(GRUCellArguments{options, units})) {}

GRUCell GRUCell::from_config(const io::Json& config) {
  const auto arguments = read_layer<GRUCell>(config);
  return GRUCell(arguments.units, arguments);
}

}  // namespace rhyton::layers
