#include <rhyton/framework/distribute/turns.h>

#include <utility>

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
