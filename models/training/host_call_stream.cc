#include <rhyton/models/training/host_call_stream.h>

#include <algorithm>
#include <utility>

#include <rhyton/datasets/running_ahead.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>

namespace rhyton::training {
namespace {

constexpr std::size_t batches_ahead = 2;

class CalledBatches final : public datasets::BatchIterator {
 public:
  CalledBatches(BatchStream& batches, const models::HostCalls& calls) : batches_(batches), calls_(calls) {}

  std::optional<datasets::Batch> next() override {
    if (!batches_.advance()) return std::nullopt;
    BatchParts<Tensor> arrays = batches_.tensors();
    return datasets::Batch{
        .x = calls_.run(arrays.x), .y = std::move(arrays.y), .sample_weight = std::move(arrays.sample_weight)};
  }

 private:
  BatchStream& batches_;
  const models::HostCalls& calls_;
};

}  // namespace

HostCallStream::HostCallStream(std::unique_ptr<BatchStream> batches, const models::HostCalls& calls)
    : batches_(std::move(batches)), calls_(calls) {}

HostCallStream::~HostCallStream() { iterator_.reset(); }

void HostCallStream::begin_pass(std::uint64_t pass) {
  iterator_.reset();  // its thread first
  batches_->begin_pass(pass);
  iterator_ = std::make_unique<CalledBatches>(*batches_, calls_);
  if (batches_->count() != 1) iterator_ = datasets::prefetched(std::move(iterator_), batches_ahead);
  has_begun_ = false;
}

bool HostCallStream::advance() {
  has_begun_ = true;
  std::optional<datasets::Batch> batch = iterator_->next();
  if (!batch) return false;
  arrays_ = {.x = std::move(batch->x), .y = std::move(batch->y), .sample_weight = std::move(batch->sample_weight)};
  specs_ = specs_of(arrays_);
  pointers_.clear();
  for (const Tensor& array : flat(arrays_)) pointers_.push_back(array.raw_data());
  return true;
}

void HostCallStream::skip(std::int64_t batches) {
  if (!has_begun_) return batches_->skip(batches);
  BatchStream::skip(batches);
}

BatchSource with_host_calls(BatchSource data, Trainee& trainee, bool runs_eagerly) {
  if (runs_eagerly || data.is_empty()) return data;
  if (const models::HostCalls* const calls = trainee.host_calls()) {
    calls->require_runnable(trainee.layer().name());
    data.stream = std::make_unique<HostCallStream>(std::move(data.stream), *calls);
    return data;
  }
  const auto is_string = [](const TensorSpec& spec) { return spec.dtype == string_dtype; };
  const std::vector<TensorSpec> all = flat(data.specs);
  if (std::any_of(all.begin(), all.end(), is_string)) {
    throw NotImplementedError("The steps of model '" + trainee.layer().name() +
                              "' cannot be compiled for strings, which only functional and Sequential models take, as "
                              "inputs of layers such as TextVectorization. Compile it with run_eagerly=True.");
  }
  return data;
}

}  // namespace rhyton::training
