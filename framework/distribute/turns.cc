#include <rhyton/framework/distribute/turns.h>

#include <string>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/rendezvous.h>

namespace rhyton::distribute {

class Turns::TurnTakingCommunicator final : public Communicator {
 public:
  TurnTakingCommunicator(Turns& turns, std::shared_ptr<Communicator> communicator, int member)
      : turns_(turns), communicator_(std::move(communicator)), member_(member) {}

  int size() const override { return communicator_->size(); }
  int rank() const override { return communicator_->rank(); }
  std::string description() const override { return communicator_->description(); }

  void all_reduce(std::span<const ReductionBuffer> buffers, Stream* stream) override {
    turns_.begin_sum(member_);
    turns_.end(member_);
    communicator_->all_reduce(buffers, stream);
    turns_.begin(member_);
  }

 private:
  Turns& turns_;
  std::shared_ptr<Communicator> communicator_;
  int member_;
};

void Turns::begin(int member) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return current_ == member || is_abandoned_; });
  if (is_abandoned_) throw threading::Abandoned();
}

void Turns::require_as_many_sums(int finished, int other) const {
  if (sums_[static_cast<std::size_t>(finished)] >= sums_[static_cast<std::size_t>(other)]) return;
  throw RuntimeError("Replica " + std::to_string(finished) + " has returned, and replica " + std::to_string(other) +
                     " waits for it in a sum: all replicas must sum as often.");
}

void Turns::begin_sum(int member) {
  const std::scoped_lock lock(mutex_);
  ++sums_[static_cast<std::size_t>(member)];
  for (int other = 0; other < members_; ++other) {
    if (has_finished_[static_cast<std::size_t>(other)]) require_as_many_sums(other, member);
  }
}

void Turns::finish(int member) {
  {
    const std::scoped_lock lock(mutex_);
    has_finished_[static_cast<std::size_t>(member)] = true;
    for (int other = 0; other < members_; ++other) require_as_many_sums(member, other);
  }
  end(member);
}

void Turns::end(int member) {
  const std::scoped_lock lock(mutex_);
  current_ = (member + 1) % members_;
  changed_.notify_all();
}

void Turns::abandon() {
  const std::scoped_lock lock(mutex_);
  is_abandoned_ = true;
  changed_.notify_all();
}

std::shared_ptr<Communicator> Turns::wrap(std::shared_ptr<Communicator> communicator, int member) {
  return std::make_shared<TurnTakingCommunicator>(*this, std::move(communicator), member);
}

}  // namespace rhyton::distribute
