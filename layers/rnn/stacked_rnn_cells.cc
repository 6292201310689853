#include <rhyton/layers/rnn/stacked_rnn_cells.h>

#include <algorithm>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/batch_zeros.h>
#include <rhyton/layers/rnn/rnn_cell.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

/// As layers cast their inputs: integers stay as they are.
Tensor cast_floating(const Tensor& x, DType dtype) { return is_floating(x.dtype()) ? cast(x, dtype) : x; }

class StackedRNNCellsImpl final : public RNNCellImpl {
 public:
  explicit StackedRNNCellsImpl(const StackedRNNCellsArguments& arguments)
      : RNNCellImpl(base_options(arguments)), cells_(arguments.cells) {
    if (cells_.empty()) throw ValueError("StackedRNNCells needs at least one cell. Received: cells=[]");
    for (const Layer& cell : cells_) {
      if (as_cell(cell) != nullptr) continue;
      throw ValueError((cell.is_empty() ? "All cells must have a `call` method. Received cell without a `call` method: "
                                        : "All cells must have a `state_size` attribute. Received cell without a "
                                          "`state_size`: ") +
                       described_layer(cell));
    }
    track("cells", cells_);
  }

  std::string class_name() const override { return StackedRNNCells::keras_name; }

  std::vector<std::int64_t> state_size() const override {
    std::vector<std::int64_t> sizes;
    for (const Layer& cell : cells_) {
      const std::vector<std::int64_t> own = cell_of(cell).state_size();
      sizes.insert(sizes.end(), own.begin(), own.end());
    }
    return sizes;
  }
  std::int64_t output_size() const override { return cell_of(cells_.back()).output_size(); }

  std::vector<Tensor> get_initial_state(const Tensor& inputs) const override {
    std::vector<Tensor> states;
    Tensor like = inputs;
    for (const Layer& cell : cells_) {
      const std::vector<Tensor> own = cell_of(cell).get_initial_state(like);
      states.insert(states.end(), own.begin(), own.end());
      like = zeros_of_batch(like, cell_of(cell).output_shape(like.shape()));
    }
    return states;
  }
  std::vector<Shape> state_shapes(const Shape& step) const override {
    std::vector<Shape> shapes;
    Shape inputs = step;
    for (const Layer& cell : cells_) {
      const std::vector<Shape> own = cell_of(cell).state_shapes(inputs);
      shapes.insert(shapes.end(), own.begin(), own.end());
      inputs = cell_of(cell).output_shape(inputs);
    }
    return shapes;
  }
  Shape output_shape(const Shape& step) const override {
    Shape shape = step;
    for (const Layer& cell : cells_) shape = cell_of(cell).output_shape(shape);
    return shape;
  }

  void check_inputs(const std::vector<Shape>& inputs) const override { cell_of(cells_.front()).check_inputs(inputs); }
  void build(const std::vector<Shape>& inputs) override {
    check_inputs({inputs[0]});
    Shape shape = inputs[0];
    for (const Layer& cell : cells_) {
      build_cell(cell, shape);
      shape = cell_of(cell).output_shape(shape);
    }
  }

  CellResult step(const Tensor& inputs, const std::vector<Tensor>& states, bool training) override {
    return start_sequence(inputs, training)(inputs, states);
  }

  CellStep start_sequence(const Tensor& inputs, bool training) override {
    std::vector<CellStep> steps;
    std::vector<std::size_t> counts;
    std::vector<DType> dtypes;
    Tensor like = inputs;
    for (const Layer& cell : cells_) {
      like = cast_floating(like, cell_of(cell).compute_dtype());
      steps.push_back(cell_of(cell).start_sequence(like, training));
      counts.push_back(cell_of(cell).state_size().size());
      dtypes.push_back(cell_of(cell).compute_dtype());
      like = zeros_of_batch(like, cell_of(cell).output_shape(like.shape()));
    }
    return [steps, counts, dtypes](const Tensor& x, const std::vector<Tensor>& states) {
      CellResult result{.output = x, .states = {}};
      auto first = states.begin();
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto last = first + static_cast<std::ptrdiff_t>(counts[i]);
        const DType dtype = dtypes[i];
        const CellResult own = steps[i](cast_floating(result.output, dtype), cast_all({first, last}, dtype));
        first = last;
        result.output = own.output;
        result.states.insert(result.states.end(), own.states.begin(), own.states.end());
      }
      return result;
    };
  }

  bool computes_sequences(bool training) const override {
    return std::all_of(cells_.begin(), cells_.end(),
                       [&](const Layer& cell) { return cell_of(cell).computes_sequences(training); });
  }

  // One cell after the other. Masked steps change no state, so that what their inputs are does not matter.
  CellSequenceResult call_sequence(const CellSequence& sequence) override {
    CellSequence next = sequence;
    CellSequenceResult result;
    std::vector<Tensor> states;
    auto first = sequence.initial_states.begin();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      RNNCellImpl& cell = cell_of(cells_[i]);
      next.inputs = cast_floating(next.inputs, cell.compute_dtype());
      next.return_sequences = sequence.return_sequences || i + 1 < cells_.size();
      if (!sequence.initial_states.empty()) {
        const auto last = first + static_cast<std::ptrdiff_t>(cell.state_size().size());
        next.initial_states = cast_all({first, last}, cell.compute_dtype());
        first = last;
      }
      result = cell.call_sequence(next);
      states.insert(states.end(), result.states.begin(), result.states.end());
      next.inputs = result.outputs;
    }
    result.states = std::move(states);
    return result;
  }

  io::Json get_config() const override {
    StackedRNNCellsArguments arguments;
    arguments.cells = cells_;
    return written(LayerImpl::get_config(), arguments);
  }

 private:
  std::vector<Layer> cells_;
};

}  // namespace

StackedRNNCells::StackedRNNCells(const std::vector<Layer>& cells, const StackedRNNCellsOptions& options)
    : Layer(std::make_shared<StackedRNNCellsImpl>(StackedRNNCellsArguments{options, cells})) {}

StackedRNNCells StackedRNNCells::from_config(const io::Json& config) {
  const auto arguments = read_layer<StackedRNNCells>(config);
  return StackedRNNCells(arguments.cells, arguments);
}

}  // namespace rhyton::layers
