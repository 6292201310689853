#include <rhyton/framework/autodiff/while_run.h>

#include <cstring>

#include <rhyton/framework/device/round_up.h>

namespace rhyton {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned_bytes(const TensorSpec& spec) { return round_up(spec.bytes(), alignment); }

}  // namespace

void copy_elements(const TensorView& target, const void* source) {
  const std::size_t bytes = target.spec.bytes();
  if (bytes > 0) std::memcpy(target.data, source, bytes);
}

WhileRun::WhileRun(const WhileOp& loop, std::span<const TensorView> operands)
    : loop_(loop.loop()), condition_(loop_.condition.body->lease()), body_(loop_.body.body->lease()) {
  for (std::size_t i = 0; i < loop.operand_specs().size(); ++i) addresses_.push_back(operands[i].data);
}

void WhileRun::set_variables(std::span<const TensorView> variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) addresses_[i] = variables[i].data;
}

bool WhileRun::continues() {
  if (loop_.maximum_iterations && iterations_ >= *loop_.maximum_iterations) return false;
  run(condition_, loop_.condition.operands, addresses_);
  return *condition_.outputs().front().data<bool>();
}

const std::vector<Tensor>& WhileRun::step() {
  ++iterations_;
  run(body_, loop_.body.operands, addresses_);
  return body_.outputs();
}

void WhileRun::run(graph::Executable::Lease& lease, const std::vector<int>& operands,
                   const std::vector<const void*>& addresses) {
  std::vector<const void*> elements;
  elements.reserve(operands.size());
  for (const int operand : operands) elements.push_back(addresses[static_cast<std::size_t>(operand)]);
  lease.run(elements);
}

SavedVariables::SavedVariables(std::span<const TensorView> first) {
  for (const TensorView& view : first) specs_.push_back(view.spec);
  const Block& block = add();
  for (std::size_t i = 0; i < first.size(); ++i) copy_elements(block.views[i], first[i].data);
}

void SavedVariables::push(const std::vector<Tensor>& variables) {
  const Block& block = add();
  for (std::size_t i = 0; i < variables.size(); ++i) copy_elements(block.views[i], variables[i].raw_data());
}

SavedVariables::Block& SavedVariables::add() {
  std::size_t bytes = 0;
  for (const TensorSpec& spec : specs_) bytes += aligned_bytes(spec);
  Block block{.memory = Storage::allocate(bytes), .views = {}};
  auto* address = static_cast<std::byte*>(block.memory->data());
  for (const TensorSpec& spec : specs_) {
    block.views.push_back({address, spec});
    address += aligned_bytes(spec);
  }
  blocks_.push_back(std::move(block));
  return blocks_.back();
}

}  // namespace rhyton
