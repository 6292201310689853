#include <rhyton/framework/ops/remote_stream.h>

namespace rhyton {

const Kernel& remote_kernel() {
  static const Kernel kernel{.run = [](const KernelArguments& arguments) {
    static_cast<RemoteStream&>(*arguments.stream).run(*arguments.op, arguments.inputs, arguments.outputs);
  }};
  return kernel;
}

}  // namespace rhyton
