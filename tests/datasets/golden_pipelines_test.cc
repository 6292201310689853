// Chains of steps compared with what tf.data gives for them: tests/golden/make_pipelines.py draws them at random.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_sources.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/datasets/windows.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::datasets {
namespace {

using io::Json;

std::int64_t number_in(const Tensor& x) { return x.data<std::int64_t>()[0]; }

/// Python's remainder, which is not negative.
std::int64_t remainder_of(std::int64_t number, std::int64_t divisor) {
  return ((number % divisor) + divisor) % divisor;
}

Tensor filled(std::int64_t length, const Tensor& x) { return Tensor::full({length}, number_in(x), DType::int64); }

ElementFunction map_function(const std::string& name) {
  if (name == "double") return [](const Tensor& x) { return x * 2; };
  if (name == "fill") return [](const Tensor& x) { return filled(remainder_of(number_in(x), 4), x); };
  if (name == "fill_some") return [](const Tensor& x) { return filled(remainder_of(number_in(x), 5) + 1, x); };
  if (name == "pair") return [](const Tensor& x) { return std::pair(x, x * 3); };
  if (name == "join") return [](const Tensor& x, const Tensor& y) { return x * 10 + y; };
  throw NotFoundError(name);
}

FunctionOfElements<Pipeline> nested_function(const std::string& name) {
  if (name == "range") return [](const Tensor& x) { return range(remainder_of(number_in(x), 4)); };
  if (name == "repeat") {
    return [](const Tensor& x) { return from_tensors(x).repeat(remainder_of(number_in(x), 3) + 1); };
  }
  if (name == "count_from") return [](const Tensor& x) { return range(number_in(x) * 10, number_in(x) * 10 + 3); };
  throw NotFoundError(name);
}

/// The arguments of a step.
class Step {
 public:
  explicit Step(const Json& step) : step_(step) {}
  std::string name() const { return step_[0].as_string(); }
  std::size_t count() const { return step_.size() - 1; }
  const Json& operator[](std::size_t i) const { return step_[i + 1]; }
  std::int64_t number(std::size_t i) const { return (*this)[i].as_int(); }
  std::string text(std::size_t i) const { return (*this)[i].as_string(); }
  bool flag(std::size_t i) const { return (*this)[i].as_bool(); }
  std::vector<std::int64_t> numbers(std::size_t i) const {
    std::vector<std::int64_t> all;
    for (const Json& value : (*this)[i]) all.push_back(value.is_null() ? -1 : value.as_int());
    return all;
  }

