#include <rhyton/framework/autodiff/gradient_tape.h>

#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/name_scope.h>

namespace rhyton {

class GradientTape::Recorder final : public Observer {
 public:
  explicit Recorder(const GradientTapeOptions& options) : options_(options) { scope_.emplace(*this); }

  void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) override {
    bool tracked = false;
    for (const Tensor& input : inputs) tracked = tracked || tracked_.contains(input.identity());
    if (!tracked) return;
    for (const Tensor& output : outputs) tracked_.insert(output.identity());
    calls_.push_back({op,
                      {inputs.begin(), inputs.end()},
                      {outputs.begin(), outputs.end()},
                      NameScope::current(),
                      explicit_device()});
  }

  void read(const Variable& variable, const Tensor& value) override {
    const bool watched = watched_.contains(variable.identity());
    if (!watched && !(options_.watch_accessed_variables && variable.trainable())) return;
    if (!is_floating(variable.dtype())) return;
    if (!watched) watch(variable);
    if (!tracked_.insert(value.identity()).second) return;
    reads_.push_back({variable, value, variable.version()});
  }

  void assigned(const Variable&) override {}

  void watch(const Tensor& tensor) {
    if (tensor.is_empty() || !is_floating(tensor.dtype())) {
      throw ValueError("The dtype of the watched tensor must be floating (e.g. float32), got " +
                       (tensor.is_empty() ? std::string("an empty tensor") : std::string(name_of(tensor.dtype()))) +
                       ".");
    }
    tracked_.insert(tensor.identity());
    kept_.push_back(tensor);
  }

  void watch(const Variable& variable) {
    if (watched_.insert(variable.identity()).second) variables_.push_back(variable);
  }

  void stop() { scope_.reset(); }

  void reset() {
    calls_.clear();
    reads_.clear();
    tracked_.clear();
    kept_.clear();
    watched_.clear();
    variables_.clear();
    used_ = false;
    if (!scope_) scope_.emplace(*this);
  }

  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Tensor>& sources, const Tensor& output_gradient,
                               std::vector<std::vector<IndexedSlices>>* slices = nullptr) {
    if (used_ && !options_.persistent) {
      throw RuntimeError(
          "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)");
    }
    used_ = true;
    for (const Read& read : reads_) {
      if (read.value.is_concrete() && read.variable.version() != read.version) {
        throw RuntimeError("Variable '" + read.variable.path() +
                           "' was assigned after the GradientTape had recorded it: call `gradient` before the variable "
                           "changes.");
      }
    }
    // Only this tape must not record its own gradients; enclosing ones do.
    const bool was_recording = scope_.has_value();
    scope_.reset();
    // A constant instead of an op on the loss: the whole backward pass would wait for that op.
    Tensor seed = output_gradient;
    if (seed.is_empty()) {
      seed = target.rank() == 0 ? Tensor::full(target.shape(), 1.0, target.dtype()) : ones_like(target);
    }
    std::vector<Tensor> gradients = backpropagate(calls_, std::span(&target, 1), std::span(&seed, 1), sources, slices);
    if (!options_.persistent) {
      calls_.clear();
      kept_.clear();
      tracked_.clear();
    } else if (was_recording) {
      scope_.emplace(*this);
    }
    return gradients;
  }

  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Variable>& sources,
                               const Tensor& output_gradient) {
    const Values values = values_of(sources);
    const std::vector<Tensor> gradients = gradient(target, values.tensors, output_gradient);
    std::vector<Tensor> sums(sources.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) add_to(sums[values.source[i]], gradients[i]);
    return sums;
  }

  std::vector<SparseGradient> sparse_gradient(const Tensor& target, const std::vector<Variable>& sources,
                                              const Tensor& output_gradient) {
    const Values values = values_of(sources);
    std::vector<std::vector<IndexedSlices>> slices;
    const std::vector<Tensor> gradients = gradient(target, values.tensors, output_gradient, &slices);
    std::vector<SparseGradient> result(sources.size());
    std::vector<bool> is_sparse(sources.size(), true);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].is_empty()) continue;
      SparseGradient& whole = result[values.source[i]];
      add_to(whole.sum, gradients[i]);
      std::move(slices[i].begin(), slices[i].end(), std::back_inserter(whole.slices));
      if (slices[i].empty()) is_sparse[values.source[i]] = false;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (!is_sparse[i]) result[i].slices.clear();
    }
    return result;
  }

  const std::vector<Variable>& variables() const { return variables_; }

 private:
  struct Read {
    Variable variable;
    Tensor value;
    std::uint64_t version;
  };

  /// The tensors as which variables were read, and of each the index of its variable. A variable that was assigned
  /// meanwhile has been read as several tensors; its gradient is the sum of theirs.
  struct Values {
    std::vector<Tensor> tensors;
    std::vector<std::size_t> source;
  };

  Values values_of(const std::vector<Variable>& sources) const {
    Values values;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (const Read& read : reads_) {
        if (!read.variable.is_same(sources[i])) continue;
        values.tensors.push_back(read.value);
        values.source.push_back(i);
      }
    }
    return values;
  }

  static void add_to(Tensor& sum, const Tensor& gradient) {
    if (gradient.is_empty()) return;
    sum = sum.is_empty() ? gradient : add(sum, gradient);
  }

  GradientTapeOptions options_;
  std::vector<RecordedCall> calls_;
  std::vector<Read> reads_;
  std::unordered_set<const void*> tracked_;
  // Handles that prevent the addresses in `tracked_` from being reused.
  std::vector<Tensor> kept_;
  std::unordered_set<const void*> watched_;
  std::vector<Variable> variables_;
  bool used_ = false;
  std::optional<ListenerScope> scope_;
};

GradientTape::GradientTape(const GradientTapeOptions& options) : recorder_(std::make_unique<Recorder>(options)) {}
GradientTape::~GradientTape() = default;

void GradientTape::watch(const Tensor& tensor) { recorder_->watch(tensor); }
void GradientTape::watch(const Variable& variable) { recorder_->watch(variable); }
void GradientTape::stop_recording() { recorder_->stop(); }
void GradientTape::reset() { recorder_->reset(); }

Tensor GradientTape::gradient(const Tensor& target, const Tensor& source, const Tensor& output_gradient) {
  return recorder_->gradient(target, std::vector<Tensor>{source}, output_gradient).front();
}

Tensor GradientTape::gradient(const Tensor& target, const Variable& source, const Tensor& output_gradient) {
  return recorder_->gradient(target, std::vector<Variable>{source}, output_gradient).front();
}

std::vector<Tensor> GradientTape::gradient_of_tensors(const Tensor& target, const std::vector<Tensor>& sources,
                                                      const Tensor& output_gradient) {
  return recorder_->gradient(target, sources, output_gradient);
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target, const std::vector<Variable>& sources,
                                           const Tensor& output_gradient) {
  return recorder_->gradient(target, sources, output_gradient);
}

std::vector<SparseGradient> GradientTape::sparse_gradient(const Tensor& target, const std::vector<Variable>& sources,
                                                          const Tensor& output_gradient) {
  return recorder_->sparse_gradient(target, sources, output_gradient);
}

std::vector<Variable> GradientTape::watched_variables() const { return recorder_->variables(); }

}  // namespace rhyton
