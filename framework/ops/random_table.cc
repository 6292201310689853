#include <cstdint>
#include <memory>
#include <string_view>

#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/random_variates.h>

namespace rhyton {
namespace {

template <RandomOp::Distribution distribution>
OpEntry drawn(std::string_view name) {
  return {name, 1, 1, [](const OpDescription& op) -> OpPtr {
            const Shape shape = op.attributes.shape("shape");
            const std::uint64_t key = op.attributes.key("key");
            const double first = op.attributes.number("first");
            const double second = op.attributes.number("second");
            return std::make_shared<const RandomOp>(distribution, shape, key, first, second,
                                                    op.attributes.dtype("dtype"));
          }};
}

template <RandomVariateOp::Distribution distribution>
OpEntry variates(std::string_view name, std::size_t inputs) {
  return {name, inputs, inputs, [](const OpDescription& op) -> OpPtr {
            return std::make_shared<const RandomVariateOp>(distribution, op.attributes.key("key"));
          }};
}

}  // namespace

OpTable random_table() {
  return {
      drawn<RandomOp::Distribution::uniform>("RandomUniform"),
      drawn<RandomOp::Distribution::normal>("RandomNormal"),
      drawn<RandomOp::Distribution::truncated_normal>("TruncatedNormal"),
      {"RandomUniformLike", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         const std::uint64_t key = op.attributes.key("key");
         return std::make_shared<const RandomUniformLikeOp>(key, op.attributes.length("first_sample"));
       }},
      variates<RandomVariateOp::Distribution::gamma>(RandomVariateOp(RandomVariateOp::Distribution::gamma, 0).name(),
                                                     2),
      variates<RandomVariateOp::Distribution::binomial>(
          RandomVariateOp(RandomVariateOp::Distribution::binomial, 0).name(), 3),
  };
}

}  // namespace rhyton
