#include <rhyton/datasets/pipeline.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/element_parts.h>
#include <rhyton/datasets/tensor_slices.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/random/philox.h>

namespace rhyton::datasets {
namespace {

using Cardinality = std::optional<std::int64_t>;
using Elements = std::unique_ptr<BatchIterator>;

/// A step of a pipeline: reads the elements of another data set.
class Stage : public DatasetImpl {
 public:
  explicit Stage(Dataset source) : source_(std::move(source)) {}
  BatchSpec element_spec() const override { return source_.element_spec(); }
  Cardinality cardinality() const override { return source_.cardinality(); }

 protected:
  const Dataset& source() const { return source_; }

 private:
  Dataset source_;
};

/// The elements that a function returns until it returns none.
class FunctionIterator final : public BatchIterator {
 public:
  explicit FunctionIterator(std::function<std::optional<Batch>()> next) : next_(std::move(next)) {}
  std::optional<Batch> next() override { return next_(); }

 private:
  std::function<std::optional<Batch>()> next_;
};

template <class Next>
Elements elements(Next next) {
  return std::make_unique<FunctionIterator>(std::move(next));
}

/// The iterator in a form that functions can hold.
std::shared_ptr<BatchIterator> shared(Elements iterator) { return iterator; }

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

/// As TensorFlow prints shapes: "[2,3]".
std::string brackets(const Shape& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : ",") + std::to_string(length);
  return "[" + text + "]";
}

Tensor stacked(const std::vector<Batch>& elements, std::vector<Tensor> Batch::*part, std::size_t index,
               std::size_t component) {
  const auto tensor_of = [&](const Batch& element) -> const Tensor& { return (element.*part).at(index); };
  const TensorSpec spec = tensor_of(elements.front()).spec();
  Shape shape = {static_cast<std::int64_t>(elements.size())};
  Tensor batch = Tensor::uninitialized(shape.concatenate(spec.shape), spec.dtype);
  auto* const rows = static_cast<std::byte*>(batch.mutable_raw_data());
  for (std::size_t row = 0; row < elements.size(); ++row) {
    const Tensor& tensor = tensor_of(elements[row]);
    if (tensor.shape() != spec.shape || tensor.dtype() != spec.dtype) {
      throw InvalidArgumentError(
          fmt::format("Cannot batch tensors with different shapes in component {}. First element had shape {} and "
                      "element {} had shape {}.",
                      component, brackets(spec.shape), row, brackets(tensor.shape())));
    }
    if (spec.bytes() > 0) std::memcpy(rows + row * spec.bytes(), tensor.raw_data(), spec.bytes());
  }
  return batch;
}

Batch stacked(const std::vector<Batch>& elements) {
  Batch batch;
  std::size_t component = 0;
  for (const auto part : {&Batch::x, &Batch::y, &Batch::sample_weight}) {
    for (const Batch& element : elements) {
      if ((element.*part).size() != (elements.front().*part).size()) {
        throw ValueError("Elements with different numbers of tensors cannot be batched.");
      }
    }
    for (std::size_t i = 0; i < (elements.front().*part).size(); ++i) {
      (batch.*part).push_back(stacked(elements, part, i, component++));
    }
  }
  return batch;
}

class Batched final : public Stage {
 public:
  Batched(const Dataset& source, std::int64_t batch_size, bool drops_remainder)
      : Stage(source), batch_size_(batch_size), drops_remainder_(drops_remainder) {}

  BatchSpec element_spec() const override {
    return map_tensors<BatchSpec>(source().element_spec(), [](const TensorSpec& spec) {
      return TensorSpec{.shape = Shape{-1}.concatenate(spec.shape), .dtype = spec.dtype};
    });
  }

  Cardinality cardinality() const override {
    const Cardinality count = source().cardinality();
    if (!count || *count == infinite_cardinality) return count;
    return *count / batch_size_ + (!drops_remainder_ && *count % batch_size_ != 0 ? 1 : 0);
  }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), size = static_cast<std::size_t>(batch_size_),
                     drops = drops_remainder_]() -> std::optional<Batch> {
      std::vector<Batch> rows;
      while (rows.size() < size) {
        std::optional<Batch> element = from->next();
        if (!element) break;
        rows.push_back(*std::move(element));
      }
      if (rows.empty() || (drops && rows.size() < size)) return std::nullopt;
      return stacked(rows);
    });
  }

 private:
  std::int64_t batch_size_;
  bool drops_remainder_;
};

