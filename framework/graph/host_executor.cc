#include <rhyton/framework/graph/host_executor.h>

#include <utility>

#include <rhyton/framework/graph/run_frame.h>

namespace rhyton::graph {

HostExecutor::HostExecutor(Program program, std::shared_ptr<FramePool> pool)
    : program_(std::move(program)),
      shares_pool_(pool != nullptr),
      pool_(pool != nullptr ? std::move(pool) : std::make_shared<FramePool>()),
      frames_(program_) {
  pool_->add(frames_);
}

HostExecutor::~HostExecutor() {
  if (own_frame_ != nullptr && !shares_pool_) give_back(*own_frame_);
  pool_->remove(frames_);
}

void HostExecutor::run(std::span<const void* const> inputs) {
  if (!shares_pool_) {
    if (own_frame_ == nullptr) own_frame_ = &lease();
    return own_frame_->run(inputs);
  }
  own_frame_ = &lease();
  struct GiveBack {
    HostExecutor& executor;
    ~GiveBack() { executor.give_back(*executor.own_frame_); }
  };
  const GiveBack give_back_after_run{*this};
  own_frame_->run(inputs);
}

void HostExecutor::run(std::span<const Tensor> inputs) {
  std::vector<const void*> elements;
  for (const Tensor& input : inputs) elements.push_back(input.raw_data());
  run(elements);
}

const std::vector<Tensor>& HostExecutor::outputs() {
  if (own_frame_ == nullptr) {
    own_frame_ = &lease();
    if (shares_pool_) give_back(*own_frame_);
  }
  return own_frame_->outputs();
}

}  // namespace rhyton::graph
