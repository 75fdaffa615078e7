"""Names of PyTorch that can be mentioned, and raise one sentence when they cannot be used."""

import copy
import pickle
import warnings
from typing import Any

import pytest
from both import both, error_of, torch, wend

CARRIED = [
    "complex32", "complex64", "complex128", "uint16", "uint32", "uint64", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "int4", "uint4",
]  # fmt: skip
MAKERS = {
    "zeros": lambda T, d: T.zeros(2, dtype=d),
    "tensor": lambda T, d: T.tensor([1.0], dtype=d),
    "to": lambda T, d: T.ones(2).to(d),
    "to a device and": lambda T, d: T.ones(2).to("cpu", d),
    "type": lambda T, d: T.ones(2).type(d),
    "view": lambda T, d: T.ones(4).view(d),
    "sum": lambda T, d: T.ones(2).sum(dtype=d),
    "new_zeros": lambda T, d: T.ones(2).new_zeros(2, dtype=d),
    "as_tensor": lambda T, d: T.as_tensor([1], dtype=d),
    "empty_like": lambda T, d: T.empty_like(T.ones(2), dtype=d),
    "a layer": lambda T, d: T.nn.Linear(2, 2, dtype=d),
    "the default": lambda T, d: T.set_default_dtype(d),
}


def test_every_dtype_of_pytorch_can_be_mentioned() -> None:
    names = [name for name in dir(torch) if isinstance(getattr(torch, name), torch.dtype)]
    for name in names:
        theirs, ours = getattr(torch, name), getattr(wend, name)
        assert str(ours) == str(theirs)
        for fact in ("itemsize", "is_floating_point", "is_complex"):
            assert getattr(ours, fact) == getattr(theirs, fact), (name, fact)


@pytest.mark.parametrize("name", CARRIED)
def test_a_carried_dtype_compares_hashes_copies_and_pickles(name: str) -> None:
    dtype = getattr(wend, name)
    assert dtype != wend.float32
    assert {dtype: 1}[getattr(wend, name)] == 1
    assert copy.deepcopy([dtype])[0] is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert dtype.is_signed == getattr(torch, name).is_signed
    assert str(dtype.to_real()) == str(getattr(torch, name).to_real())


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", ["complex64", "uint16", "float8_e5m2", "quint8", "int4", "bits8"])
def test_no_tensor_is_made_of_a_carried_dtype(name: str, maker: str) -> None:
    with pytest.raises(NotImplementedError, match=f"no tensors of dtype torch.{name}: ") as error:
        MAKERS[maker](wend, getattr(wend, name))
    assert "\n" not in str(error.value)


def test_complex_numbers_are_refused_in_one_sentence() -> None:
    for use in (lambda: wend.tensor(1j), lambda: wend.tensor([1, 2j]), lambda: wend.complex(1, 2)):
        with pytest.raises(NotImplementedError, match="real and imaginary parts as two tensors"):
            use()


@pytest.mark.parametrize("name", ["cdouble", "cfloat", "chalf", "istft", "stft"])
def test_methods_with_complex_results_are_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(NotImplementedError, match="real and imaginary parts as two tensors") as e:
        getattr(wend.ones(4), name)(*([4] if name.endswith("stft") else []))
    assert "\n" not in str(e.value)


def limits(T: Any) -> Any:
    floats = [T.finfo(getattr(T, name)) for name in CARRIED if "float8" in name or "comp" in name]
    whole = [T.iinfo(getattr(T, name)) for name in ("uint16", "uint32", "uint64")]
    facts = [(i.bits, i.min, i.max, i.eps, i.tiny, i.resolution, i.dtype) for i in floats]
    return [*facts, *((i.bits, i.min, i.max, i.dtype) for i in whole)]


def test_limits_of_carried_dtypes() -> None:
    both(limits)
    both(lambda T: error_of(lambda: T.iinfo(T.complex64)))
    both(lambda T: error_of(lambda: T.iinfo(T.uint4)))
    both(lambda T: error_of(lambda: T.finfo(T.uint16)))


def test_layouts_can_be_mentioned() -> None:
    names = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged")
    both(lambda T: [str(getattr(T, name)) for name in names])
    assert wend.ones(1).layout is not wend.sparse_coo
    with pytest.raises(RuntimeError, match="strided tensors only"):
        wend.ones(2, layout=wend.sparse_coo)


