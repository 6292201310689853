#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/element_function.h>
#include <rhyton/datasets/pipeline.h>

// What the steps of pipelines are made of.
namespace rhyton::datasets {

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

/// A step that makes batches of the elements.
class BatchingStage : public Stage {
 public:
  BatchingStage(Dataset source, std::int64_t batch_size, bool drops_remainder)
      : Stage(std::move(source)), batch_size_(batch_size), drops_remainder_(drops_remainder) {}
  std::int64_t batch_size() const { return batch_size_; }
  Cardinality cardinality() const override;
  Elements iterator(std::uint64_t pass) const override;

 protected:
  /// Makes a batch.
  using Join = std::function<Batch(const std::vector<Batch>& elements)>;
  virtual Join join() const = 0;

 private:
  std::int64_t batch_size_;
  bool drops_remainder_;
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
inline std::shared_ptr<BatchIterator> shared(Elements iterator) { return iterator; }

template <class StageClass, class... Arguments>
Pipeline pipeline(Arguments&&... arguments) {
  return Pipeline(std::make_shared<const StageClass>(std::forward<Arguments>(arguments)...));
}

/// Throws ValueError for a value below 1.
void require_positive(const char* name, std::int64_t value);

/// As TensorFlow prints shapes: "[2,3]".
std::string brackets(const Shape& shape);

/// Stacks elements, at least one, along a new first axis. Throws InvalidArgumentError for different shapes.
Batch stacked(const std::vector<Batch>& elements);

/// The shapes of stacked elements.
BatchSpec batched(const BatchSpec& spec);

/// The shape with the lengths that both have, unknown where they differ; `a` if the ranks differ.
Shape common_lengths(const Shape& a, const Shape& b);

/// The tensors of x, y and sample weights in one list.
template <class Parts>
auto flat_tensors(const Parts& parts) {
  auto all = parts.x;
  all.insert(all.end(), parts.y.begin(), parts.y.end());
  all.insert(all.end(), parts.sample_weight.begin(), parts.sample_weight.end());
  return all;
}

/// The result of the function, whose ops run on the CPU.
template <class Result>
Result call_on_cpu(const FunctionOfElements<Result>& function, const Batch& element);
extern template Batch call_on_cpu(const FunctionOfElements<Batch>&, const Batch&);
extern template bool call_on_cpu(const FunctionOfElements<bool>&, const Batch&);
extern template std::int64_t call_on_cpu(const FunctionOfElements<std::int64_t>&, const Batch&);
extern template Pipeline call_on_cpu(const FunctionOfElements<Pipeline>&, const Batch&);

/// The result of the function of `map` for element number `number` of a pass. An error of Rhyton's that it throws gets
/// the number into its message; other exceptions pass unchanged.
Batch map_element(const ElementFunction& function, const Batch& element, std::int64_t number);

}  // namespace rhyton::datasets
