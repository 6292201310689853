#include <rhyton/framework/distribute/replica_group.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <rhyton/framework/device/stream.h>
#include <rhyton/framework/distribute/host_sums.h>
#include <rhyton/framework/distribute/reduction_buckets.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/reduction_neighbours.h>

namespace rhyton::distribute {
namespace {

// The maximum of `Stream::sum_in_order`.
constexpr int max_members_on_devices = 16;

// Smaller sums are computed whole by one member.
constexpr std::int64_t elements_worth_sharing = 4096;

Share part_of(const ReductionBuffer& buffer, std::size_t number, int member, int members) {
  if (buffer.elements >= elements_worth_sharing) return share_of(buffer.elements, member, members);
  const bool is_ours = static_cast<int>(number % static_cast<std::size_t>(members)) == member;
  return {0, is_ours ? buffer.elements : 0};
}

bool is_equal(const ReductionBuffer& a, const ReductionBuffer& b) {
  return a.elements == b.elements && a.dtype == b.dtype;
}

std::string text_of(const ReductionBuffer& buffer) {
  return std::to_string(buffer.elements) + " elements of " + std::string(name_of(buffer.dtype));
}

/// Describes how the tensors of a replica differ from those of replica 0.
std::string difference(std::span<const ReductionBuffer> first, std::span<const ReductionBuffer> other,
                       std::size_t replica) {
  const std::string name = "replica " + std::to_string(replica);
  if (first.size() != other.size()) {
    return "replica 0 has " + std::to_string(first.size()) + " tensors, " + name + " has " +
           std::to_string(other.size());
  }
  const auto at = std::mismatch(first.begin(), first.end(), other.begin(), is_equal);
  return "tensor " + std::to_string(at.first - first.begin()) + " of replica 0 has " + text_of(*at.first) +
         ", that of " + name + " has " + text_of(*at.second);
}

}  // namespace

class ReplicaGroup::Member final : public Communicator {
 public:
  Member(std::shared_ptr<ReplicaGroup> group, int index) : group_(std::move(group)), index_(index) {}

  int size() const override { return group_->members_ * (group_->processes_ ? group_->processes_->size() : 1); }
  int rank() const override {
    return index_ + group_->members_ * (group_->processes_ ? group_->processes_->rank() : 0);
  }

  void all_reduce(std::span<const ReductionBuffer> buffers, Stream* stream) override {
    if (stream == nullptr) return group_->all_reduce(index_, buffers);
    if (group_->all_reduce_on_devices(index_, buffers, *stream)) return;
    std::size_t bytes = 0;
    for (const ReductionBuffer& buffer : buffers) bytes += bytes_of(buffer);
    staging_.resize(bytes);
    std::vector<ReductionBuffer> staged(buffers.begin(), buffers.end());
    std::byte* next = staging_.data();
    for (ReductionBuffer& buffer : staged) {
      stream->copy_to_host(next, buffer.input, bytes_of(buffer));
      buffer.input = next;
      buffer.output = next;
      next += bytes_of(buffer);
    }
    group_->all_reduce(index_, staged);
    for (std::size_t i = 0; i < staged.size(); ++i) {
      stream->copy_from_host(buffers[i].output, staged[i].output, bytes_of(staged[i]));
    }
  }

  bool overlaps() const override { return group_->overlaps(); }
  std::vector<std::size_t> buckets_of(std::span<const TensorSpec> tensors) const override {
    return reduction_buckets(tensors, group_->bucket_bytes_);
  }
  std::int64_t begin_all_reduce(std::span<const ReductionBuffer> buffers) override {
    if (!overlaps()) return Communicator::begin_all_reduce(buffers);
    return group_->background_.begin(index_, buffers);
  }
  void finish_all_reduce(std::int64_t number, std::int64_t last) override {
    if (overlaps()) group_->background_.finish(number, last);
  }

  std::string description() const override {
    return std::to_string(group_->members_) + " replicas" +
           (group_->processes_ ? " of each of " + std::to_string(group_->processes_->size()) + " processes" : "");
  }

