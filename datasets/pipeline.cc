#include <rhyton/datasets/pipeline.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/element_parts.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/datasets/running_ahead.h>
#include <rhyton/datasets/tensor_slices.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/framework/threading/thread_count.h>

namespace rhyton::datasets {
namespace {

class Shuffled final : public Stage {
 public:
  Shuffled(const Dataset& source, std::size_t buffer_size, std::uint64_t seed, bool reshuffles)
      : Stage(source), buffer_size_(buffer_size), seed_(seed), reshuffles_(reshuffles) {}

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), size = buffer_size_, buffer = std::vector<Batch>(),
                     random = random::PhiloxSequence(random::mix_key(seed_, reshuffles_ ? pass : 0)),
                     is_over = false]() mutable -> std::optional<Batch> {
      while (!is_over && buffer.size() < size) {
        if (std::optional<Batch> element = from->next()) {
          buffer.push_back(*std::move(element));
        } else {
          is_over = true;
        }
      }
      if (buffer.empty()) return std::nullopt;
      std::swap(buffer[random.next_below(buffer.size())], buffer.back());
      Batch element = std::move(buffer.back());
      buffer.pop_back();
      return element;
    });
  }

 private:
  std::size_t buffer_size_;
  std::uint64_t seed_;
  bool reshuffles_;
};

class Batched final : public BatchingStage {
 public:
  using BatchingStage::BatchingStage;
  BatchSpec element_spec() const override { return batched(source().element_spec()); }

 protected:
  Join join() const override {
    return [](const std::vector<Batch>& elements) { return stacked(elements); };
  }
};

class Mapped final : public Stage {
 public:
  Mapped(const Dataset& source, ElementFunction function, const PipelineMapOptions& options)
      : Stage(source), function_(std::move(function)), options_(options) {}

  BatchSpec element_spec() const override {
    if (options_.output_signature) return *options_.output_signature;
    std::call_once(spec_once_, [this] { spec_ = infer_spec(); });
    return spec_;
  }

  Elements iterator(std::uint64_t pass) const override {
    if (options_.num_parallel_calls) {
      const std::int64_t calls = *options_.num_parallel_calls;
      return parallel_map(source().iterator(pass), function_,
                          {.threads = calls == autotune ? threading::default_thread_count() : calls,
                           .keeps_order = options_.deterministic});
    }
    return elements([from = shared(source().iterator(pass)), function = function_,
                     number = std::int64_t{0}]() mutable -> std::optional<Batch> {
      const std::optional<Batch> element = from->next();
      if (!element) return std::nullopt;
      return map_element(function, *element, number++);
    });
  }

 private:
  BatchSpec infer_spec() const {
    BatchSpec given = source().element_spec();
    const Elements first_elements = source().iterator(0);
    const std::optional<Batch> first = first_elements->next();
    if (!first) return given;
    const bool is_batch = !given.x.empty() && given.x.front().shape.rank() > 0 && given.x.front().shape[0] < 0;
    BatchSpec spec = spec_of(map_element(function_, *first, 0), is_batch);
    if (const std::optional<Batch> second = first_elements->next()) {
      const BatchSpec other = spec_of(map_element(function_, *second, 1), is_batch);
      for (const auto part : {&BatchSpec::x, &BatchSpec::y, &BatchSpec::sample_weight}) {
        for (std::size_t i = 0; i < std::min((spec.*part).size(), (other.*part).size()); ++i) {
          (spec.*part)[i].shape = common_lengths((spec.*part)[i].shape, (other.*part)[i].shape);
        }
      }
    }
    return spec;
  }

  static BatchSpec spec_of(const Batch& element, bool is_batch) {
    element.x_names.require_fitting(element.x.size(), "x");
    element.y_names.require_fitting(element.y.size(), "y");
    return map_tensors<BatchSpec>(element, [&](const Tensor& tensor) {
      if (tensor.is_empty()) throw ValueError("The function of `map` returned an empty tensor.");
      TensorSpec spec = tensor.spec();
      if (is_batch && spec.shape.rank() > 0) spec.shape = spec.shape.with(0, -1);
      return spec;
    });
  }

  ElementFunction function_;
  PipelineMapOptions options_;
  mutable std::once_flag spec_once_;
  mutable BatchSpec spec_;
};

