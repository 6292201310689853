"""The two runtimes of ONNX models in one form, each with the settings that are fastest for a single caller."""


class OnnxRuntime:
    def __init__(self, threads):
        import onnxruntime

        self.library = onnxruntime
        self.threads = threads
        self.version = f"ONNX Runtime {onnxruntime.__version__}"
        self.settings = ["all optimizations of the graph", "sequential execution", "bound inputs and outputs"]

    def prediction(self, path, x):
        """A call that computes the outputs of the model in the file, compiled for this shape of the inputs."""
        options = self.library.SessionOptions()
        options.graph_optimization_level = self.library.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = self.library.ExecutionMode.ORT_SEQUENTIAL
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.add_free_dimension_override_by_name("batch", len(x))
        session = self.library.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        # Without it, every call copies the outputs into new arrays.
        binding = session.io_binding()
        binding.bind_cpu_input(session.get_inputs()[0].name, x)
        binding.bind_output(session.get_outputs()[0].name)

        def predict():
            session.run_with_iobinding(binding)
            return binding.get_outputs()[0]

        return predict


class OpenVino:
    def __init__(self, threads):
        import openvino

        self.core = openvino.Core()
        self.options = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            # Else it computes in bfloat16 on processors that have instructions for it.
            "INFERENCE_PRECISION_HINT": "f32",
        }
        self.version = f"OpenVINO {openvino.__version__.split('-')[0]}"
        self.settings = ["latency hint", "precision f32", "shared inputs and outputs"]

    def prediction(self, path, x):
        """As that of OnnxRuntime."""
        model = self.core.read_model(path)
        model.reshape(x.shape)
        request = self.core.compile_model(model, "CPU", self.options).create_infer_request()
        return lambda: request.infer(x, share_inputs=True, share_outputs=True)[0]


BY_NAME = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}