 private:
  std::shared_ptr<ReplicaGroup> group_;
  int index_;
  std::vector<std::byte> staging_;
};

ReplicaGroup::ReplicaGroup(int members, std::shared_ptr<ProcessGroup> processes, const CrossDeviceOps& cross_device_ops,
                           std::int64_t bucket_bytes)
    : members_(members),
      processes_(std::move(processes)),
      is_hierarchical_(cross_device_ops.kind() == CrossDeviceOps::Kind::hierarchical_copy),
      rendezvous_(members),
      buffers_(static_cast<std::size_t>(members)),
      streams_(static_cast<std::size_t>(members)),
      bucket_bytes_(processes_ && processes_->size() > 1 ? bucket_bytes : 0),
      background_(members, [this](const Brought& brought) { sum_in_background(brought); }) {}

std::shared_ptr<ReplicaGroup> ReplicaGroup::make(int members, std::shared_ptr<ProcessGroup> processes,
                                                 const CrossDeviceOps& cross_device_ops, std::int64_t bucket_bytes) {
  return std::shared_ptr<ReplicaGroup>(new ReplicaGroup(members, std::move(processes), cross_device_ops, bucket_bytes));
}

std::shared_ptr<Communicator> ReplicaGroup::member(int index) {
  return std::make_shared<Member>(shared_from_this(), index);
}

void ReplicaGroup::abandon() {
  background_.abandon();
  rendezvous_.abandon();
}

void ReplicaGroup::reset() {
  background_.reset();
  rendezvous_.reset();
}

void ReplicaGroup::require_equal(const Brought& brought) {
  const std::vector<ReductionBuffer>& first = brought.front();
  for (std::size_t m = 1; m < brought.size(); ++m) {
    if (std::equal(first.begin(), first.end(), brought[m].begin(), brought[m].end(), is_equal)) continue;
    throw RuntimeError("Replicas that sum must bring tensors of the same shapes in the same order: " +
                       difference(first, brought[m], m) + ".");
  }
}

void ReplicaGroup::sum_share(int index) {
  std::vector<const void*> inputs(buffers_.size());
  std::vector<void*> outputs(processes_ ? 1 : buffers_.size());
  for (std::size_t b = 0; b < buffers_.front().size(); ++b) {
    const ReductionBuffer& buffer = buffers_.front()[b];
    const Share part = part_of(buffer, b, index, members_);
    if (part.first == part.last) continue;
    for (std::size_t m = 0; m < buffers_.size(); ++m) inputs[m] = buffers_[m][b].input;
    for (std::size_t m = 0; m < outputs.size(); ++m) outputs[m] = buffers_[m][b].output;
    sum_in_order(inputs, outputs, buffer.dtype, part.first, part.last);
  }
}

void ReplicaGroup::copy_share_of_sums(int index) {
  for (std::size_t b = 0; b < buffers_.front().size(); ++b) {
    const ReductionBuffer& sum = buffers_.front()[b];
    const Share part = part_of(sum, b, index, members_);
    const std::size_t element = size_of(sum.dtype);
    const std::size_t offset = static_cast<std::size_t>(part.first) * element;
    const std::size_t bytes = static_cast<std::size_t>(part.last - part.first) * element;
    if (bytes == 0) continue;
    for (std::size_t m = 1; m < buffers_.size(); ++m) {
      std::memcpy(static_cast<std::byte*>(buffers_[m][b].output) + offset,
                  static_cast<const std::byte*>(sum.output) + offset, bytes);
    }
  }
}

bool ReplicaGroup::all_reach_all() const {
  return std::all_of(streams_.begin(), streams_.end(), [&](Stream* from) {
    return std::all_of(streams_.begin(), streams_.end(), [&](Stream* to) { return from->reaches(*to); });
  });
}

std::size_t ReplicaGroup::neighbours_from(std::size_t first) const {
  std::size_t end = first + 1;
  const auto goes_on = [&](const std::vector<ReductionBuffer>& buffers) {
    return are_neighbours(buffers[end - 1], buffers[end]);
  };
  while (end < buffers_.front().size() && std::all_of(buffers_.begin(), buffers_.end(), goes_on)) ++end;
  return end - first;
}

void ReplicaGroup::sum_on_device(int index) {
  Stream& stream = *streams_[static_cast<std::size_t>(index)];
  for (Stream* const other : streams_) {
    if (other != &stream) stream.wait_for(*other);
  }
  std::vector<const void*> inputs(buffers_.size());
  std::vector<void*> outputs(buffers_.size());
  std::size_t count = 0;
  for (std::size_t b = 0; b < buffers_.front().size(); b += count) {
    count = neighbours_from(b);
    std::int64_t elements = 0;
    for (std::size_t i = b; i < b + count; ++i) elements += buffers_.front()[i].elements;
    const DType dtype = buffers_.front()[b].dtype;
    const Share part = is_hierarchical_ ? share_of(elements, index, members_) : Share{0, elements};
    if (part.first == part.last) continue;
    const std::size_t offset = static_cast<std::size_t>(part.first) * size_of(dtype);
    for (std::size_t m = 0; m < buffers_.size(); ++m) {
      inputs[m] = static_cast<const std::byte*>(buffers_[m][b].input) + offset;
      outputs[m] = static_cast<std::byte*>(buffers_[m][b].output) + offset;
    }
    stream.sum_in_order(inputs, outputs, part.last - part.first, dtype);
  }
}

bool ReplicaGroup::all_reduce_on_devices(int index, std::span<const ReductionBuffer> buffers, Stream& stream) {
  if (processes_ || members_ > max_members_on_devices) return false;
  buffers_[static_cast<std::size_t>(index)].assign(buffers.begin(), buffers.end());
  streams_[static_cast<std::size_t>(index)] = &stream;
  rendezvous_.arrive();
  require_equal(buffers_);
  if (index == 0) is_on_devices_ = all_reach_all();
  rendezvous_.arrive();
  if (!is_on_devices_) return false;
  if (is_hierarchical_ || index == 0) sum_on_device(index);
  rendezvous_.arrive();
  for (Stream* const other : streams_) {
    if (other != &stream && (is_hierarchical_ || other == streams_.front())) stream.wait_for(*other);
  }
  // From here on each stream is used by its own replica again.
  rendezvous_.arrive();
  return true;
}

void ReplicaGroup::all_reduce(int index, std::span<const ReductionBuffer> buffers) {
  buffers_[static_cast<std::size_t>(index)].assign(buffers.begin(), buffers.end());
  rendezvous_.arrive();
  // Every member checks all buffers: none may begin to read where another has fewer elements.
  require_equal(buffers_);
  sum_share(index);
  rendezvous_.arrive();
  if (!processes_) return;
  if (index == 0) {
    std::vector<ReductionBuffer> sums(buffers.begin(), buffers.end());
    for (ReductionBuffer& sum : sums) sum.input = sum.output;
    // All members have arrived: background sums that were begun earlier are finished first, in every process.
    background_.finish_all();
    processes_->all_reduce(sums);
  }
  rendezvous_.arrive();
  copy_share_of_sums(index);
  rendezvous_.arrive();
}

void ReplicaGroup::sum_in_background(const Brought& brought) {
  require_equal(brought);
  std::vector<ReductionBuffer> sums = brought.front();
  std::vector<const void*> inputs(brought.size());
  for (std::size_t b = 0; b < sums.size() && brought.size() > 1; ++b) {
    for (std::size_t m = 0; m < brought.size(); ++m) inputs[m] = brought[m][b].input;
    sum_in_order(inputs, {&sums[b].output, 1}, sums[b].dtype, 0, sums[b].elements);
    sums[b].input = sums[b].output;
  }
  processes_->all_reduce(sums);
  for (std::size_t b = 0; b < sums.size(); ++b) {
    if (sums[b].elements == 0) continue;
    for (std::size_t m = 1; m < brought.size(); ++m) {
      std::memcpy(brought[m][b].output, sums[b].output, bytes_of(sums[b]));
    }
  }
}

}  // namespace rhyton::distribute