class Prefetched final : public Stage {
 public:
  Prefetched(const Dataset& source, std::size_t buffer_size) : Stage(source), buffer_size_(buffer_size) {}

  Elements iterator(std::uint64_t pass) const override { return prefetched(source().iterator(pass), buffer_size_); }

 private:
  std::size_t buffer_size_;
};

class Filtered final : public Stage {
 public:
  Filtered(const Dataset& source, FunctionOfElements<bool> predicate)
      : Stage(source), predicate_(std::move(predicate)) {}

  Cardinality cardinality() const override { return std::nullopt; }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), predicate = predicate_]() -> std::optional<Batch> {
      while (std::optional<Batch> element = from->next()) {
        if (call_on_cpu(predicate, *element)) return element;
      }
      return std::nullopt;
    });
  }

 private:
  FunctionOfElements<bool> predicate_;
};

/// `count` elements behind the first `skipped`; all of them for -1.
class Part final : public Stage {
 public:
  Part(const Dataset& source, std::int64_t skipped, std::int64_t count)
      : Stage(source), skipped_(skipped), count_(count) {}

  Cardinality cardinality() const override {
    const Cardinality count = source().cardinality();
    if (!count) return count;
    if (*count == infinite_cardinality) return count_ < 0 ? count : count_;
    const std::int64_t behind = std::max<std::int64_t>(*count - skipped_, 0);
    return count_ < 0 ? behind : std::min(behind, count_);
  }

  Elements iterator(std::uint64_t pass) const override {
    return elements(
        [from = shared(source().iterator(pass)), skipped = skipped_, left = count_]() mutable -> std::optional<Batch> {
          for (; skipped > 0; --skipped) {
            if (!from->next()) return std::nullopt;
          }
          if (left == 0) return std::nullopt;
          if (left > 0) --left;
          return from->next();
        });
  }

 private:
  std::int64_t skipped_;
  std::int64_t count_;
};

class Repeated final : public Stage {
 public:
  Repeated(const Dataset& source, std::int64_t count) : Stage(source), count_(count) {}

  Cardinality cardinality() const override {
    const Cardinality count = source().cardinality();
    if (count == 0 || count_ == 0) return 0;
    if (count_ < 0) return infinite_cardinality;
    return count && *count > 0 ? *count * count_ : count;
  }

  Elements iterator(std::uint64_t pass) const override {
    // Passes over the source have numbers of their own, so that each has another order.
    constexpr std::uint64_t endless_passes = std::uint64_t{1} << 32;
    const std::uint64_t first = pass * (count_ < 0 ? endless_passes : static_cast<std::uint64_t>(count_));
    return elements([source = source(), count = count_, first, round = std::int64_t{0},
                     from = std::shared_ptr<BatchIterator>()]() mutable -> std::optional<Batch> {
      while (count < 0 || round < count) {
        const bool is_new = from == nullptr;
        if (is_new) from = source.iterator(first + static_cast<std::uint64_t>(round));
        if (std::optional<Batch> element = from->next()) return element;
        from = nullptr;
        ++round;
        if (is_new) return std::nullopt;  // a pass without elements: so are all others
      }
      return std::nullopt;
    });
  }

 private:
  std::int64_t count_;
};

class Cached final : public Stage {
 public:
  explicit Cached(const Dataset& source) : Stage(source) {}

  Elements iterator(std::uint64_t pass) const override {
    const Kept kept = cache_->load();
    if (kept) {
      return elements([kept, next = std::size_t{0}]() mutable -> std::optional<Batch> {
        if (next == kept->size()) return std::nullopt;
        return (*kept)[next++];
      });
    }
    return elements([from = shared(source().iterator(pass)), cache = cache_,
                     so_far = std::make_shared<std::vector<Batch>>()]() mutable -> std::optional<Batch> {
      std::optional<Batch> element = from->next();
      if (element && so_far) {
        so_far->push_back(*element);
      } else if (so_far) {
        cache->store(std::exchange(so_far, nullptr));
      }
      return element;
    });
  }

 private:
  using Kept = std::shared_ptr<const std::vector<Batch>>;

