#include <rhyton/datasets/flattening.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/element_parts.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/datasets/tensor_slices.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/thread_count.h>

namespace rhyton::datasets {
namespace {

/// The elements of data sets that take turns, in the order of TensorFlow's sequential interleave.
class InterleavingIterator final : public BatchIterator {
 public:
  InterleavingIterator(NestedDatasets datasets, std::size_t cycle_length, std::int64_t block_length, std::uint64_t pass)
      : datasets_(std::move(datasets)), cycle_(cycle_length), block_length_(block_length), pass_(pass) {}

  std::optional<Batch> next() override {
    while (!is_at_end_ || open_ > 0) {
      Open& current = cycle_[place_];
      if (current.elements != nullptr) {
        if (std::optional<Batch> element = current.elements->next()) {
          if (++in_block_ == block_length_) turn();
          return element;
        }
        current = {};
        --open_;
        turn();
      } else if (is_at_end_) {
        turn();
      } else if (std::optional<Pipeline> dataset = datasets_()) {
        current.elements = dataset->iterator(pass_);
        current.dataset = *std::move(dataset);
        ++open_;
      } else {
        is_at_end_ = true;
      }
    }
    return std::nullopt;
  }

 private:
  struct Open {
    std::optional<Pipeline> dataset;  // which must outlive its iterator
    Elements elements;
  };

  void turn() {
    in_block_ = 0;
    place_ = (place_ + 1) % cycle_.size();
  }

  NestedDatasets datasets_;
  std::vector<Open> cycle_;
  std::int64_t block_length_;
  std::uint64_t pass_;
  std::size_t place_ = 0;
  std::int64_t in_block_ = 0;
  std::int64_t open_ = 0;
  bool is_at_end_ = false;
};

class Flattened final : public DatasetImpl {
 public:
  explicit Flattened(FlatteningOptions options) : options_(std::move(options)) {}

  BatchSpec element_spec() const override {
    std::call_once(spec_once_, [this] {
      const std::optional<Pipeline> first = options_.begin(0)();
      spec_ = first ? first->element_spec() : options_.spec_of_none();
    });
    return spec_;
  }

  Elements iterator(std::uint64_t pass) const override {
    return std::make_unique<InterleavingIterator>(options_.begin(pass), static_cast<std::size_t>(options_.cycle_length),
                                                  options_.block_length, pass);
  }

 private:
  FlatteningOptions options_;
  mutable std::once_flag spec_once_;
  mutable BatchSpec spec_;
};

/// The pipelines of a function.
FlatteningOptions nested_by(const Dataset& source, const FunctionOfElements<Pipeline>& function) {
  return {.begin = [source, function](std::uint64_t pass) -> NestedDatasets {
            return [from = shared(source.iterator(pass)), function]() -> std::optional<Pipeline> {
              const std::optional<Batch> element = from->next();
              if (!element) return std::nullopt;
              return call_on_cpu(function, *element);
            };
          },
          .spec_of_none = [source] { return source.element_spec(); }};
}

void require_one_length(const Batch& element) {
  const std::vector<Tensor> tensors = flat_tensors(element);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].rank() == 0)
      throw InvalidArgumentError("Input element must have a non-scalar value in each component.");
    if (tensors[i].shape()[0] != tensors.front().shape()[0]) {
      throw InvalidArgumentError(
          fmt::format("Input element must have the same batch size in each component. Component 0 had size {} but "
                      "component {} had size {}.",
                      tensors.front().shape()[0], i, tensors[i].shape()[0]));
    }
  }
}

class Unbatched final : public Stage {
 public:
  explicit Unbatched(const Dataset& source) : Stage(source) {}

  BatchSpec element_spec() const override {
    return map_tensors<BatchSpec>(Stage::element_spec(), [](const TensorSpec& spec) {
      if (spec.shape.rank() == 0) throw ValueError("Cannot unbatch an input with scalar components.");
      return TensorSpec{.shape = spec.shape.slice(1, spec.shape.rank()), .dtype = spec.dtype};
    });
  }

  /// Known where the length of elements is.
  Cardinality cardinality() const override {
    const Cardinality count = source().cardinality();
    if (!count || *count == infinite_cardinality) return count;
    for (const TensorSpec& spec : flat_tensors(source().element_spec())) {
      if (spec.shape.rank() > 0 && spec.shape[0] >= 0) return *count * spec.shape[0];
    }
    return std::nullopt;
  }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)),
                     slices = std::shared_ptr<BatchIterator>()]() mutable -> std::optional<Batch> {
      while (true) {
        if (slices != nullptr) {
          if (std::optional<Batch> slice = slices->next()) return slice;
          slices = nullptr;
        }
        const std::optional<Batch> element = from->next();
        if (!element) return std::nullopt;
        require_one_length(*element);
        slices = shared(TensorSlices(*element).iterator(0));
      }
    });
  }
};

}  // namespace

Pipeline flattened(const FlatteningOptions& options) {
  FlatteningOptions resolved = options;
  if (resolved.cycle_length == autotune) resolved.cycle_length = threading::default_thread_count();
  require_positive("cycle_length", resolved.cycle_length);
  require_positive("block_length", resolved.block_length);
  return pipeline<Flattened>(std::move(resolved));
}

Pipeline Pipeline::flat_map(const FunctionOfElements<Pipeline>& function) const {
  return flattened(nested_by(*this, function));
}

Pipeline Pipeline::interleave(const FunctionOfElements<Pipeline>& function,
                              const PipelineInterleaveOptions& options) const {
  FlatteningOptions nested = nested_by(*this, function);
  nested.cycle_length = options.cycle_length;
  nested.block_length = options.block_length;
  return flattened(nested);
}

Pipeline Pipeline::unbatch() const { return pipeline<Unbatched>(*this); }

}  // namespace rhyton::datasets