OLD = {
    "add": lambda T, x, v, b: [T.add(x, 2, x), x.add(2, x), T.add(x, 2, x, out=T.empty(2, 2))],
    "add by name": lambda T, x, v, b: [x.add(2.5, other=x), x.clone().add_(3, x)],
    "sub": lambda T, x, v, b: [T.sub(x, 2, x), x.sub(2, x), x.clone().sub_(2, x)],
    "addcmul": lambda T, x, v, b: [T.addcmul(x, 2, x, x), x.addcmul(0.5, x, x)],
    "addcmul_": lambda T, x, v, b: x.clone().addcmul_(2, x, x),
    "addcdiv": lambda T, x, v, b: [T.addcdiv(x, 2, x, x), x.clone().addcdiv_(2, x, x)],
    "addmm": lambda T, x, v, b: [T.addmm(0.5, x, 2, x, x), T.addmm(0.5, x, x, x)],
    "addmm's method": lambda T, x, v, b: [x.addmm(0.5, 2, x, x), x.addmm(0.5, x, x)],
    "addmm_": lambda T, x, v, b: [x.clone().addmm_(0.5, 2, x, x), x.clone().addmm_(0.5, x, x)],
    "addmv": lambda T, x, v, b: [T.addmv(0.5, v, 2, x, v), v.clone().addmv_(0.5, x, v)],
    "addr": lambda T, x, v, b: [T.addr(0.5, x, 2, v, v), x.clone().addr_(0.5, 2, v, v)],
    "addbmm": lambda T, x, v, b: [T.addbmm(0.5, x, 2, b, b), T.addbmm(0.5, x, b, b)],
    "addbmm_": lambda T, x, v, b: [x.clone().addbmm_(0.5, 2, b, b), x.clone().addbmm_(0.5, b, b)],
    "baddbmm": lambda T, x, v, b: [T.baddbmm(0.5, b, 2, b, b), b.clone().baddbmm_(0.5, b, b)],
}