  class Cache {
   public:
    Kept load() const {
      const std::scoped_lock lock(mutex_);
      return kept_;
    }
    /// Keeps what the first pass that ends has.
    void store(Kept elements) {
      const std::scoped_lock lock(mutex_);
      if (!kept_) kept_ = std::move(elements);
    }

   private:
    mutable std::mutex mutex_;
    Kept kept_;
  };

  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

void require_count(std::int64_t count) {
  if (count < -1) throw ValueError(fmt::format("`count` must be -1 or more. Received: count={}", count));
}

}  // namespace

Pipeline Pipeline::shuffle(std::int64_t buffer_size, const PipelineShuffleOptions& options) const {
  require_positive("buffer_size", buffer_size);
  const std::uint64_t seed = options.seed ? static_cast<std::uint64_t>(*options.seed) : context().next_seed();
  return pipeline<Shuffled>(*this, static_cast<std::size_t>(buffer_size), seed, options.reshuffle_each_iteration);
}

Pipeline Pipeline::batch(std::int64_t batch_size, const PipelineBatchOptions& options) const {
  require_positive("batch_size", batch_size);
  return pipeline<Batched>(*this, batch_size, options.drop_remainder);
}

Pipeline Pipeline::map(const ElementFunction& function, const PipelineMapOptions& options) const {
  if (options.num_parallel_calls && *options.num_parallel_calls != autotune) {
    require_positive("num_parallel_calls", *options.num_parallel_calls);
  }
  return pipeline<Mapped>(*this, function, options);
}

Pipeline Pipeline::filter(const FunctionOfElements<bool>& predicate) const {
  return pipeline<Filtered>(*this, predicate);
}

Pipeline Pipeline::prefetch(std::int64_t buffer_size) const {
  if (buffer_size < autotune) {
    throw ValueError(
        fmt::format("`buffer_size` must be 0 or more, or `autotune` (-1). Received: buffer_size={}", buffer_size));
  }
  constexpr std::int64_t usual_size = 2;
  const std::int64_t size = buffer_size == autotune ? usual_size : buffer_size;
  return size == 0 ? *this : pipeline<Prefetched>(*this, static_cast<std::size_t>(size));
}

Pipeline Pipeline::take(std::int64_t count) const {
  require_count(count);
  return pipeline<Part>(*this, 0, count);
}

Pipeline Pipeline::skip(std::int64_t count) const {
  require_count(count);
  return count < 0 ? take(0) : pipeline<Part>(*this, count, -1);
}

Pipeline Pipeline::repeat(std::int64_t count) const {
  require_count(count);
  return pipeline<Repeated>(*this, count);
}

std::optional<std::int64_t> Pipeline::batch_size() const {
  const auto* const batching = dynamic_cast<const BatchingStage*>(&impl());
  return batching == nullptr ? std::nullopt : std::optional(batching->batch_size());
}

Pipeline Pipeline::cache() const { return pipeline<Cached>(*this); }

Pipeline from_tensor_slices(const Tensor& x, const Tensor& y, const Tensor& sample_weight) {
  Batch arrays = {.x = {x}};
  if (!y.is_empty()) arrays.y = {y};
  if (!sample_weight.is_empty()) arrays.sample_weight = {sample_weight};
  return from_tensor_slices(arrays);
}

Pipeline from_tensor_slices(std::initializer_list<Tensor> arrays) {
  if (arrays.size() == 0 || arrays.size() > 3) {
    throw ValueError("`from_tensor_slices` takes x, y and sample_weight. Received: " + std::to_string(arrays.size()) +
                     " arrays. Several inputs or outputs: from_tensor_slices({.x = {a, b}, .y = {c}})");
  }
  const Tensor* const given = arrays.begin();
  return from_tensor_slices(given[0], arrays.size() > 1 ? given[1] : Tensor(), arrays.size() > 2 ? given[2] : Tensor());
}

Pipeline from_tensor_slices(std::initializer_list<std::pair<const std::string, Tensor>> x, const Tensor& y,
                            const Tensor& sample_weight) {
  return from_tensor_slices(std::map<std::string, Tensor>(x), y, sample_weight);
}

Pipeline from_tensor_slices(const Batch& arrays) { return pipeline<TensorSlices>(arrays); }

}  // namespace rhyton::datasets
