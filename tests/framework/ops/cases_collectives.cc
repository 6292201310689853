#include <memory>

#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/overlapped_reductions.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

/// A group with one member, whose sums are the tensors themselves; collectives_test.cc has larger ones.
Inputs all_reduce_alone(const Inputs& x) {
  return rhyton::apply(std::make_shared<const AllReduceOp>(distribute::ReplicaGroup::make(1)->member(0)), x);
}

/// The same in two halves, the second after another sum has begun.
Inputs all_reduce_in_halves_alone(const Inputs& x) {
  const std::shared_ptr<Communicator> alone = distribute::ReplicaGroup::make(1)->member(0);
  Inputs begun = rhyton::apply(std::make_shared<const BeginAllReduceOp>(alone, /*follows_another=*/false), x);
  const Inputs next = rhyton::apply(std::make_shared<const BeginAllReduceOp>(alone, /*follows_another=*/true),
                                    Inputs{x[0], begun.back()});
  begun.push_back(next.back());
  return rhyton::apply(std::make_shared<const FinishAllReduceOp>(alone), begun);
}

}  // namespace

std::vector<Case> collective_cases() {
  return {
      {.name = "all_reduce",
       .call = all_reduce_alone,
       .inputs = {{.shape = {4, 3}}},
       .also = {DType::float16, DType::bfloat16, DType::int32, DType::int64}},
      {.name = "all_reduce_many",
       .call = all_reduce_alone,
       .inputs = {{.shape = {3}}, {.shape = {}}, {.shape = {2, 5}}}},
      {.name = "all_reduce_in_halves",
       .call = all_reduce_in_halves_alone,
       .inputs = {{.shape = {3}}, {.shape = {}}, {.shape = {2, 5}}},
       .derivatives = 0,
       .also = {DType::float16, DType::bfloat16, DType::int32, DType::int64}},
  };
}

}  // namespace rhyton::conformance
