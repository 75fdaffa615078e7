"""What looking for batches costs where there are none: instructions, counted by callgrind.

Every program runs with batching and in record order. Valgrind knows no AVX-512, so wend is
installed into a fresh environment with the kernels for all machines, of which lower ones are taken;
`--python` names that of an environment where it is installed already.
"""

import gc
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    # After the environment's own packages: what is counted is wend as it is installed there.
    sys.path.append(str(ROOT))

from benchmarks import w1_chain, w2_branch, w6_while  # noqa: E402
from benchmarks.harness import Options, options_of, parser, show  # noqa: E402
from benchmarks.w8_size import install  # noqa: E402
from benchmarks.workload import Figure, Step  # noqa: E402

# Callgrind writes down what it has counted whenever this function of the C library is called.
MARK, mark = "getppid", os.getppid
PEERS = ("wend", "wend in record order")
MOST = 1.1  # times the instructions of record order
WARM_UP, STEPS = 3, 2
FUNCTIONS = ("sin", "cos", "tanh", "sigmoid", "exp", "relu", "abs", "neg", "square", "sign")


def ragged(T: Any) -> Step:
    """Two hundred vectors, each of a length of its own: what is ready at one time differs."""
    vectors = [T.ones(10 + i, requires_grad=True) for i in range(200)]

    def step() -> tuple[Any, Any]:
        total: Any = 0.0
        for x in vectors:
            x.grad = None
            for _ in range(10):
                x = x * 0.9 + 0.1
            total = total + x.sum()
        total.backward()
        return total.item(), vectors[0].grad

    return step


def different(T: Any) -> Step:
    """Vectors of one length; those that are ready at one time go through different functions."""
    vectors = [T.full((4,), 0.1 * i) for i in range(len(FUNCTIONS))]

    def step() -> tuple[Any, Any]:
        total = T.zeros(4)
        for i, x in enumerate(vectors):
            for k in range(20):
                x = getattr(T, FUNCTIONS[(i + k) % len(FUNCTIONS)])(x)
            total = total + x
        return total.tolist(), []

    return step


def perceptron(T: Any) -> Step:
    """A step of training, written for the minibatch that it is given."""
    draw = random.Random(3)

    def drawn(*sizes: int) -> Any:
        numbers = [draw.gauss(0, sizes[0] ** -0.5) for _ in range(sizes[0] * sizes[1])]
        return T.tensor(numbers).reshape(sizes)

    inputs, targets = drawn(32, 64), T.tensor([i % 10 for i in range(32)])
    weights = [drawn(*sizes).requires_grad_() for sizes in ((64, 64), (64, 64), (64, 10))]
    biases = [T.zeros(w.shape[1], requires_grad=True) for w in weights]
    optimizer = T.optim.SGD([*weights, *biases], lr=0.1)

    def step() -> tuple[Any, Any]:
        optimizer.zero_grad()
        h = inputs
        for w, b in zip(weights[:-1], biases[:-1], strict=True):
            h = T.relu(h @ w + b)
        loss = T.nn.functional.cross_entropy(h @ weights[-1] + biases[-1], targets)
        loss.backward()
        optimizer.step()
        return loss.item(), []

    return step


PROGRAMS: dict[str, tuple[str, Callable[[Any], Step]]] = {
    "chain": ("W1", w1_chain.chain),
    "forward": ("W1f", w1_chain.chain_forward),
    "branch": ("W2", w2_branch.branch),
    "while": ("W6", w6_while.settle),
    "ragged": ("200 vectors of different lengths, 20 operations each, + backward", ragged),
    "different": ("10 vectors, 20 different functions each", different),
    "perceptron": ("3 layers of a perceptron, minibatch of 32, train step", perceptron),
}


def run_marked() -> None:
    """Runs each program with batching, then without, between marks; for callgrind only."""
    import wend

    wend.set_num_threads(1)
    gc.disable()
    contexts: list[Callable[[], AbstractContextManager[Any]]] = [
        nullcontext,
        lambda: wend.batching(False),
    ]
    for _, program in PROGRAMS.values():
        for context in contexts:
            with context():
                step = program(wend)
                for _ in range(WARM_UP):
                    step()
                mark()
                for _ in range(STEPS):
                    step()
                mark()
    print(wend.__version__)


def counts(python: Path, directory: Path) -> tuple[str, list[int]]:
    """The version of wend, and the instructions between marks, two by two."""
    out = directory / "counted"
    callgrind = ["valgrind", "--tool=callgrind", f"--dump-before={MARK}"]
    command = [
        *callgrind,
        f"--callgrind-out-file={out}",
        str(python.absolute()),
        "-P",
        __file__,
        "--marked",
    ]
    known = {"WEND_CPU_LEVEL": "v3", "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=os.environ | known, capture_output=True, text=True, cwd="/")
    if done.returncode:
        sys.exit(f"callgrind failed:\n{done.stderr}")
    dumps = [Path(f"{out}.{i + 1}").read_text() for i in range(4 * len(PROGRAMS))]
    totals = [re.search(r"^totals: (\d+)", dump, re.MULTILINE) for dump in dumps]
    return done.stdout.strip(), [int(found[1]) for found in totals[1::2] if found]


def figures_with(python: Path, directory: Path) -> Iterator[Figure]:
    version, counted = counts(python, directory)
    for i, (name, (title, _)) in enumerate(PROGRAMS.items()):
        for k, peer in enumerate(PEERS):
            yield Figure(
                workload=f"nothing to batch: {name}",
                title=title,
                peer=peer,
                version=version,
                threads="1",
                value=counted[2 * i + k] / STEPS / 1000,
                unit="1000 instructions",
                spread=0.0,
                repeats=STEPS,
                thrown_away=0,
                quiet=True,
                aims={PEERS[1]: round(1 / MOST, 2)},
            )


def figures(options: Options, python: Path | None = None) -> Iterator[Figure]:
    if not options.wants("wend"):
        return
    if not shutil.which("valgrind"):
        print("Instructions are counted by valgrind, which is not installed.", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        python = python or install(str(ROOT), directory / "environment")
        if python is None:
            sys.exit("wend could not be installed, see above")
        yield from figures_with(python, directory)


def main() -> None:
    made = parser()
    made.add_argument("--python", type=Path, help="default: wend is installed anew")
    parsed = made.parse_args()
    show(figures(options_of(parsed), parsed.python))


if __name__ == "__main__":
    run_marked() if "--marked" in sys.argv else main()
