#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <rhyton/framework/device/stream.h>
#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// A contiguous tensor, or a contiguous range of samples of one, as a kernel argument.
struct TensorView {
  void* data = nullptr;
  TensorSpec spec;

  const Shape& shape() const { return spec.shape; }
  std::int64_t size() const { return spec.shape.size(); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

/// One call of a kernel. Inputs and outputs that carry the batch contain only the samples of this call, on a shorter
/// first axis; elementwise ops and concatenations may be cut on a later one. A sample is one row of the first axis
/// here.
struct KernelArguments {
  const Op* op = nullptr;
  /// The stream that the work is submitted to; null on the CPU, where it is complete when the kernel returns.
  Stream* stream = nullptr;
  std::span<const TensorView> inputs;
  std::span<const TensorView> outputs;
  /// Scratch memory of the size that `workspace_bytes` returned: 64-byte aligned on the CPU, 256-byte aligned on GPUs,
  /// where libraries require it.
  void* workspace = nullptr;
  /// The copy that `pack` made from the inputs that carry no batch, once per run.
  const void* packed = nullptr;
  /// The position in the whole batch of the first sample of this call.
  std::int64_t first_sample = 0;
  /// For outputs that sum over the batch: add to them instead of overwriting them.
  bool accumulate = false;
  /// The index of the piece of the outputs to compute, and the number of pieces; 1 for kernels without
  /// `Kernel::pieces`.
  std::int64_t piece = 0;
  std::int64_t pieces = 1;

  template <class O>
  const O& attributes() const {
    return static_cast<const O&>(*op);
  }
};

/// HOW an op is computed for one dtype on one type of device: plain functions.
struct Kernel {
  using Specs = std::span<const TensorSpec>;

  void (*run)(const KernelArguments&) = nullptr;
  /// Scratch bytes for one call with inputs and outputs of these specs.
  std::size_t (*workspace_bytes)(const Op&, Specs inputs, Specs outputs) = nullptr;
  /// Bytes of the packed copy of inputs that carry no batch (weights in another layout, no vectors), and the function
  /// that fills it (`arguments.workspace` is the destination; inputs that carry the batch have no data).
  std::size_t (*packed_bytes)(const Op&, Specs inputs, Specs outputs) = nullptr;
  void (*pack)(const KernelArguments&) = nullptr;
  /// The number of independent pieces in which the kernel can compute whole outputs, each run with a number of its own:
  /// for ops that cannot be sliced along the first axis of their inputs, or whose batch has too few samples to be
  /// sliced. 0 or 1 where it cannot; an op is then divided along the first axis if it may be. A function of op and
  /// specs alone.
  std::int64_t (*pieces)(const Op&, Specs inputs, Specs outputs) = nullptr;
  /// The number of samples from which on a call takes about the same time for each sample: slices should not have
  /// fewer. Null: one. A function of op and specs alone.
  std::int64_t (*least_samples)(const Op&, Specs inputs, Specs outputs) = nullptr;
  /// The number of samples that a chunk should have even where its intermediate results then do not stay in a core's
  /// cache: for kernels that read their weights again in each call, or for each step of a sequence. The plan takes the
  /// mean of a phase's kernels, weighted by their operations. Null: one. A function of op and specs alone.
  std::int64_t (*least_chunk)(const Op&, Specs inputs, Specs outputs) = nullptr;
  /// Whether the kernel supports such a call: used for ops that only passes create, before they create one. Null: it
  /// supports any call.
  bool (*accepts)(const Op&, Specs inputs, Specs outputs) = nullptr;
  /// Runs several calls at once that have equal attributes and do not depend on each other; the results are those of
  /// `run` for each. For kernels so small that the launch takes most of their time.
  void (*run_together)(std::span<const KernelArguments>) = nullptr;
  /// Whether a kernel of float32, int32 or int64 may compute narrower dtypes too, its inputs converted before and its
  /// outputs after. Not where the op's function converts them itself, or narrow dtypes have other results.
  bool serves_narrow_types = true;
};

/// The kernels of one backend, looked up once, when a plan is built or an op is called eagerly.
class KernelTable {
 public:
  /// `device_type` is used in messages: "CPU".
  explicit KernelTable(std::string device_type);
  ~KernelTable();
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  /// Adds the kernel of an op for that dtype, or replaces it.
  void add(std::string_view op, DType dtype, const Kernel& kernel);
  /// nullptr when there is none.
  const Kernel* find(std::string_view op, DType dtype) const;
  bool supports(const Op& op, DType dtype) const { return find(op.name(), dtype) != nullptr; }
  /// Throws NotImplementedError naming op, dtype and device when there is none.
  const Kernel& get(const Op& op, std::span<const TensorSpec> inputs) const;
  /// All names with their dtypes, sorted: "MatMul float32".
  std::vector<std::string> list() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The CPU's kernels: the built-in ones, and those that a program adds for its own ops.
KernelTable& cpu_kernels();

/// The kernels for a further type of device, which a backend registers: an empty table at the first call for a type.
/// They run on whole tensors; addresses are the device's, and work is submitted to `KernelArguments::stream`.
KernelTable& register_kernel_table(std::string_view device_type);

/// The table that was registered for "GPU".
KernelTable& gpu_kernels();

/// The kernels for devices of that type. Throws NotFoundError for a type other than "CPU" that no backend has
/// registered.
KernelTable& kernels_for(std::string_view device_type);

/// Fills the table of the CPU. Declared here, defined by `framework/backends/cpu`, called once by `cpu_kernels`.
void register_builtin_kernels(KernelTable& table);

}  // namespace rhyton
