"""What files of PyTorch and others hold that `wend.load` cannot give, and what to do about it.

Reading files is wend/serialization.py's; here is one sentence for each kind that is met.
"""

from __future__ import annotations

from collections.abc import Iterable

_SAVE_AGAIN = "Load it with PyTorch, and torch.save"


def of_head(head: bytes) -> str | None:
    """What a file is that begins with these bytes, if it is no archive of PyTorch."""
    if head[:6] == b"\x93NUMPY":
        return "The file is an array of NumPy: read it with numpy.load."
    if head[8:9] == b"{" and 0 < int.from_bytes(head[:8], "little") < 1 << 32:
        return (
            "The file is in the safetensors format: read it with wend.utils.safetensors.load_file."
        )
    if head[:4] == b"\x89HDF":
        return "The file is in the HDF5 format: read it with h5py."
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return (
            "The file is a plain pickle, and not one that torch.save wrote: read it with "
            "pickle.load, which runs what the file says, only if you trust where it comes from."
        )
    return None


def of_records(names: Iterable[str]) -> str | None:
    """What a zip archive with records of these names is, if none that `save` wrote."""
    inner = [name.partition("/")[2] for name in names]
    if any(name == "constants.pkl" or name.startswith("code/") for name in inner):
        return (
            "The file is a TorchScript program, which wend does not run. Load it with "
            "torch.jit.load, and torch.save its state_dict()."
        )
    if "archive_format" in inner:
        return (
            "The file is a program that torch.export wrote, which wend does not run. Load it with "
            "torch.export.load, and torch.save its state_dict."
        )
    if names and all(name.endswith(".npy") for name in names):
        return "The file holds arrays of NumPy: read it with numpy.load."
    return None


def of_name(module: str, name: str) -> str | None:
    """Why what a file calls by this name of PyTorch is not there."""
    if module.partition(".")[0] != "torch":
        return None
    plain = name.removesuffix("Storage").lower()
    if name in _BUILT:
        return f"The file holds {_BUILT[name]}"
    if module in ("torch", "torch.storage"):
        if plain.startswith("complex"):
            return (
                "The file holds complex numbers, which wend does not have. "
                f"{_SAVE_AGAIN} `torch.view_as_real(x)`."
            )
        if plain.startswith(("qint", "quint")):
            return f"The file holds {_BUILT['_rebuild_qtensor']}"
        if plain.startswith(("uint", "int", "float", "bits")):
            return (
                f"The file holds numbers of the dtype torch.{plain}, which wend does not have. "
                f"{_SAVE_AGAIN} them as another one, such as `x.to(torch.float32)`."
            )
    return (
        f"The file holds an object of PyTorch, {module}.{name}, which wend does not build: it "
        f"loads tensors and plain containers of them. {_SAVE_AGAIN} `model.state_dict()`."
    )


_BUILT = {
    "_rebuild_sparse_tensor": "a sparse tensor, which wend does not have. "
    f"{_SAVE_AGAIN} `x.to_dense()`.",
    "_rebuild_sparse_csr_tensor": "a sparse tensor, which wend does not have. "
    f"{_SAVE_AGAIN} `x.to_dense()`.",
    "_rebuild_qtensor": "a quantized tensor, which wend does not have. "
    f"{_SAVE_AGAIN} `x.dequantize()`.",
    "_rebuild_nested_tensor": "a nested tensor, which wend does not have. "
    f"{_SAVE_AGAIN} the list `x.unbind()`.",
    "_rebuild_meta_tensor_no_storage": "a tensor of the device 'meta', which has no values to "
    "load.",
}
