#include <rhyton/framework/backends/gpu/updates/grouped_updates.h>

#include <string>
#include <string_view>

#include <rhyton/framework/backends/gpu/primitives/block_shares.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/updates/update_rules.h>
#include <rhyton/framework/error.h>

namespace rhyton::gpu {
namespace {

constexpr int threads = 256;

/// One variable with its slots, each of which may be updated in place.
template <class T, int renewed>
struct UpdatedVariable {
  const T* from[renewed];
  T* to[renewed];
  const T* gradient;
  std::int64_t size;
};

/// The scalars in the device's memory that all updates of a launch read.
struct Scalars {
  const void* learning_rate;
  bool rate_is_float;
  /// Null for rules that do not use them.
  const std::int64_t* iterations;
  const void* product;
};

template <class T, int width, class Rule>
__device__ void update_pack(const UpdatedVariable<T, Rule::renewed>& variable, std::int64_t at, const Rule& rule,
                            const typename Rule::Rates& rates) {
  Pack<T, width> packs[Rule::renewed];
  for (int i = 0; i < Rule::renewed; ++i) packs[i] = *reinterpret_cast<const Pack<T, width>*>(variable.from[i] + at);
  const auto gradients = *reinterpret_cast<const Pack<T, width>*>(variable.gradient + at);
  for (int k = 0; k < width; ++k) {
    Computed<T> values[Rule::renewed];
    for (int i = 0; i < Rule::renewed; ++i) values[i] = number(packs[i].values[k]);
    rule(values, number(gradients.values[k]), rates);
    for (int i = 0; i < Rule::renewed; ++i) packs[i].values[k] = element<T>(values[i]);
  }
  for (int i = 0; i < Rule::renewed; ++i) store_whole(variable.to[i] + at, packs[i]);
}

template <class T, int renewed>
__device__ bool begin_packs(const UpdatedVariable<T, renewed>& variable) {
  constexpr std::size_t bytes = sizeof(Pack<T, pack_width<T>>);
  bool all = begins_pack(variable.gradient, bytes);
  for (int i = 0; i < renewed; ++i) {
    all = all && begins_pack(variable.from[i], bytes) && begins_pack(variable.to[i], bytes);
  }
  return all;
}

template <class T, class Rule, int maximum>
__global__ void __launch_bounds__(threads)
    update(BlockShares<UpdatedVariable<T, Rule::renewed>, maximum> shares, Rule rule, Scalars scalars) {
  __shared__ typename Rule::Rates shared_rates;
  if (threadIdx.x == 0) {
    rhyton::updates::Step<Computed<T>> step{};
    step.learning_rate = scalars.rate_is_float
                             ? static_cast<Computed<T>>(*static_cast<const float*>(scalars.learning_rate))
                             : number(*static_cast<const T*>(scalars.learning_rate));
    if (scalars.iterations != nullptr) step.iterations = *scalars.iterations;
    if (scalars.product != nullptr) step.product = number(*static_cast<const T*>(scalars.product));
    shared_rates = rule.rates(step);
  }
  __syncthreads();
  const typename Rule::Rates rates = shared_rates;

  const int part = shares.part_of(blockIdx.x);
  const UpdatedVariable<T, Rule::renewed>& variable = shares.parts[part];
  const std::int64_t begin = shares.first_element(blockIdx.x, part);
  const std::int64_t end = begin + shares.per_block < variable.size ? begin + shares.per_block : variable.size;

  constexpr int width = pack_width<T>;
  const bool has_packs = begin_packs(variable);
  for (std::int64_t at = begin + static_cast<int>(threadIdx.x) * width; at < end; at += threads * width) {
    if (has_packs && at + width <= end) {
      update_pack<T, width>(variable, at, rule, rates);
    } else {
      for (std::int64_t i = at; i < end && i < at + width; ++i) update_pack<T, 1>(variable, i, rule, rates);
    }
  }
}

/// At most `maximum` updates in one launch.
template <class T, class Rule, int maximum>
void launch_updates(GpuStream& stream, std::span<const KernelArguments> updates, const Rule& rule) {
  constexpr auto renewed = static_cast<std::size_t>(Rule::renewed);
  std::int64_t total = 0;
  for (const KernelArguments& update : updates) total += update.outputs[0].size();

  BlockShares<UpdatedVariable<T, Rule::renewed>, maximum> shares;
  shares.per_block = elements_per_block(total, threads * pack_width<T>);
  for (const KernelArguments& update : updates) {
    const std::int64_t size = update.outputs[0].size();
    if (size == 0) continue;
    UpdatedVariable<T, Rule::renewed> variable;
    for (std::size_t i = 0; i < renewed; ++i) {
      variable.from[i] = update.inputs[i].as<const T>();
      variable.to[i] = update.outputs[i].as<T>();
    }
    variable.gradient = update.inputs[renewed].as<const T>();
    variable.size = size;
    shares.add(variable, size);
  }
  if (shares.blocks == 0) return;

  const auto& op = static_cast<const OptimizerUpdateOp&>(*updates[0].op);
  const TensorView& rate = updates[0].inputs[renewed + 1];
  const Scalars scalars = {
      rate.data, rate.spec.dtype == DType::float32,
      op.takes_iterations() ? updates[0].inputs[renewed + 2].template as<const std::int64_t>() : nullptr,
      op.takes_product() ? updates[0].inputs[renewed + 3].data : nullptr};
  launch(stream, "OptimizerUpdate", {dim3(shares.blocks), dim3(threads)}, &update<T, Rule, maximum>, shares, rule,
         scalars);
}

template <class T, class Rule>
void run_rule(GpuStream& stream, std::span<const KernelArguments> updates, const Rule& rule) {
  constexpr int maximum = max_parts<UpdatedVariable<T, Rule::renewed>>;
  // A call for one variable should not pass an empty table.
  if (updates.size() == 1) return launch_updates<T, Rule, 1>(stream, updates, rule);
  for (std::size_t first = 0; first < updates.size(); first += maximum) {
    const std::size_t count = std::min<std::size_t>(maximum, updates.size() - first);
    launch_updates<T, Rule, maximum>(stream, updates.subspan(first, count), rule);
  }
}

template <class T, class Rule>
bool run_if_rule(GpuStream& stream, std::span<const KernelArguments> updates) {
  const auto* const op = dynamic_cast<const typename Rule::UpdateOp*>(updates[0].op);
  if (op == nullptr) return false;
  run_rule<T>(stream, updates, SharedRule<Computed<T>, Rule>(*op));
  return true;
}

template <class T, class... Rule>
bool run_shared_rule(GpuStream& stream, std::span<const KernelArguments> updates,
                     rhyton::updates::Rules<Rule...> /*list*/) {
  return (run_if_rule<T, Rule>(stream, updates) || ...);
}

template <class T>
void run_updates(GpuStream& stream, std::span<const KernelArguments> updates) {
  using Number = Computed<T>;
  const Op& any = *updates[0].op;
  if (const auto* sgd = dynamic_cast<const SgdUpdateOp*>(&any)) {
    run_rule<T>(stream, updates, SgdRule<Number>(*sgd));
  } else if (const auto* momentum = dynamic_cast<const SgdMomentumUpdateOp*>(&any)) {
    run_rule<T>(stream, updates, SgdMomentumRule<Number>(*momentum));
  } else if (const auto* adam = dynamic_cast<const AdamUpdateOp*>(&any)) {
    if (adam->amsgrad()) return run_rule<T>(stream, updates, AdamRule<Number, true>(*adam));
    run_rule<T>(stream, updates, AdamRule<Number, false>(*adam));
  } else if (!run_shared_rule<T>(stream, updates, rhyton::updates::AllRules<Number>())) {
    const auto& op = static_cast<const RMSpropUpdateOp&>(any);
    if (op.rates().momentum > 0) {
      if (op.rates().centered) return run_rule<T>(stream, updates, RMSpropRule<Number, true, true>(op));
      return run_rule<T>(stream, updates, RMSpropRule<Number, true, false>(op));
    }
    if (op.rates().centered) return run_rule<T>(stream, updates, RMSpropRule<Number, false, true>(op));
    run_rule<T>(stream, updates, RMSpropRule<Number, false, false>(op));
  }
}

}  // namespace

bool can_share_launch(const KernelArguments& a, const KernelArguments& b) {
  if (a.op->name() != b.op->name() || a.inputs.size() != b.inputs.size() ||
      a.inputs[0].spec.dtype != b.inputs[0].spec.dtype || a.op->attributes() != b.op->attributes()) {
    return false;
  }
  const auto renewed = static_cast<std::size_t>(static_cast<const OptimizerUpdateOp&>(*a.op).slots()) + 1;
  for (std::size_t i = renewed + 1; i < a.inputs.size(); ++i) {
    if (a.inputs[i].data != b.inputs[i].data || a.inputs[i].spec != b.inputs[i].spec) return false;
  }
  return true;
}

void run_grouped_updates(GpuStream& stream, std::span<const KernelArguments> updates) {
  if (updates.empty()) return;
  const DType dtype = updates[0].inputs[0].spec.dtype;
  switch (dtype) {
    case DType::float32:
      return run_updates<float>(stream, updates);
    case DType::float64:
      return run_updates<double>(stream, updates);
    case DType::float16:
      return run_updates<Half>(stream, updates);
    case DType::bfloat16:
      return run_updates<BFloat16>(stream, updates);
    default:
      throw InvalidArgumentError("Variables of " + std::string(name_of(dtype)) + " cannot be updated.");
  }
}

}  // namespace rhyton::gpu
