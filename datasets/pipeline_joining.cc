// Steps of pipelines that number, select, append and add up elements.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>

namespace rhyton::datasets {
namespace {

/// Shapes of both; throws TypeError where ranks are equal and dtypes or numbers of tensors are not.
std::vector<TensorSpec> common_specs(const std::vector<TensorSpec>& a, const std::vector<TensorSpec>& b) {
  const auto text = [](const std::vector<TensorSpec>& specs) {
    std::string all;
    for (const TensorSpec& spec : specs) {
      all += (all.empty() ? "" : ", ") + fmt::format("{} {}", name_of(spec.dtype), spec.shape.to_string());
    }
    return "[" + all + "]";
  };
  bool fits = a.size() == b.size();
  std::vector<TensorSpec> common = a;
  for (std::size_t i = 0; fits && i < a.size(); ++i) {
    fits = a[i].dtype == b[i].dtype && a[i].shape.rank() == b[i].shape.rank();
    if (fits) common[i].shape = common_lengths(a[i].shape, b[i].shape);
  }
  if (!fits) throw TypeError(fmt::format("Incompatible dataset elements:\n  {} vs.   {}", text(a), text(b)));
  return common;
}

/// The names of the tensors of x and y.
std::vector<std::string> flat_names(const BatchSpec& spec) {
  std::vector<std::string> names = spec.x_names.list();
  names.insert(names.end(), spec.y_names.list().begin(), spec.y_names.list().end());
  return names;
}

class Concatenated final : public Stage {
 public:
  Concatenated(const Dataset& first, Dataset second) : Stage(first), second_(std::move(second)) {
    const BatchSpec a = first.element_spec();
    const BatchSpec b = second_.element_spec();
    spec_ = {.x = common_specs(a.x, b.x),
             .y = common_specs(a.y, b.y),
             .sample_weight = common_specs(a.sample_weight, b.sample_weight),
             .x_names = a.x_names,
             .y_names = a.y_names};
    if (!(a.x_names == b.x_names && a.y_names == b.y_names)) {
      throw TypeError(fmt::format("Incompatible dataset elements: their tensors have the names {} and {}.",
                                  python_list(flat_names(a)), python_list(flat_names(b))));
    }
  }

  BatchSpec element_spec() const override { return spec_; }

  Cardinality cardinality() const override {
    const Cardinality a = source().cardinality();
    const Cardinality b = second_.cardinality();
    if (a == infinite_cardinality || b == infinite_cardinality) return infinite_cardinality;
    return a && b ? Cardinality(*a + *b) : std::nullopt;
  }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), second = second_, is_first = true,
                     pass]() mutable -> std::optional<Batch> {
      std::optional<Batch> element = from->next();
      if (element || !is_first) return element;
      is_first = false;
      from = shared(second.iterator(pass));
      return from->next();
    });
  }

 private:
  Dataset second_;
  BatchSpec spec_;
};

class Enumerated final : public Stage {
 public:
  Enumerated(const Dataset& source, std::int64_t start) : Stage(source), start_(start) {}

  BatchSpec element_spec() const override {
    return {.x = {{.shape = {}, .dtype = DType::int64}}, .y = flat_tensors(source().element_spec())};
  }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), number = start_]() mutable -> std::optional<Batch> {
      const std::optional<Batch> element = from->next();
      if (!element) return std::nullopt;
      return Batch{.x = {Tensor::scalar(number++)}, .y = flat_tensors(*element)};
    });
  }

 private:
  std::int64_t start_;
};

class Shard final : public Stage {
 public:
  Shard(const Dataset& source, std::int64_t num_shards, std::int64_t index)
      : Stage(source), num_shards_(num_shards), index_(index) {}

  Cardinality cardinality() const override {
    const Cardinality count = source().cardinality();
    if (!count || *count == infinite_cardinality) return count;
    return *count / num_shards_ + (index_ < *count % num_shards_ ? 1 : 0);
  }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), skipped = index_,
                     shards = num_shards_]() mutable -> std::optional<Batch> {
      for (; skipped > 0; --skipped) {
        if (!from->next()) return std::nullopt;
      }
      skipped = shards - 1;
      return from->next();
    });
  }

 private:
  std::int64_t num_shards_;
  std::int64_t index_;
};

void require_state(const Batch& before, const Batch& state) {
  const auto dtypes = [](const Batch& batch) {
    std::vector<std::string> names;
    for (const auto part : {&Batch::x, &Batch::y, &Batch::sample_weight}) {
      for (const Tensor& tensor : batch.*part) {
        names.emplace_back(tensor.is_empty() ? "an empty tensor" : name_of(tensor.dtype()));
      }
      names.emplace_back("|");
    }
    return names;
  };
  const std::vector<std::string> expected = dtypes(before);
  const std::vector<std::string> given = dtypes(state);
  if (expected == given) return;
  throw TypeError(fmt::format(
      "The element types for the new state must match the initial state. Expected ({}) but got ({}).",
      fmt::join(expected.begin(), expected.end() - 1, " "), fmt::join(given.begin(), given.end() - 1, " ")));
}

}  // namespace

Pipeline Pipeline::concatenate(const Dataset& other) const { return pipeline<Concatenated>(*this, other); }

Pipeline Pipeline::enumerate(std::int64_t start) const { return pipeline<Enumerated>(*this, start); }

Pipeline Pipeline::shard(std::int64_t num_shards, std::int64_t index) const {
  if (num_shards < 1) {
    throw InvalidArgumentError(
        fmt::format("Number of shards must be greater than zero (currently num_shards = {}).", num_shards));
  }
  if (index < 0 || index >= num_shards) {
    throw InvalidArgumentError(
        fmt::format("Index must be between 0 and {} (currently index = {}).", num_shards - 1, index));
  }
  return pipeline<Shard>(*this, num_shards, index);
}

Batch Pipeline::reduce(const Batch& initial_state,
                       const std::function<Batch(const Batch& state, const Batch& element)>& function) const {
  Batch state = initial_state;
  const Elements all = iterator();
  while (const std::optional<Batch> element = all->next()) {
    Batch next = function(state, *element);
    require_state(state, next);
    state = std::move(next);
  }
  return state;
}

}  // namespace rhyton::datasets
