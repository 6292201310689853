#include <string>
#include <vector>

#include <rhyton/framework/ops/attention.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

/// The lengths of a case: 3 samples.
struct Lengths {
  std::int64_t queries = 4;
  std::int64_t keys = 5;
  std::int64_t heads = 2;
  std::int64_t key_heads = 2;
  std::int64_t size = 3;
  std::int64_t value_size = 3;
};

enum class Hidden { none, some_keys, whole_rows };

struct Parts {
  Shape bias = {};
  Shape mask = {};
  Hidden hidden = Hidden::none;
};

Case attention_case(const std::string& name, const Lengths& lengths, const AttentionAttributes& attributes,
                    const Parts& parts = {}) {
  const std::int64_t batch = 3;
  Case result;
  result.name = "attention_" + name;
  const auto add = [&](const Shape& shape) {
    result.inputs.push_back({.shape = shape, .lowest = -1.2, .highest = 1.2});
  };
  add({batch, lengths.queries, lengths.heads, lengths.size});
  add({batch, lengths.keys, lengths.key_heads, lengths.size});
  add({batch, lengths.keys, lengths.key_heads, lengths.value_size});
  const bool has_bias = parts.bias.rank() > 0;
  const bool has_mask = parts.mask.rank() > 0;
  if (has_bias) add(parts.bias);
  if (has_mask) {
    Input mask{.shape = parts.mask, .dtype = DType::bool_};
    const std::int64_t row = parts.mask[3];
    for (std::int64_t i = 0; i < parts.mask.size(); ++i) {
      const bool in_hidden_row = parts.hidden == Hidden::whole_rows && i / row % 2 == 0;
      mask.values.push_back(in_hidden_row || (i % row > 0 && i * 7 % 3 == 0) ? 0 : 1);
    }
    result.inputs.push_back(mask);
  }
  result.call = [=](const Inputs& x) {
    std::size_t next = 3;
    AttentionTensors tensors{.query = x[0], .key = x[1], .value = x[2]};
    if (has_bias) tensors.bias = x[next++];
    if (has_mask) tensors.mask = x[next++];
    if (attributes.dropout.rate > 0) tensors.draw = Tensor::scalar(std::int64_t{3});
    return one(attention(tensors, attributes));
  };
  result.tolerance = 4e-6;
  result.half_tolerance = 8.0;
  // Numbers of float64 are others than those of float32.
  result.compares_precisions = result.compares_gradients = attributes.dropout.rate == 0;
  return result;
}

}  // namespace

std::vector<Case> attention_cases() {
  const AttentionAttributes plain{.scale = 0.6};
  const AttentionAttributes causal{.scale = 0.6, .is_causal = true};
  const AttentionAttributes zero{.scale = 0.6, .zero_where_hidden = true};
  const AttentionAttributes limited{.scale = 0.9, .is_causal = true, .soft_cap = 0.8};
  const AttentionAttributes dropping{.scale = 0.6, .dropout = {.rate = 0.4, .key = 17, .first_sample = 2}};
  return {
      attention_case("plain", {}, plain),
      attention_case("one_query", {.queries = 1}, plain),
      attention_case("one_key", {.keys = 1}, plain),
      attention_case("one_of_all", {.queries = 1, .keys = 1, .heads = 1, .key_heads = 1, .size = 1, .value_size = 1},
                     plain),
      attention_case("no_query", {.queries = 0}, plain),
      attention_case("no_key", {.keys = 0}, plain),
      attention_case("no_head", {.heads = 0, .key_heads = 0}, plain),
      attention_case("value_size", {.size = 2, .value_size = 5}, plain),
      attention_case("grouped", {.heads = 4}, causal),
      attention_case("one_key_head", {.heads = 3, .key_heads = 1}, plain),
      attention_case("causal", {}, causal),
      attention_case("causal_more_queries", {.queries = 6, .keys = 3}, causal),
      attention_case("limited", {}, limited),
      attention_case("padding_mask", {}, plain, {.mask = {3, 1, 1, 5}, .hidden = Hidden::some_keys}),
      attention_case("mask_of_heads", {}, causal, {.mask = {1, 2, 4, 5}, .hidden = Hidden::some_keys}),
      attention_case("mask_of_queries", {}, plain, {.mask = {3, 1, 4, 1}, .hidden = Hidden::whole_rows}),
      attention_case("hidden_rows", {}, causal, {.mask = {3, 1, 4, 5}, .hidden = Hidden::whole_rows}),
      attention_case("hidden_rows_are_zero", {}, zero, {.mask = {3, 1, 4, 5}, .hidden = Hidden::whole_rows}),
      attention_case("bias", {}, plain, {.bias = {1, 2, 1, 5}}),
      attention_case("bias_and_mask", {.heads = 4}, limited,
                     {.bias = {3, 4, 4, 5}, .mask = {3, 1, 4, 5}, .hidden = Hidden::whole_rows}),
      attention_case("dropout", {}, dropping),
      attention_case("dropout_hidden_rows", {.heads = 4}, dropping,
                     {.mask = {3, 1, 4, 5}, .hidden = Hidden::whole_rows}),
  };
}

}  // namespace rhyton::conformance