class Mapped final : public Stage {
 public:
  Mapped(const Dataset& source, ElementFunction function) : Stage(source), function_(std::move(function)) {}

  BatchSpec element_spec() const override {
    std::call_once(spec_once_, [this] { spec_ = infer_spec(); });
    return spec_;
  }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), function = function_]() -> std::optional<Batch> {
      const std::optional<Batch> element = from->next();
      if (!element) return std::nullopt;
      return on_cpu(function, *element);
    });
  }

 private:
  static Batch on_cpu(const ElementFunction& function, const Batch& element) {
    const DeviceScope cpu("/CPU:0");
    return function(element);
  }

  BatchSpec infer_spec() const {
    BatchSpec given = source().element_spec();
    const std::optional<Batch> element = source().iterator(0)->next();
    if (!element) return given;
    const bool is_batch = !given.x.empty() && given.x.front().shape.rank() > 0 && given.x.front().shape[0] < 0;
    return map_tensors<BatchSpec>(on_cpu(function_, *element), [&](const Tensor& tensor) {
      if (tensor.is_empty()) throw ValueError("The function of `map` returned an empty tensor.");
      TensorSpec spec = tensor.spec();
      if (is_batch && spec.shape.rank() > 0) spec.shape = spec.shape.with(0, -1);
      return spec;
    });
  }

  ElementFunction function_;
  mutable std::once_flag spec_once_;
  mutable BatchSpec spec_;
};

class Filtered final : public Stage {
 public:
  Filtered(const Dataset& source, std::function<bool(const Batch&)> predicate)
      : Stage(source), predicate_(std::move(predicate)) {}

  Cardinality cardinality() const override { return std::nullopt; }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), predicate = predicate_]() -> std::optional<Batch> {
      while (std::optional<Batch> element = from->next()) {
        if (predicate(*element)) return element;
      }
      return std::nullopt;
    });
  }

 private:
  std::function<bool(const Batch&)> predicate_;
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

template <class StageClass, class... Arguments>
Pipeline pipeline(Arguments&&... arguments) {
  return Pipeline(std::make_shared<const StageClass>(std::forward<Arguments>(arguments)...));
}

void require_positive(const char* name, std::int64_t value) {
  if (value < 1) throw ValueError(fmt::format("`{}` must be greater than zero. Received: {}={}", name, name, value));
}

void require_count(std::int64_t count) {
  if (count < -1) throw ValueError(fmt::format("`count` must be -1 or more. Received: count={}", count));
}

}  // namespace

void ElementFunction::require_tensors(const Batch& element, bool with_y) {
  if (element.x.size() == 1 && element.y.size() == (with_y ? 1U : 0U) && element.sample_weight.empty()) return;
  throw TypeError(fmt::format(
      "The function of `map` takes {}, but an element has {} x, {} y and {} sample weights. A function of a "
      "`datasets::Batch` takes any element.",
      with_y ? "x and y" : "x", element.x.size(), element.y.size(), element.sample_weight.size()));
}

Pipeline Pipeline::shuffle(std::int64_t buffer_size, const PipelineShuffleOptions& options) const {
  require_positive("buffer_size", buffer_size);
  const std::uint64_t seed = options.seed ? static_cast<std::uint64_t>(*options.seed) : context().next_seed();
  return pipeline<Shuffled>(*this, static_cast<std::size_t>(buffer_size), seed, options.reshuffle_each_iteration);
}

Pipeline Pipeline::batch(std::int64_t batch_size, const PipelineBatchOptions& options) const {
  require_positive("batch_size", batch_size);
  return pipeline<Batched>(*this, batch_size, options.drop_remainder);
}

Pipeline Pipeline::map(const ElementFunction& function) const { return pipeline<Mapped>(*this, function); }

Pipeline Pipeline::filter(std::function<bool(const Batch& element)> predicate) const {
  return pipeline<Filtered>(*this, std::move(predicate));
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

Pipeline Pipeline::cache() const { return pipeline<Cached>(*this); }

Pipeline from_tensor_slices(const Tensor& x, const Tensor& y, const Tensor& sample_weight) {
  Batch arrays = {.x = {x}};
  if (!y.is_empty()) arrays.y = {y};
  if (!sample_weight.is_empty()) arrays.sample_weight = {sample_weight};
  return from_tensor_slices(arrays);
}

Pipeline from_tensor_slices(const Batch& arrays) { return pipeline<TensorSlices>(arrays); }

}  // namespace rhyton::datasets
