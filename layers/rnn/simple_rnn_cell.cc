#include <rhyton/layers/rnn/simple_rnn_cell.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/built_in_cell.h>

namespace rhyton::layers {
namespace {

class SimpleRNNCellImpl final : public BuiltInCellImpl {
 public:
  explicit SimpleRNNCellImpl(const SimpleRNNCellArguments& options)
      : BuiltInCellImpl(base_options(options), cell_settings(RecurrentCell::simple_rnn, options)),
        options_(with_limited_rates(options)) {
    create_random_state(options.seed);
  }

  std::string class_name() const override { return SimpleRNNCell::keras_name; }
  std::vector<std::string> call_parameters() const override { return {"sequence", "states"}; }
  std::vector<std::int64_t> state_size() const override { return {options_.units}; }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  CellResult compute(const CellProducts& products, const Tensor& x, const std::vector<Tensor>& states) const override {
    const Tensor h = settings().activation(add(products.of_inputs(x), products.of_state(states[0])));
    return {.output = h, .states = {h}};
  }

 private:
  SimpleRNNCellArguments options_;
};

}  // namespace

SimpleRNNCell::SimpleRNNCell(std::int64_t units, const SimpleRNNCellOptions& options)
    : Layer(std::make_shared<SimpleRNNCellImpl>(SimpleRNNCellArguments{options, units})) {}

SimpleRNNCell SimpleRNNCell::from_config(const io::Json& config) {
  const auto arguments = read_layer<SimpleRNNCell>(config);
  return SimpleRNNCell(arguments.units, arguments);
}

}  // namespace rhyton::layers