 private:
  const Json& step_;
};

Pipeline counted_by(const Step& step) {
  if (step.count() == 1) return range(step.number(0));
  return range(step.number(0), step.number(1), step.count() == 3 ? step.number(2) : 1);
}

Windows windows_by(const Pipeline& data, const Step& step) {
  return data.window(step.number(0),
                     {.shift = step.number(1), .stride = step.number(2), .drop_remainder = step.flag(3)});
}

Pipeline padded_by(const Pipeline& data, const Step& step) {
  PipelinePaddedBatchOptions options = {.padded_shapes = {.x = {Shape(step.numbers(1))}},
                                        .drop_remainder = step.flag(3)};
  if (!step[2].is_null()) options.padding_values.x = {Scalar(step.number(2))};
  return data.padded_batch(step.number(0), options);
}

using Apply = std::function<Pipeline(const Pipeline& data, const Step& step)>;

const std::map<std::string, Apply>& steps_by_name() {
  static const std::map<std::string, Apply> steps = {
      {"take", [](const Pipeline& d, const Step& s) { return d.take(s.number(0)); }},
      {"skip", [](const Pipeline& d, const Step& s) { return d.skip(s.number(0)); }},
      {"repeat", [](const Pipeline& d, const Step& s) { return d.repeat(s.number(0)); }},
      {"shard", [](const Pipeline& d, const Step& s) { return d.shard(s.number(0), s.number(1)); }},
      {"enumerate", [](const Pipeline& d, const Step& s) { return d.enumerate(s.number(0)); }},
      {"unbatch", [](const Pipeline& d, const Step&) { return d.unbatch(); }},
      {"concatenate", [](const Pipeline& d, const Step& s) { return d.concatenate(range(s.number(0))); }},
      {"zip", [](const Pipeline& d, const Step& s) { return zip(d, range(s.number(0))); }},
      {"batch", [](const Pipeline& d, const Step& s) { return d.batch(s.number(0), {.drop_remainder = s.flag(1)}); }},
      {"filter_even",
       [](const Pipeline& d, const Step&) { return d.filter([](const Tensor& x) { return number_in(x) % 2 == 0; }); }},
      {"map",
       [](const Pipeline& d, const Step& s) {
         const BatchSpec open = {.x = {{{-1}, DType::int64}}};
         const bool is_open = s.text(0).starts_with("fill");
         return d.map(map_function(s.text(0)), {.output_signature = is_open ? std::optional(open) : std::nullopt});
       }},
      {"parallel_map",
       [](const Pipeline& d, const Step& s) {
         const BatchSpec open = {.x = {{{-1}, DType::int64}}};
         const bool is_open = s.text(0).starts_with("fill");
         return d.map(map_function(s.text(0)), {.num_parallel_calls = s.number(1),
                                                .output_signature = is_open ? std::optional(open) : std::nullopt});
       }},
      {"prefetch", [](const Pipeline& d, const Step& s) { return d.prefetch(s.number(0)); }},
      {"cache", [](const Pipeline& d, const Step&) { return d.cache(); }},
      {"flat_map", [](const Pipeline& d, const Step& s) { return d.flat_map(nested_function(s.text(0))); }},
      {"interleave",
       [](const Pipeline& d, const Step& s) {
         return d.interleave(nested_function(s.text(0)), {.cycle_length = s.number(1), .block_length = s.number(2)});
       }},
      {"window",
       [](const Pipeline& d, const Step& s) {
         return windows_by(d, s).flat_map([size = s.number(0)](const Pipeline& w) { return w.batch(size); });
       }},
      {"window_sizes",
       [](const Pipeline& d, const Step& s) {
         return windows_by(d, s).flat_map(
             [](const Pipeline& w) { return from_tensors(Tensor::scalar(*w.cardinality())); });
       }},
      {"window_pairs",
       [](const Pipeline& d, const Step& s) {
         return windows_by(d, s).flat_map(
             [size = s.number(0)](const Pipeline& x, const Pipeline& y) { return zip(x.batch(size), y.batch(size)); });
       }},
      {"window_interleave",
       [](const Pipeline& d, const Step& s) {
         return windows_by(d, s).interleave([](const Pipeline& w) { return w; },
                                            {.cycle_length = s.number(4), .block_length = s.number(5)});
       }},
      {"padded_batch", padded_by},
      {"bucket",
       [](const Pipeline& d, const Step& s) {
         PipelineBucketOptions options = {.pad_to_bucket_boundary = s.flag(2), .drop_remainder = s.flag(3)};
         if (options.pad_to_bucket_boundary) options.padded_shapes.x = {{-1}};
         return d.bucket_by_sequence_length([](const Tensor& x) { return x.shape()[0]; }, s.numbers(0), s.numbers(1),
                                            options);
       }},
  };
  return steps;
}

Pipeline built(const Json& golden) {
  std::optional<Pipeline> data;
  for (const Json& json : golden["steps"]) {
    const Step step(json);
    data = data ? steps_by_name().at(step.name())(*data, step) : counted_by(step);
  }
  return *data;
}

/// "[2, 3] 1 2 3 4 5 6; ": shape and values of each tensor.
std::string text_of(const Batch& element) {
  std::string text;
  for (const Tensor& tensor : flat_tensors(element)) {
    text += tensor.shape().to_string();
    for (const double value : tensor.to_vector()) text += " " + std::to_string(static_cast<std::int64_t>(value));
    text += "; ";
  }
  return text;
}

std::string text_of(const Json& element) {
  std::string text;
  for (const Json& part : element) {
    std::vector<std::int64_t> lengths;
    for (const Json& length : part["shape"]) lengths.push_back(length.as_int());
    text += Shape(lengths).to_string();
    for (const Json& value : part["values"]) text += " " + std::to_string(value.as_int());
    text += "; ";
  }
  return text;
}

/// What a pass gives, as text; "error" at the end for an exception.
std::vector<std::string> outcome_of(const Pipeline& data) {
  std::vector<std::string> all;
  try {
    const auto elements = data.iterator(0);
    while (const std::optional<Batch> element = elements->next()) all.push_back(text_of(*element));
  } catch (const InvalidArgumentError&) {
    all.emplace_back("error");
  }
  return all;
}

TEST(GoldenPipelines, GiveTheElementsOfTfData) {
  const test::GoldenArea area("pipelines");
  for (const Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string() + ": " + golden["steps"].dump());
    const Pipeline data = built(golden);
    // TensorFlow's -1 is infinite and -2 unknown. It knows the size of full batches before a pass.
    const bool has_full_batches = golden["steps"].dump().find("\"unbatch\"") != std::string::npos;
    if (data.cardinality() || !has_full_batches) {
      EXPECT_EQ(data.cardinality().value_or(-2), golden["cardinality"].as_int());
    }
    std::vector<std::string> expected;
    for (const Json& element : golden["elements"]) expected.push_back(text_of(element));
    if (golden.contains("error")) expected.emplace_back("error");
    const Pipeline first_elements = data.take(30);
    EXPECT_EQ(outcome_of(first_elements), expected);
    EXPECT_EQ(outcome_of(first_elements), expected) << "in a second pass";
  }
}

}  // namespace
}  // namespace rhyton::datasets