def called_as_of_old(T: Any, name: str) -> Any:
    x, b = T.arange(1.0, 5.0).reshape(2, 2), T.arange(12.0).reshape(3, 2, 2)
    if T is torch:
        T.set_warn_always(True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = OLD[name](T, x, x[0], b)
    if T is torch:
        T.set_warn_always(False)
    assert all(each.filename == __file__ for each in caught)
    return result, [str(each.message).partition(" (Triggered")[0] for each in caught]


@pytest.mark.parametrize("name", OLD)
def test_deprecated_orders_of_arguments_compute_and_warn(name: str) -> None:
    both(lambda T: called_as_of_old(T, name))


def test_what_was_never_an_order_of_arguments_still_raises() -> None:
    for call in (lambda: wend.ones(2).add(2, 3), lambda: wend.mul(wend.ones(2), 2, wend.ones(2))):
        with pytest.raises(TypeError):
            call()


def test_gradients_flow_through_deprecated_orders() -> None:
    def program(T: Any) -> Any:
        x = T.ones(2, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            T.addcmul(x, 3, x, x).sum().backward()
        return x.grad

    both(program)


def seen_through(T: Any) -> Any:
    x = T.arange(6.0).reshape(2, 3)
    as_ints, as_bytes = x.view(T.int32), x.view(dtype=T.uint8)
    as_ints[0, 0] = 7
    x[1, 2] = 1.0
    wide = T.arange(4.0, dtype=T.float64).view(T.float32)
    narrow = T.zeros(4, dtype=T.int16).view(T.int64)
    return as_ints, as_bytes, x, wide, narrow, x.t().view(T.int32), x.view(T.float32)


def test_memory_is_viewed_as_another_dtype() -> None:
    both(seen_through)
    both(lambda T: error_of(lambda: T.ones(2, 4)[:, ::2].view(T.float64)))
    both(lambda T: error_of(lambda: T.ones(3).view(T.float64)))
    both(lambda T: error_of(lambda: T.ones(()).view(T.uint8)))
    both(lambda T: error_of(lambda: T.ones(5)[1:].view(T.float64)))
    both(lambda T: error_of(lambda: T.ones(2, 3)[:, :2].view(T.float64)))


class Handled:
    """An object that says how ops treat it."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        (own,) = (each for each in args if isinstance(each, Handled))
        own.seen.append((func.__name__, len(args), sorted(kwargs or {}), types))
        return len(own.seen)


def test_objects_with_torch_function_treat_ops_themselves() -> None:
    def program(T: Any) -> Any:
        own = Handled()
        found = [T.add(T.ones(2), own), T.matmul(own, T.ones(2)), T.sum(own, dim=0)]
        return found, [seen[:3] for seen in own.seen], own.seen[0][3] == (Handled,)

    both(program)


def test_compiled_things_are_as_they_are() -> None:
    @wend.compile(fullgraph=True, dynamic=None, backend="eager")
    def double(x: Any) -> Any:
        return x * 2

    assert double(wend.ones(2)).tolist() == [2.0, 2.0]
    layer = wend.nn.Linear(2, 2)
    assert wend.compile(layer, mode="max-autotune") is layer
    assert layer.compile(fullgraph=True) is None
    assert not wend.compiler.is_compiling()
    assert wend._dynamo.disable(double) is double
    with pytest.raises(RuntimeError, match="Either mode or options"):
        wend.compile(layer, mode="default", options={})
    with pytest.raises(TypeError, match="unexpected keyword"):
        wend.compile(layer, no_such_option=1)


def test_a_modules_original_name_is_its_class() -> None:
    module = wend.nn.Linear(2, 2)
    assert module.original_name == "Linear"
    module.original_name = "mine"
    assert module.original_name == "mine"


def loaders(T: Any) -> Any:
    data = T.utils.data
    kinds = data.dataloader
    loader = data.DataLoader(range(5), batch_size=2)
    batches = iter(loader)
    first = next(batches)
    return [
        isinstance(batches, kinds._BaseDataLoaderIter),
        isinstance(batches, kinds._SingleProcessDataLoaderIter),
        issubclass(kinds._MultiProcessingDataLoaderIter, kinds._BaseDataLoaderIter),
        loader._dataset_kind == kinds._DatasetKind.Map, loader._auto_collation,
        len(batches), first, list(batches), batches._num_yielded,
    ]  # fmt: skip


def test_loaders_have_pytorchs_iterators() -> None:
    both(loaders)


def futures(T: Any) -> Any:
    first, second = T.futures.Future(), T.futures.Future()
    after = first.then(lambda done: done.wait() + 1)
    together = T.futures.collect_all([first, second])
    before = [first.done(), together.done()]
    first.set_result(1)
    good = T.futures.collect_all([first, after]).wait()
    second.set_exception(ValueError("no"))
    failed = [error_of(second.wait), error_of(together.wait)]
    return before, after.wait(), [each.value() for each in good], failed


def test_futures() -> None:
    both(futures)


def custom(T: Any) -> Any:
    @T.library.custom_op("wendtest::cube", mutates_args=())
    def cube(x: T.Tensor) -> T.Tensor:  # type: ignore[name-defined]
        return x * x * x

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 30 * grad * x * x

    cube.register_autograd(backward, setup_context=keep)
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = cube(x)
    y.sum().backward()
    return y, x.grad, T.ops.wendtest.cube(x.detach())


def test_custom_ops_have_gradients_of_their_own() -> None:
    both(custom)


def test_schedules_of_profilers() -> None:
    def program(T: Any) -> Any:
        plan = T.profiler.schedule(wait=2, warmup=1, active=2, repeat=2, skip_first=1)
        return [plan(step).name for step in range(14)]

    both(program)
    with wend.profiler.record_function("label"), wend.autograd.profiler.record_function("other"):
        assert wend.ones(1).item() == 1
    with pytest.raises(NotImplementedError, match=r"wend\.report"):
        wend.profiler.profile()


def test_mentioned_names_raise_when_they_are_used() -> None:
    assert not isinstance(wend.ones(1), wend.fx.Proxy)

    class Tracer(wend.fx.Tracer):
        pass

    for use in (Tracer, wend.fx.symbolic_trace, wend.onnx.export, wend.distributions.Wishart):
        with pytest.raises(NotImplementedError, match=r"^wend does not have torch\.") as error:
            use(1)
        assert "\n" not in str(error.value)
    assert wend.fx.wrap("len") == "len"
    assert {wend.ops.aten.add.Tensor: 1}[wend.ops.aten.add.Tensor] == 1
    with pytest.raises(NotImplementedError, match=r"call torch\.add"):
        wend.ops.aten.add.Tensor(wend.ones(1), wend.ones(1))


def test_hub_loads_what_a_local_folder_describes(tmp_path: Any) -> None:
    (tmp_path / "hubconf.py").write_text(
        "import wend\n\ndef tiny(width=2):\n    'A layer.'\n    return wend.nn.Linear(width, 1)\n"
    )
    assert wend.hub.list(str(tmp_path), source="local") == ["tiny"]
    assert wend.hub.help(str(tmp_path), "tiny", source="local") == "A layer."
    assert wend.hub.load(str(tmp_path), "tiny", source="local", width=3).in_features == 3
    with pytest.raises(RuntimeError, match="Cannot find callable other in hubconf"):
        wend.hub.load(str(tmp_path), "other", source="local")
    with pytest.raises(NotImplementedError, match="clone it"):
        wend.hub.load("owner/name", "tiny")
    saved = tmp_path / "weights.pt"
    wend.save({"w": wend.ones(2)}, saved)
    url = saved.as_uri()
    folder = tmp_path / "kept"
    loaded = wend.hub.load_state_dict_from_url(url, str(folder), progress=False)
    assert loaded["w"].tolist() == [1.0, 1.0]
    assert [path.name for path in folder.iterdir()] == ["weights.pt"]
    with pytest.raises(RuntimeError, match="invalid hash value"):
        wend.hub.download_url_to_file(url, str(tmp_path / "x"), "0000", progress=False)


def test_storages_of_files(tmp_path: Any) -> None:
    def program(T: Any) -> Any:
        path = tmp_path / T.__name__
        path.write_bytes(bytes(range(32)))
        private = T.UntypedStorage.from_file(str(path), False, 16)
        part = T.asarray(private[4:12], dtype=T.uint8)
        part[0] = 99
        shared = T.UntypedStorage.from_file(str(path), True, 40)
        T.asarray(shared, dtype=T.uint8)[0] = 77
        size = path.stat().st_size
        return private.tolist(), part, private[5], shared.nbytes(), list(path.read_bytes()), size

    both(program)


@pytest.mark.parametrize("call", [torch.relu, torch.add, torch.matmul])
def test_pytorch_refuses_tensors_of_wend(call: Any) -> None:
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        call(*[wend.ones(2, 2)] * (1 if call is torch.relu else 2))
