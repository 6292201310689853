#include <memory>

#include <rhyton/framework/ops/listeners.h>

namespace rhyton {
namespace {

class Origin final : public TraceOrigin {};

class ShapeInference final : public Interpreter {
 public:
  Tensor placeholder(const TensorSpec& spec) { return Tensor::traced(spec, origin_, next_id_++); }

  std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) override {
    std::vector<TensorSpec> specs;
    for (const Tensor& input : inputs) specs.push_back(input.spec());
    std::vector<Tensor> outputs;
    for (const TensorSpec& spec : op->infer(specs)) outputs.push_back(placeholder(spec));
    return outputs;
  }

  Tensor read(const Variable& variable) override { return placeholder(variable.spec()); }
  void assign(const Variable&, const Tensor&) override {}

 private:
  std::shared_ptr<const Origin> origin_ = std::make_shared<const Origin>();
  std::int64_t next_id_ = 0;
};

}  // namespace

struct ShapeInferenceScope::State {
  ShapeInference inference;
  ListenerScope scope{inference};
};

ShapeInferenceScope::ShapeInferenceScope() : state_(std::make_unique<State>()) {}
ShapeInferenceScope::~ShapeInferenceScope() = default;

Tensor ShapeInferenceScope::placeholder(const TensorSpec& spec) { return state_->inference.placeholder(spec); }

}  // namespace rhyton
