#include <rhyton/framework/ops/listeners.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/eager.h>
#include <rhyton/framework/tensor/string_dtype.h>

namespace rhyton {
namespace {

// One entry of a thread's stack; exactly one of the pointers is set. A pause has neither: observers below it are not
// notified.
struct Entry {
  Listener* listener = nullptr;
  Interpreter* interpreter = nullptr;
  Observer* observer = nullptr;
};

std::vector<Entry>& stack() {
  thread_local std::vector<Entry> entries;
  return entries;
}

// Calls `notify` for the observers above the current interpreter, the topmost first.
template <class Function>
void notify_observers(Function notify) {
  // By index, since an observer may itself call ops and so change the stack.
  const std::vector<Entry>& entries = stack();
  for (std::size_t i = entries.size(); i-- > 0;) {
    if (entries[i].observer == nullptr) return;
    notify(*entries[i].observer);
  }
}

[[noreturn]] void throw_for_strings(const Op& op, const Tensor& input) {
  throw TypeError("Op " + std::string(op.name()) +
                  " takes numbers. Received: a tensor of strings, shape=" + input.shape().to_string() +
                  ". TextVectorization, StringLookup, Hashing and HashedCrossing make numbers of strings.");
}

}  // namespace

Interpreter& current_interpreter() {
  const std::vector<Entry>& entries = stack();
  for (std::size_t i = entries.size(); i-- > 0;) {
    if (entries[i].interpreter != nullptr) return *entries[i].interpreter;
  }
  return eager_interpreter();
}

bool executing_eagerly() { return &current_interpreter() == &eager_interpreter(); }

bool is_observed() { return !stack().empty() && stack().back().observer != nullptr; }

void notify_observers(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  notify_observers([&](Observer& observer) { observer.applied(op, inputs, outputs); });
}

ListenerScope::ListenerScope(Interpreter& interpreter) : listener_(&interpreter) {
  stack().push_back({listener_, &interpreter, nullptr});
}

ListenerScope::ListenerScope(Observer& observer) : listener_(&observer) {
  stack().push_back({listener_, nullptr, &observer});
}

ListenerScope::~ListenerScope() {
  std::vector<Entry>& entries = stack();
  auto it = std::find_if(entries.rbegin(), entries.rend(), [&](const Entry& e) { return e.listener == listener_; });
  if (it != entries.rend()) entries.erase(std::next(it).base());
}

InitScope::InitScope() : scope_(eager_interpreter()) {}

PauseObservers::PauseObservers() { stack().push_back({}); }

PauseObservers::~PauseObservers() {
  std::vector<Entry>& entries = stack();
  auto it = std::find_if(entries.rbegin(), entries.rend(), [](const Entry& e) { return e.listener == nullptr; });
  if (it != entries.rend()) entries.erase(std::next(it).base());
}

std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) {
  for (const Tensor& input : inputs) {
    if (input.is_empty()) throw ValueError("Op " + std::string(op->name()) + " was given an empty tensor.");
    if (input.dtype() == string_dtype) throw_for_strings(*op, input);
  }
  std::vector<Tensor> outputs = current_interpreter().apply(op, inputs);
  notify_observers([&](Observer& observer) { observer.applied(op, inputs, outputs); });
  return outputs;
}

Tensor read_variable(const Variable& variable) {
  Tensor value = current_interpreter().read(variable);
  notify_observers([&](Observer& observer) { observer.read(variable, value); });
  return value;
}

void assign_variable(const Variable& variable, const Tensor& value) {
  current_interpreter().assign(variable, value);
  notify_observers([&](Observer& observer) { observer.assigned(variable); });
}

}  // namespace rhyton
