#include <rhyton/optimizers/adafactor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class AdafactorImpl final : public OptimizerImpl {
 public:
  explicit AdafactorImpl(const AdafactorOptions& options)
      : OptimizerImpl(Adafactor::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      const Shape& shape = variable.shape();
      const int rank = shape.rank();
      std::vector<std::int64_t> of_rows;
      std::vector<std::int64_t> of_columns;
      for (int axis = 0; axis < rank; ++axis) {
        if (axis != rank - 1) of_rows.push_back(shape[axis]);
        if (axis != rank - 2) of_columns.push_back(shape[axis]);
      }
      // For vectors Keras has integers that it does not use.
      const DType dtype = rank < 2 ? DType::int32 : variable.dtype();
      if (rank < 2) of_rows = of_columns = {};
      rows_.push_back(add_variable(Tensor::zeros(Shape(of_rows), dtype), variable.name()));
      columns_.push_back(add_variable(Tensor::zeros(Shape(of_columns), dtype), variable.name()));
      velocities_.push_back(add_variable_from_reference(variable, "velocity"));
    }
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    update({.sum = gradient}, variable, learning_rate);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    update(gradient, variable, learning_rate);
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  /// Without a moment the gradient is no sum of slices.
  void update(const SummedSlices& gradient, const Variable& variable, const Tensor& learning_rate) {
    const std::size_t i = index_of(variable);
    const DType dtype = variable.dtype();
    const Tensor step = cast(iterations() + 1, dtype);
    const Tensor keep = 1.0 - power(step, options_.beta_2_decay);
    const bool is_sparse = !gradient.moment.is_empty();
    const Tensor squares = (is_sparse ? gradient.moment : square(gradient.sum)) + options_.epsilon_1;
    const auto averaged = [&](const Variable& average, const Tensor& value) {
      Tensor result = keep * average.value() + (1.0 - keep) * value;
      average.assign(result);
      return result;
    };
    Tensor velocity;
    if (variable.shape().rank() < 2) {
      velocity = averaged(velocities_[i], squares);
    } else {
      const Tensor row = averaged(rows_[i], mean(squares, {-1}));
      const Tensor column = averaged(columns_[i], mean(squares, {-2}));
      velocity = expand_dims(row / mean(row, {-1}, true), -1) * expand_dims(column, -2);
      velocities_[i].assign(velocity);
    }
    const Tensor value = variable.value();
    const Tensor rate = minimum(cast(learning_rate, dtype), 1.0 / sqrt(step));
    const Tensor root = sqrt(velocity);
    const Tensor update = gradient.sum / root;
    // The root mean square of all slices' updates.
    const Tensor size = is_sparse ? sqrt(mean(gradient.moment / root / root)) : rms(update);
    const Tensor clipped = update / maximum(size / options_.clip_threshold, 1.0);
    variable.assign(value - maximum(rms(value), options_.epsilon_2) * rate * clipped);
  }

  static Tensor rms(const Tensor& x) { return sqrt(mean(square(x))); }

  AdafactorOptions options_;
  std::vector<Variable> rows_;
  std::vector<Variable> columns_;
  std::vector<Variable> velocities_;
};

}  // namespace

Adafactor::Adafactor(const AdafactorOptions& options) : Optimizer(std::make_shared<AdafactorImpl>(options)) {}

Adafactor Adafactor::from_config(const io::Json& config) { return Adafactor(read_optimizer<Adafactor>(config)); }

}  // namespace rhyton::optimizers
