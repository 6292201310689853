#include <rhyton/datasets/pipeline_sources.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <rhyton/datasets/element_parts.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/framework/random/philox.h>

namespace rhyton::datasets {
namespace {

class SingleElement final : public DatasetImpl {
 public:
  explicit SingleElement(Batch element) : element_(std::move(element)) {
    spec_ = map_tensors<BatchSpec>(element_, [](const Tensor& tensor) { return tensor.spec(); });
  }
  BatchSpec element_spec() const override { return spec_; }
  Cardinality cardinality() const override { return 1; }
  Elements iterator(std::uint64_t /*pass*/) const override {
    return elements([next = std::optional(element_)]() mutable { return std::exchange(next, std::nullopt); });
  }

 private:
  Batch element_;
  BatchSpec spec_;
};

class Range final : public DatasetImpl {
 public:
  Range(std::int64_t start, std::int64_t stop, std::int64_t step, DType dtype)
      : start_(start), step_(step), dtype_(dtype) {
    // Without overflow: the distance as an unsigned number.
    if (step > 0 ? start < stop : start > stop) {
      const auto low = static_cast<std::uint64_t>(std::min(start, stop));
      const auto high = static_cast<std::uint64_t>(std::max(start, stop));
      const std::uint64_t size =
          step > 0 ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
      count_ = static_cast<std::int64_t>((high - low - 1) / size + 1);
    }
  }
  BatchSpec element_spec() const override { return {.x = {{.shape = {}, .dtype = dtype_}}}; }
  Cardinality cardinality() const override { return count_; }
  Elements iterator(std::uint64_t /*pass*/) const override {
    return elements([left = count_, number = start_, step = step_, dtype = dtype_]() mutable -> std::optional<Batch> {
      if (left == 0) return std::nullopt;
      const Tensor x = Tensor::full({}, number, dtype);
      if (--left > 0) number += step;
      return Batch{.x = {x}};
    });
  }

 private:
  std::int64_t start_;
  std::int64_t step_;
  DType dtype_;
  std::int64_t count_ = 0;
};

std::string text_of(const TensorSpec& spec) {
  return fmt::format("{} {}", name_of(spec.dtype), spec.shape.to_string());
}

bool is_compatible(const Shape& pattern, const Shape& shape) {
  if (pattern.rank() != shape.rank()) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (pattern[axis] >= 0 && pattern[axis] != shape[axis]) return false;
  }
  return true;
}

void require_generated(const char* part, const std::vector<TensorSpec>& specs, const std::vector<Tensor>& tensors) {
  if (specs.size() != tensors.size()) {
    throw TypeError(
        fmt::format("`generator` yielded an element that did not match the expected structure. Expected {} tensors in "
                    "`{}`, but the yielded element has {}.",
                    specs.size(), part, tensors.size()));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (tensors[i].is_empty()) throw TypeError("`generator` yielded an element with an empty tensor.");
    if (tensors[i].dtype() != specs[i].dtype || !is_compatible(specs[i].shape, tensors[i].shape())) {
      throw TypeError(fmt::format("`generator` yielded an element of {} where an element of {} was expected.",
                                  text_of(tensors[i].spec()), text_of(specs[i])));
    }
  }
}

void require_generated(const BatchSpec& signature, const Batch& element) {
  require_generated("x", signature.x, element.x);
  require_generated("y", signature.y, element.y);
  require_generated("sample_weight", signature.sample_weight, element.sample_weight);
}

/// Gives the tensors of an element the names of the signature. Throws TypeError for others.
void take_names(const TensorNames& expected, TensorNames& names) {
  if (!names.is_empty() && !(names == expected)) {
    throw TypeError(fmt::format("`generator` yielded an element with the names {} where {} were expected.",
                                python_list(names.list()), python_list(expected.list())));
  }
  names = expected;
}

class Generated final : public DatasetImpl {
 public:
  Generated(ElementGenerator generator, BatchSpec signature)
      : generator_(std::move(generator)), signature_(std::move(signature)) {}
  BatchSpec element_spec() const override { return signature_; }
  Elements iterator(std::uint64_t /*pass*/) const override {
    return elements([next = generator_(), signature = signature_, is_over = false]() mutable -> std::optional<Batch> {
      if (is_over) return std::nullopt;
      std::optional<Batch> element = next();
      if (element) {
        require_generated(signature, *element);
        take_names(signature.x_names, element->x_names);
        take_names(signature.y_names, element->y_names);
      }
      is_over = !element;
      return element;
    });
  }

 private:
  ElementGenerator generator_;
  BatchSpec signature_;
};

class Zipped final : public DatasetImpl {
 public:
  explicit Zipped(ZippedDatasets sources) : sources_(std::move(sources)) {
    if (sources_.x.empty()) throw TypeError("`zip` needs at least one data set as x.");
  }

  BatchSpec element_spec() const override {
    auto spec = joined<BatchSpec>(sources_, [](const Dataset& source) { return flat_tensors(source.element_spec()); });
    spec.x_names = names_of(sources_.x);
    spec.y_names = names_of(sources_.y);
    return spec;
  }

