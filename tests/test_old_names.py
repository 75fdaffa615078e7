"""What PyTorch keeps for old programs: storages of numbers, methods that it removed."""

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from both import both, error_of, wend

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")

STORAGES: dict[str, Callable[[Any], Any]] = {
    "of a tensor": lambda T: [
        T.arange(4)[1:].storage().tolist(), T.ones(2, 3).storage().size(),
        len(T.ones(2, 3).storage()), T.ones(3).storage().nbytes(),
        T.ones(3).storage().element_size(), T.ones(3).storage().dtype,
        str(T.ones(3).storage().device), T.ones(3).storage().is_cuda,
        T.arange(3.0).storage()[-1], list(T.arange(3).storage()), 2.0 in T.arange(3.0).storage(),
        str(T.arange(2.0).storage()),
    ],
    "made": lambda T: [
        T.FloatStorage([1, 2, 3]).tolist(), T.LongStorage(3).size(), T.FloatStorage().size(),
        T.DoubleStorage([1.5]).dtype, T.storage.TypedStorage([1.5], dtype=T.int64).tolist(),
        T.UntypedStorage([1, 2]).tolist(), T.UntypedStorage(3).nbytes(),
        T.UntypedStorage().nbytes(), T.FloatStorage.dtype,
    ],
    "kinds": lambda T: [
        str(T.ones(2).storage_type()), T.ones(2).storage_type() is T.FloatStorage,
        isinstance(T.ones(2).storage(), T.FloatStorage), T.Storage is T.FloatStorage,
        isinstance(T.ones(2).storage(), T.LongStorage), T.ones(2).storage().type(),
        isinstance(T.ones(2).storage(), T.storage.TypedStorage),
        T.is_storage(T.ones(2).storage()), T.is_storage(T.ones(2).untyped_storage()),
        T.is_storage(T.ones(2)),
    ],
    "other dtypes": lambda T: [
        T.FloatStorage([1.5]).long().tolist(), T.FloatStorage([1]).half().dtype,
        T.FloatStorage([1]).double().type(), T.FloatStorage([2]).bool().tolist(),
    ],
    "errors": lambda T: [
        error_of(lambda: T.FloatStorage([1, 2, 3])[5]),
        error_of(lambda: T.FloatStorage([1, 2, 3])[1:]),
        error_of(lambda: T.FloatStorage("a")), error_of(lambda: T.FloatStorage(1, 2)),
        error_of(lambda: T.FloatStorage(2).copy_(T.FloatStorage(3))),
    ],
    "as tensors": lambda T: [
        T.zeros(4).set_(T.FloatStorage([1, 2, 3])),
        T.zeros(1).set_(T.FloatStorage([1, 2, 3, 4]), 1, (2,), (1,)),
        T.zeros(0, dtype=T.int64).set_(T.arange(3).untyped_storage()),
        T.zeros(1).set_(T.FloatStorage([1, 2, 3, 4]).untyped(), 1, (2,)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", STORAGES)
def test_storages_of_numbers(name: str) -> None:
    both(STORAGES[name])


def written(T: Any) -> Any:
    x = T.arange(4.0)
    s, part = x.storage(), x[1:]
    s[0] = 7
    seen = [x.clone(), s[0]]
    s[1:3] = 5
    seen.append(part.clone())
    part.fill_(2)
    seen.append(s.tolist())
    s.copy_(T.FloatStorage([4, 3, 2, 1]))
    bytes_of = x.untyped_storage()
    bytes_of[3] = 0
    seen += [x.clone(), bytes_of[2], bytes_of.is_shared(), bytes_of.resizable()]
    s.fill_(1.5)
    kept = s.clone()
    bytes_of.fill_(0)
    seen += [x, kept.tolist(), s.data_ptr() == x.data_ptr(), x.const_data_ptr() == x.data_ptr()]
    return seen


def test_storages_are_the_memory_of_tensors() -> None:
    both(written)


def test_storages_grow() -> None:
    def program(T: Any) -> Any:
        x = T.arange(4.0)
        s, kept = x.storage(), x.untyped_storage()
        s.resize_(10)
        sizes = [s.size(), kept.nbytes(), x.shape]
        x.resize_(20)
        return sizes, x.untyped_storage().nbytes(), x.storage().size(), x[:4]

    both(program)


def test_storages_are_pickled_and_copied() -> None:
    x = wend.arange(3.0)
    s = x.storage()
    for made in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s), copy.copy(s).clone()):
        assert made.tolist() == [0.0, 1.0, 2.0]
        assert made.dtype is wend.float32
        made[0] = 9.0
    assert x.tolist() == [0.0, 1.0, 2.0]


def test_the_storage_of_numbers_is_deprecated() -> None:
    for make in (lambda: wend.ones(1).storage(), lambda: wend.FloatStorage(1)):
        with pytest.warns(UserWarning, match="TypedStorage is deprecated") as caught:
            make()
        assert [each.filename for each in caught] == [__file__]


def old(T: Any) -> Any:
    x = T.arange(4.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [x.resize(2, 2), x.resize_as(T.ones(2, 2)), x.volatile]
    said = [str(each.message) for each in caught]
    return results, said, [
        error_of(lambda: x.reinforce(1)), error_of(lambda: x.xpu()), error_of(lambda: x.ipu()),
        error_of(lambda: x.solve(x)), error_of(lambda: x.lstsq(x)), error_of(lambda: x.eig()),
        error_of(lambda: x.symeig()), error_of(lambda: T.solve(x, x)),
        error_of(lambda: T.lstsq(x, x)), error_of(lambda: T.eig(x)),
        error_of(lambda: T.symeig(x)), error_of(lambda: T.matrix_rank(x)),
        error_of(lambda: complex(x)), str(complex(x[1])), x.dequantize(),
        x.double().dequantize(), x.module_load(T.ones(4)), x, x.module_load(T.zeros(4), True), x,
        error_of(lambda: x.module_load(T.ones(3))), error_of(lambda: x.resize(3)),
    ]  # fmt: skip


def test_methods_of_old() -> None:
    both(old)


@pytest.mark.parametrize("name", ["q_scale", "int_repr", "to_sparse_csr", "to_mkldnn", "smm"])
def test_methods_of_other_kinds_of_tensors_raise_one_sentence(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"^wend does not have Tensor.{name}: ") as error:
        getattr(wend.ones(2, 2), name)()
    assert "\n" not in str(error.value)


def switches(T: Any) -> Any:
    seen: list[Any] = [T.is_autocast_cache_enabled(), T.is_autocast_cpu_enabled()]
    T.set_autocast_cache_enabled(False)
    T.set_autocast_dtype("cpu", T.float16)
    seen += [T.is_autocast_cache_enabled(), T.get_autocast_cpu_dtype()]
    T.set_autocast_cache_enabled(True)
    T.set_autocast_cpu_dtype(T.bfloat16)
    seen += [T.get_autocast_dtype("cpu"), T.get_autocast_gpu_dtype()]
    seen += [T.autocast_increment_nesting(), T.autocast_decrement_nesting()]
    seen += [T.set_autocast_enabled("cpu", False), T.clear_autocast_cache()]
    T.set_anomaly_enabled(True, False)
    seen += [T.is_anomaly_enabled(), T.is_anomaly_check_nan_enabled()]
    T.set_anomaly_enabled(False)
    return [*seen, T.is_anomaly_enabled(), T.is_anomaly_check_nan_enabled()]


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_switches() -> None:
    both(switches)


def test_autocast_is_refused_wherever_it_is_switched_on() -> None:
    for switch in (
        lambda: wend.set_autocast_enabled("cpu", True),
        lambda: wend.set_autocast_cpu_enabled(True),
    ):
        with pytest.raises(RuntimeError, match="wend has no autocast"):
            switch()


def facts(T: Any) -> Any:
    return [
        T.legacy_contiguous_format is T.contiguous_format, T.has_lapack,
        T.get_device_module("cpu") is T.cpu, T.get_device_module() is T.cpu,
        T.compiled_with_cxx11_abi(), issubclass(T.OutOfMemoryError, RuntimeError),
        T.OutOfMemoryError is T.cuda.OutOfMemoryError, str(T.OutOfMemoryError),
        issubclass(T.AcceleratorError, RuntimeError), T.GradScaler is T.amp.GradScaler,
    ]  # fmt: skip


def test_facts_about_the_package() -> None:
    both(facts)


def test_tensors_over_files(tmp_path: Any) -> None:
    def program(T: Any) -> Any:
        path = tmp_path / T.__name__
        path.write_bytes(bytes(range(32)))
        own = T.from_file(str(path), False, 4, dtype=T.uint8)
        own[0] = 99
        shared = T.from_file(str(path), shared=True, size=3, dtype=T.int64)
        shared[1] = 5
        T.from_file(str(path) + "new", True, 2).fill_(1)
        return own, shared, T.from_file(str(path)), list(path.read_bytes()), [
            T.from_file(str(path) + "new", False, 2),
            error_of(lambda: T.from_file("/nowhere/at/all", False, 1)),
            error_of(lambda: T.from_file("/dev/null", False, 9)),
            error_of(lambda: T.UntypedStorage.from_file("/dev/null", False, 9)),
        ]  # fmt: skip

    both(program)


@pytest.mark.parametrize("size", [-1, 2**62, 2**70])
@pytest.mark.parametrize("shared", [False, True])
def test_files_of_no_size(tmp_path: Any, size: int, shared: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1234")
    with pytest.raises(RuntimeError, match=r"bytes from file|smaller than the required"):
        wend.from_file(str(path), shared, size)


@pytest.mark.parametrize(
    "name", ["sparse_csr_tensor", "quantize_per_tensor", "smm", "view_as_real_copy", "native_norm"]
)
def test_functions_of_other_kinds_of_tensors_raise_one_sentence(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"^wend does not have torch.{name}: ") as error:
        getattr(wend, name)(wend.ones(2, 2))
    assert "\n" not in str(error.value)
