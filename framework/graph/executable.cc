#include <rhyton/framework/graph/executable.h>

#include <string>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executor.h>
#include <rhyton/framework/graph/run_frame.h>

namespace rhyton::graph {
namespace {

[[noreturn]] void throw_input_count(std::size_t expected, std::size_t count) {
  throw ValueError("An Executable of " + std::to_string(expected) + " inputs received " + std::to_string(count) + ".");
}

void require_spec(std::size_t index, const TensorSpec& expected, const TensorSpec& found) {
  if (found == expected) return;
  throw ValueError("Input " + std::to_string(index) + " of an Executable: expected shape=" +
                   expected.shape.to_string() + " " + std::string(name_of(expected.dtype)) +
                   ", found shape=" + found.shape.to_string() + " " + std::string(name_of(found.dtype)) + ".");
}

}  // namespace

Executable::Executable(const Graph& graph, const ExecutableOptions& options)
    : executor_(make_executor(graph, options)) {
  for (const Update& update : graph.updates) assigned_.push_back(update.variable);
}

Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;

void Executable::require_inputs(std::size_t count) const {
  const std::size_t expected = graph().inputs().size();
  if (count != expected) throw_input_count(expected, count);
}

void Executable::run(std::span<const void* const> inputs) {
  require_inputs(inputs.size());
  executor_->run(inputs);
}

void Executable::run_on(std::span<const Tensor> inputs) {
  require_inputs(inputs.size());
  executor_->run(inputs);
}

const Tensor& Executable::output(std::size_t index) const { return executor_->outputs().at(index); }

std::vector<Tensor> Executable::operator()(const std::vector<Tensor>& inputs) {
  require_inputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    require_spec(i, graph().value(graph().inputs()[i]).spec, inputs[i].spec());
  }
  run_on(inputs);
  std::vector<Tensor> results;
  for (const Tensor& output : executor_->outputs()) results.push_back(output.clone());
  return results;
}

const Graph& Executable::graph() const { return executor_->graph(); }
const Plan& Executable::plan() const { return executor_->plan(); }
LogicalDevice& Executable::device() const { return executor_->device(); }
std::size_t Executable::memory_bytes() const { return executor_->memory_bytes(); }
bool Executable::is_on_host() const { return executor_->has_run_frames(); }

Executable::Lease Executable::lease() { return Lease(*executor_, graph().inputs().size()); }

Executable::Lease::Lease(Executor& executor, std::size_t inputs)
    : executor_(&executor), frame_(&executor.lease()), inputs_(inputs) {}

Executable::Lease::~Lease() {
  if (frame_ != nullptr) executor_->give_back(*frame_);
}

Executable::Lease::Lease(Lease&& other) noexcept
    : executor_(other.executor_), frame_(std::exchange(other.frame_, nullptr)), inputs_(other.inputs_) {}

Executable::Lease& Executable::Lease::operator=(Lease&& other) noexcept {
  std::swap(executor_, other.executor_);
  std::swap(frame_, other.frame_);
  std::swap(inputs_, other.inputs_);
  return *this;
}

void Executable::Lease::require_inputs(std::size_t count) const {
  if (count != inputs_) throw_input_count(inputs_, count);
}

void Executable::Lease::run(std::span<const void* const> inputs) {
  require_inputs(inputs.size());
  frame_->run(inputs);
}

void Executable::Lease::take_variables(VariableValues* own) { frame_->take_variables(own); }

bool Executable::Lease::take_variables_again(VariableValues* own) { return frame_->take_variables_again(own); }

void Executable::Lease::run_taken(std::span<const void* const> inputs) {
  require_inputs(inputs.size());
  frame_->run_taken(inputs);
}

const std::vector<Tensor>& Executable::Lease::outputs() const { return frame_->outputs(); }

}  // namespace rhyton::graph