  /// That of the smallest; infinite if all are, unknown if one of those that could be the smallest is.
  Cardinality cardinality() const override {
    Cardinality smallest = infinite_cardinality;
    for (const Dataset& source : flat_tensors(sources_)) {
      const Cardinality count = source.cardinality();
      if (!count) return count;
      if (*count != infinite_cardinality) {
        smallest = *smallest == infinite_cardinality ? *count : std::min(*smallest, *count);
      }
    }
    return smallest;
  }

  Elements iterator(std::uint64_t pass) const override {
    Iterators begun;
    for (const auto& [from, to] : {std::pair(&sources_.x, &begun.x), std::pair(&sources_.y, &begun.y),
                                   std::pair(&sources_.sample_weight, &begun.sample_weight)}) {
      for (const Dataset& source : *from) to->push_back(shared(source.iterator(pass)));
    }
    return elements([iterators = std::move(begun), x_names = names_of(sources_.x), y_names = names_of(sources_.y),
                     is_over = false]() mutable -> std::optional<Batch> {
      if (is_over) return std::nullopt;
      Batch element = joined<Batch>(iterators, [&](const std::shared_ptr<BatchIterator>& iterator) {
        // After the end of one, the later ones are not read.
        const std::optional<Batch> part = is_over ? std::nullopt : iterator->next();
        if (!part) is_over = true;
        return part ? flat_tensors(*part) : std::vector<Tensor>();
      });
      if (is_over) return std::nullopt;
      element.x_names = x_names;
      element.y_names = y_names;
      return element;
    });
  }

 private:
  /// Those of the elements of a single data set that consist of x.
  static TensorNames names_of(const std::vector<Dataset>& part) {
    if (part.size() != 1) return {};
    const BatchSpec spec = part.front().element_spec();
    return spec.y.empty() && spec.sample_weight.empty() ? spec.x_names : TensorNames();
  }

  struct Iterators {
    std::vector<std::shared_ptr<BatchIterator>> x;
    std::vector<std::shared_ptr<BatchIterator>> y;
    std::vector<std::shared_ptr<BatchIterator>> sample_weight;
  };

  template <class Result, class From, class Tensors>
  static Result joined(const From& from, const Tensors& tensors) {
    Result result;
    const auto append = [&](const auto& sources, auto& part) {
      for (const auto& source : sources) {
        const auto more = tensors(source);
        part.insert(part.end(), more.begin(), more.end());
      }
    };
    append(from.x, result.x);
    append(from.y, result.y);
    append(from.sample_weight, result.sample_weight);
    return result;
  }

  ZippedDatasets sources_;
};

class RandomNumbers final : public DatasetImpl {
 public:
  RandomNumbers(std::uint64_t seed, bool rerandomizes) : seed_(seed), rerandomizes_(rerandomizes) {}
  BatchSpec element_spec() const override { return {.x = {{.shape = {}, .dtype = DType::int64}}}; }
  Cardinality cardinality() const override { return infinite_cardinality; }
  Elements iterator(std::uint64_t pass) const override {
    return elements([numbers = random::PhiloxSequence(random::mix_key(seed_, rerandomizes_ ? pass : 0))]() mutable {
      const std::uint64_t number = numbers.next_below(std::uint64_t{1} << 32);
      return std::optional(Batch{.x = {Tensor::scalar(static_cast<std::int64_t>(number))}});
    });
  }

 private:
  std::uint64_t seed_;
  bool rerandomizes_;
};

}  // namespace

Pipeline from_tensors(const Tensor& x, const Tensor& y, const Tensor& sample_weight) {
  Batch element = {.x = {x}};
  if (!y.is_empty()) element.y = {y};
  if (!sample_weight.is_empty()) element.sample_weight = {sample_weight};
  return from_tensors(element);
}

Pipeline from_tensors(const Batch& element) {
  if (element.x.empty()) throw ValueError("`from_tensors` needs at least one tensor as x.");
  for (const Tensor& tensor : flat_tensors(element)) {
    if (!tensor.is_concrete()) throw ValueError("`from_tensors` needs tensors with values, but got an empty tensor.");
  }
  return pipeline<SingleElement>(element);
}

Pipeline range(std::int64_t stop, const RangeOptions& options) { return range(0, stop, 1, options); }

Pipeline range(std::int64_t start, std::int64_t stop, std::int64_t step, const RangeOptions& options) {
  if (step == 0) throw InvalidArgumentError("step must be a non-zero integer.");
  return pipeline<Range>(start, stop, step, options.output_type);
}

Pipeline from_generator(const ElementGenerator& generator, const BatchSpec& output_signature) {
  return pipeline<Generated>(generator, output_signature);
}

Pipeline zip(const Dataset& x, const Dataset& y) { return zip({.x = {x}, .y = {y}}); }

Pipeline zip(const Dataset& x, const Dataset& y, const Dataset& sample_weight) {
  return zip({.x = {x}, .y = {y}, .sample_weight = {sample_weight}});
}

Pipeline zip(const ZippedDatasets& datasets) { return pipeline<Zipped>(datasets); }

Pipeline random(const RandomOptions& options) {
  const std::uint64_t seed = options.seed ? static_cast<std::uint64_t>(*options.seed) : context().next_seed();
  return pipeline<RandomNumbers>(seed, options.rerandomize_each_iteration);
}

}  // namespace rhyton::datasets
