"""Parts of PyTorch that wend lacks as a whole, by what to do instead: each with its public names.

Under `wend run` they can be imported; what is in them raises when it is used.
"""

from __future__ import annotations

_PARTS: dict[str, dict[str, str]] = {
    "use torch.nn.functional.scaled_dot_product_attention with a mask": {
        "nn.attention.flex_attention": "AuxOutput AuxRequest BlockMask _DEFAULT_SPARSE_BLOCK_SIZE"
        " and_masks create_block_mask create_mask create_nested_block_mask flex_attention"
        " noop_mask or_masks",
        "nn.attention.bias": "CausalBias CausalVariant causal_lower_right causal_upper_left",
        "nn.attention.varlen": "AuxRequest varlen_attn",
    },
    "draw points with scipy.stats.qmc.Sobol": {"quasirandom": "SobolEngine"},
    "save the weights with torch.save, and the program with the program": {
        "export": "AdditionalInputs Constraint CustomDecompTable Dim ExportBackwardSignature"
        " ExportGraphSignature ExportedProgram FlatArgsAdapter ModuleCallEntry"
        " ModuleCallSignature ShapesCollection UnflattenedModule"
        " default_decompositions dims draft_export export load register_dataclass save"
        " unflatten",
    },
    "save the weights with torch.save": {
        "package": "Directory EmptyMatchError GlobGroup Importer ObjMismatchError"
        " ObjNotFoundError OrderedImporter PackageExporter PackageImporter"
        " PackagingError is_from_package sys_importer",
    },
    "wend has no quantized tensors": {
        "quantization": "DeQuantStub HistogramObserver ObserverBase QConfig QuantStub QuantType"
        " QuantWrapper WeightObserver add_quant_dequant convert"
        " default_dynamic_qconfig default_eval_fn default_fake_quant"
        " default_fixed_qparams_range_0to1_fake_quant"
        " default_fixed_qparams_range_neg1to1_fake_quant default_histogram_fake_quant"
        " default_observer default_per_channel_weight_fake_quant"
        " default_per_channel_weight_observer default_placeholder_observer"
        " default_qat_qconfig default_qconfig default_weight_fake_quant"
        " default_weight_observer float16_dynamic_qconfig"
        " float_qparams_weight_only_qconfig fuse_modules"
        " get_default_compare_output_module_list"
        " get_default_dynamic_quant_module_mappings get_default_qat_module_mappings"
        " get_default_qconfig_propagation_list"
        " get_default_static_quant_module_mappings get_fuser_method"
        " get_quantized_operator get_static_quant_module_class prepare prepare_qat"
        " propagate_qconfig_ quantize quantize_dynamic quantize_dynamic_jit"
        " quantize_jit quantize_qat swap_module",
        "ao": "",
        "ao.quantization": "AffineQuantizedObserverBase DeQuantStub FakeQuantize FakeQuantizeBase"
        " FixedQParamsFakeQuantize FixedQParamsObserver FusedMovingAvgObsFakeQuantize"
        " Granularity HistogramObserver MappingType MatchAllNode MinMaxObserver"
        " MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver"
        " NoopObserver ObserverBase ObserverOrFakeQuantize Pattern PerAxis PerBlock"
        " PerChannelMinMaxObserver PerGroup PerRow PerTensor PerToken"
        " PlaceholderObserver QConfig QConfigAny QConfigDynamic QConfigMapping"
        " QuantStub QuantType QuantWrapper RecordingObserver ReuseInputObserver"
        " TorchAODType UniformQuantizationObserverBase ZeroPointDomain"
        " add_quant_dequant convert convert_dynamic_jit convert_jit"
        " default_affine_fixed_qparams_fake_quant"
        " default_affine_fixed_qparams_observer default_debug_observer"
        " default_dynamic_fake_quant default_dynamic_quant_observer"
        " default_embedding_fake_quant default_embedding_fake_quant_4bit"
        " default_eval_fn default_fake_quant"
        " default_fixed_qparams_range_0to1_fake_quant"
        " default_fixed_qparams_range_0to1_observer"
        " default_fixed_qparams_range_neg1to1_fake_quant"
        " default_fixed_qparams_range_neg1to1_observer default_float_qparams_observer"
        " default_float_qparams_observer_4bit default_fused_act_fake_quant"
        " default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant"
        " default_histogram_fake_quant default_histogram_observer default_observer"
        " default_per_channel_weight_fake_quant default_per_channel_weight_observer"
        " default_placeholder_observer default_reuse_input_observer"
        " default_symmetric_fixed_qparams_fake_quant"
        " default_symmetric_fixed_qparams_observer default_weight_fake_quant"
        " default_weight_observer disable_fake_quant disable_observer"
        " enable_fake_quant enable_observer fuse_conv_bn fuse_conv_bn_jit"
        " fuse_conv_bn_relu fuse_convtranspose_bn fuse_linear_bn fuse_modules"
        " fuse_modules_qat fused_per_channel_wt_fake_quant_range_neg_127_to_127"
        " fused_wt_fake_quant_range_neg_127_to_127 get_block_size get_combined_dict"
        " get_default_compare_output_module_list get_default_custom_config_dict"
        " get_default_dynamic_quant_module_mappings"
        " get_default_dynamic_sparse_quant_module_mappings"
        " get_default_float_to_quantized_operator_mappings"
        " get_default_qat_module_mappings get_default_qat_qconfig"
        " get_default_qat_qconfig_dict get_default_qat_qconfig_mapping"
        " get_default_qconfig get_default_qconfig_dict get_default_qconfig_mapping"
        " get_default_qconfig_propagation_list"
        " get_default_static_quant_module_mappings"
        " get_default_static_quant_reference_module_mappings"
        " get_default_static_sparse_quant_module_mappings"
        " get_dynamic_quant_module_class get_embedding_qat_module_mappings"
        " get_embedding_static_quant_module_mappings get_fuser_method"
        " get_fuser_method_new get_observer_state_dict get_quantized_operator"
        " get_static_quant_module_class load_observer_state_dict no_observer_set"
        " per_channel_weight_observer_range_neg_127_to_127 prepare prepare_dynamic_jit"
        " prepare_jit prepare_qat propagate_qconfig_ qconfig_equals quantize"
        " quantize_dynamic quantize_dynamic_jit quantize_jit quantize_qat"
        " script_qconfig script_qconfig_dict swap_module"
        " weight_observer_range_neg_127_to_127",
        "ao.nn": "",
        "nn.quantized": "BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d"
        " ConvTranspose1d ConvTranspose2d"
        " ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag"
        " FXFloatFunctional FloatFunctional GroupNorm Hardswish InstanceNorm1d"
        " InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear"
        " MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax",
        "nn.intrinsic": "BNReLU2d BNReLU3d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d"
        " ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d LinearReLU",
        "nn.qat": "Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear",
    },
    "use a list of tensors: examples written one at a time run as batches": {
        "nested": "as_nested_tensor masked_select narrow nested_tensor"
        " nested_tensor_from_jagged to_padded_tensor",
    },
    "use wend.report()": {
        "monitor": "Aggregation COUNT Event EventHandlerHandle MAX MEAN MIN STAT_EVENT SUM Stat"
        " TensorboardEventHandler VALUE data_value_t log_event register_event_handler"
        " unregister_event_handler",
    },
    "use timeit, and end what is timed with torch.cpu.synchronize()": {
        "utils.benchmark": "CallgrindStats Colorize Compare CopyIfCallgrind"
        " FunctionCount FunctionCounts"
        " FuzzedParameter FuzzedSparseTensor FuzzedTensor Fuzzer Language Measurement"
        " Number ParameterAlias TaskSpec Timer ordered_unique select_unit"
        " set_torch_threads timer trim_sigfig unit_to_english",
    },
    "write the op in Python: wend loads no extensions of PyTorch": {
        "utils.cpp_extension": "BuildExtension CUDAExtension CppExtension SyclExtension"
        " check_compiler_is_gcc check_compiler_ok_for_platform"
        " get_compiler_abi_compatibility_and_version get_cxx_compiler"
        " get_default_build_root include_paths is_ninja_available library_paths load"
        " load_inline remove_extension_h_precompiler_headers verify_ninja_availability",
    },
    "there is no TorchScript": {
        "utils.mobile_optimizer": "LintCode MobileOptimizerType generate_mobile_module_lints"
        " optimize_for_mobile",
    },
    "wend trains in one process": {
        "distributed.rpc": "AllGatherStates BackendType BackendValue RRef"
        " TensorPipeRpcBackendOptions"
        " backend_registered construct_rpc_backend_options get_worker_info"
        " init_backend init_rpc is_available method_factory new_method"
        " register_backend remote rpc_async rpc_sync shutdown",
        "distributed.optim": "DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer"
        " as_functional_optim",
        "distributed.fsdp": "BackwardPrefetch CPUOffload CPUOffloadPolicy"
        " DataParallelMeshDims FSDPModule"
        " FullOptimStateDictConfig FullStateDictConfig FullyShardedDataParallel"
        " LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision"
        " MixedPrecisionPolicy OffloadPolicy OptimStateDictConfig OptimStateKeyType"
        " ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy"
        " StateDictConfig StateDictSettings StateDictType UnshardHandle fully_shard"
        " register_fsdp_forward_method share_comm_ctx",
        "distributed.fsdp.wrap": "CustomPolicy ModuleWrapPolicy always_wrap_policy enable_wrap"
        " lambda_auto_wrap_policy size_based_auto_wrap_policy"
        " transformer_auto_wrap_policy wrap",
        "distributed.tensor": "DTensor Partial Placement Replicate Shard distribute_module"
        " distribute_tensor empty full ones rand randn zeros",
        "distributed.checkpoint": "BytesStorageMetadata CheckpointException ChunkStorageMetadata"
        " DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter"
        " HuggingFaceStorageReader HuggingFaceStorageWriter LoadPlan LoadPlanner"
        " Metadata QuantizedHuggingFaceStorageReader ReadItem SavePlan SavePlanner"
        " StorageReader StorageWriter TensorStorageMetadata WriteItem async_save load"
        " load_sharded_optimizer_state_dict load_state_dict save save_state_dict",
        "distributed.checkpoint.state_dict": "PrimitiveType StateDictOptions ValueType"
        " get_model_state_dict"
        " get_optimizer_state_dict get_state_dict set_model_state_dict"
        " set_optimizer_state_dict set_state_dict",
        "distributed.device_mesh": "DeviceMesh init_device_mesh",
        "distributed.algorithms": "Join JoinHook Joinable",
        "distributed.algorithms.ddp_comm_hooks": "DDPCommHookType register_ddp_comm_hook",
        "distributed.pipelining": "Pipe PipelineStage Schedule1F1B ScheduleDualPipeV ScheduleGPipe"
        " ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble ScheduleLoopedBFS"
        " ScheduleZBVZeroBubble SplitPoint build_stage pipe_split pipeline",
    },
    "a program runs as written; leave the tracing out": {
        "fx.node": "Node has_side_effect map_aggregate map_arg",
        "fx.graph": "CodeGen Graph PythonCode",
        "fx.graph_module": "GraphModule reduce_graph_module reduce_package_graph_module",
        "fx.proxy": "Attribute GraphAppendingTracer MetaProxy ParameterProxy Proxy Scope"
        " ScopeContextManager TraceError TracerBase",
        "fx.experimental": "",
        "fx.experimental.proxy_tensor": "PythonKeyTracer disable_proxy_modes_tracing get_proxy_mode"
        " make_fx maybe_disable_fake_tensor_mode",
        "fx.experimental.symbolic_shapes": "ShapeEnv guard_or_false guard_or_true is_symbolic"
        " statically_known_true",
        "fx.passes": "",
    },
}

# What stands for the names of each part: the names, and what to do instead.
PARTS = {
    part: (names, instead) for instead, parts in _PARTS.items() for part, names in parts.items()
}
