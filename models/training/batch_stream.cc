#include <rhyton/models/training/batch_stream.h>

#include <algorithm>
#include <string>
#include <utility>

#include <rhyton/framework/device/device_copy.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/models/training/class_weights.h>

namespace rhyton::training {
namespace {

bool fits(const TensorSpec& spec, const Tensor& tensor) {
  if (!tensor.is_concrete() || tensor.dtype() != spec.dtype || tensor.rank() != spec.shape.rank()) return false;
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    if (spec.shape[axis] >= 0 && spec.shape[axis] != tensor.shape()[axis]) return false;
  }
  return true;
}

std::string text_of(const Shape& shape, DType dtype) { return std::string(name_of(dtype)) + " " + shape.to_string(); }

void require(const std::string& part, const std::vector<TensorSpec>& specs, const std::vector<Tensor>& tensors) {
  if (specs.size() != tensors.size()) {
    throw ValueError("A batch of the data set has " + std::to_string(tensors.size()) + " tensors in `" + part +
                     "`, where its `element_spec` has " + std::to_string(specs.size()) + ".");
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!fits(specs[i], tensors[i])) {
      throw ValueError("A batch of the data set has in `" + part + "` " +
                       (tensors[i].is_empty() ? "no tensor" : text_of(tensors[i].shape(), tensors[i].dtype())) +
                       ", where its `element_spec` has " + text_of(specs[i].shape, specs[i].dtype) + ".");
    }
  }
}

}  // namespace

std::vector<Tensor> ResidentArrays::arguments() const {
  std::vector<Tensor> all = flat(arrays);
  all.push_back(permutation);
  return all;
}

void BatchStream::skip(std::int64_t batches) {
  for (std::int64_t i = 0; i < batches && advance(); ++i) continue;
}

ArrayStream::ArrayStream(Batches batches, std::optional<std::uint64_t> shuffle_key)
    : batches_(std::move(batches)), shuffle_key_(shuffle_key) {}

void ArrayStream::begin_pass(std::uint64_t pass) {
  if (shuffle_key_) batches_.shuffle(random::mix_key(*shuffle_key_, pass));
  batch_ = -1;
  for (auto& [device, resident] : resident_) resident.is_permutation_old = true;
}

const ResidentArrays* ArrayStream::resident(LogicalDevice& device) {
  if (!may_be_resident_) return nullptr;
  try {
    auto found = resident_.find(&device);
    if (found == resident_.end()) {
      // The memory of plans is unknown here: of a limited device at least half of the free memory is left to them.
      const AllocatorStatistics memory = device.allocator().statistics();
      if (memory.limit && batches_.bytes() > (*memory.limit - std::min(*memory.limit, memory.in_use)) / 2) {
        may_be_resident_ = false;
        return nullptr;
      }
      found = resident_.emplace(&device, Resident{.arrays = {batches_.arrays_on(device), {}}}).first;
    }
    Resident& resident = found->second;
    if (resident.is_permutation_old) {
      const Tensor order = batches_.order();
      Tensor& permutation = resident.arrays.permutation;
      if (permutation.is_empty()) {
        permutation = order.to(device);
      } else {
        // In place, since recorded steps contain the address.
        copy_between_devices(device, permutation.mutable_device_data(), order.device(), order.device_data(),
                             order.spec().bytes());
      }
      resident.is_permutation_old = false;
    }
    return &resident.arrays;
  } catch (const ResourceExhaustedError&) {
    resident_.clear();
    may_be_resident_ = false;
    return nullptr;
  }
}

bool ArrayStream::advance() {
  if (batch_ + 1 >= batches_.count()) return false;
  ++batch_;
  if (batches_.size_of(batch_) != size_) {
    size_ = batches_.size_of(batch_);
    specs_ = batches_.specs(size_);
  }
  return true;
}

DatasetStream::DatasetStream(datasets::Dataset dataset, Parts parts)
    : dataset_(std::move(dataset)), parts_(std::move(parts)), spec_(dataset_.element_spec()) {}

void DatasetStream::begin_pass(std::uint64_t pass) {
  batches_.reset();  // its threads first
  batches_ = dataset_.iterator(pass);
}

bool DatasetStream::advance() {
  std::optional<datasets::Batch> batch = batches_->next();
  if (!batch) return false;
  take(*std::move(batch));
  return true;
}

void DatasetStream::take(datasets::Batch batch) {
  for_each_part(&require, spec_, batch);
  arrays_ = {.x = std::move(batch.x)};
  if (parts_.targets) {
    if (!parts_.class_weight.empty()) {
      batch.sample_weight = {sample_weights_from_classes(batch.y.front(), parts_.class_weight)};
    }
    arrays_.y = std::move(batch.y);
    arrays_.sample_weight = std::move(batch.sample_weight);
  }
  if (arrays_.x.empty()) throw ValueError("A batch of the data set has no samples.");
  pointers_.clear();
  specs_ = map_parts(arrays_, [&](const Tensor& array) {
    if (array.rank() == 0 || array.shape()[0] != arrays_.x.front().shape()[0]) {
      throw ValueError(
          "The tensors of a batch of the data set have different numbers of samples, or no axis of samples. The "
          "elements of `from_tensor_slices` become batches by `.batch(batch_size)`.");
    }
    pointers_.push_back(array.dtype() == string_dtype ? nullptr : array.raw_data());
    return array.spec();
  });
  if (arrays_.x.front().shape()[0] == 0) throw ValueError("A batch of the data set has no samples.");
}

}  // namespace rhyton::training
