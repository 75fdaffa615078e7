"""Pretrained models: a folder for files, downloads, and what a local folder describes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

import wend

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

# How the name of a file tells the first digits of its SHA-256.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")

_chosen: str | None = None


def get_dir() -> str:
    """Return the folder of downloads: set_dir's, else $TORCH_HOME/hub, else ~/.cache/torch/hub."""
    return os.path.join(_get_torch_home(), "hub") if _chosen is None else _chosen


def _get_torch_home() -> str:
    """The folder of all that PyTorch's programs keep."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose the folder of downloads."""
    global _chosen
    _chosen = os.path.expanduser(d)


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> None:
    """Download a file; what was there before stays until all is loaded.

    hash_prefix: how the SHA-256 of the file must begin.
    progress: print what is loaded to stderr.
    """
    digest = hashlib.sha256()
    target = Path(dst).expanduser()
    if progress:
        print(f'Downloading: "{url}" to {target}', file=sys.stderr)
    handle, partial = tempfile.mkstemp(prefix=target.name, suffix=".partial", dir=target.parent)
    try:
        request = Request(url, headers={"User-Agent": "torch.hub"})
        with urlopen(request) as source, os.fdopen(handle, "wb") as file:
            while block := source.read(1 << 20):
                digest.update(block)
                file.write(block)
        if hash_prefix and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(
                f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")'
            )
        os.replace(partial, target)
    finally:
        Path(partial).unlink(missing_ok=True)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """Load what a URL holds, downloading it once.

    check_hash: the name ends in the first digits of the file's SHA-256, which must agree.
    """
    folder = Path(model_dir or os.path.join(get_dir(), "checkpoints"))
    folder.mkdir(parents=True, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = folder / name
    if not path.exists():
        digits = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, str(path), digits[1] if digits else None, progress)
    loaded: dict[str, Any] = wend.load(path, map_location=map_location, weights_only=weights_only)
    return loaded


def _entries(folder: str, source: str) -> Any:
    """The module hubconf.py of a folder."""
    if source != "local":
        raise NotImplementedError(
            "wend does not fetch repositories: clone it, then pass the folder and source='local'"
        )
    path = os.path.join(os.path.expanduser(folder), "hubconf.py")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    if spec is None or spec.loader is None or not os.path.exists(path):
        raise FileNotFoundError(f"there is no {path}, which would describe the models")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(path))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(os.path.dirname(path))
    return module


def _entry(folder: str, model: str, source: str) -> Any:
    found = getattr(_entries(folder, source), model, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = None,
    verbose: bool = True,
    *,
    source: str = "github",
) -> Any:
    """Return the names of the models that a folder describes; source must be "local".

    The other arguments are about downloads, of which there are none.
    """
    module = _entries(github, source)
    names = [name for name in dir(module) if callable(getattr(module, name))]
    return [name for name in names if not name.startswith("_")]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = None,
    *,
    source: str = "github",
) -> Any:
    """Return what a folder says about a model; source must be "local".

    The other arguments are about downloads, of which there are none.
    """
    return _entry(github, model, source).__doc__


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = None,
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """Return the model that a folder's hubconf.py makes; source must be "local".

    trust_repo, force_reload, verbose, skip_validation: about downloads, of which there are none.
    """
    return _entry(repo_or_dir, model, source)(*args, **kwargs)
