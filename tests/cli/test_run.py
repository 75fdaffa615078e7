"""`wend run` runs programs written for PyTorch as they are; `wend info` says what there is."""

import re
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import sys
import torch
import torch.nn.functional as F
import torch.optim as optim
from torch import Tensor
from torch.distributions import Normal
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.backends.cudnn.benchmark = True
torch.manual_seed(0)
x = torch.linspace(-1, 1, 20, device=device).unsqueeze(1)
data = TensorDataset(x, 3 * x - 1)
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = optim.SGD([w, b], lr=0.2)
scheduler = StepLR(optimizer, 50)
for epoch in range(60):
    for inputs, targets in DataLoader(data, batch_size=5, shuffle=True):
        optimizer.zero_grad()
        loss = F.mse_loss(F.linear(inputs, w, b), targets)
        loss.backward()
        optimizer.step()
    scheduler.step()
torch.save({"w": w, "b": b}, "fitted.pt")
state = torch.load("fitted.pt")
print(sys.argv[1:], __name__, round(state["w"].item(), 2), round(state["b"].item(), 2))
"""

IDENTITY = """
import torch, wend, torch.nn, torch.utils.data, torch.optim.lr_scheduler
import torch.nn.functional as F
from torch.utils import data
assert torch is wend
assert torch.Tensor is wend.Tensor
assert torch.nn is wend.nn
assert F is wend.nn.functional
assert data is wend.utils.data
assert torch.__name__ == "torch" and torch.torch is torch
assert torch.nn.__name__ == "torch.nn" and torch.nn.__spec__.name == "wend.nn"
assert torch.optim.lr_scheduler.__name__ == "torch.optim.lr_scheduler"
assert torch.Tensor.__module__ == "torch"
assert int(torch.__version__.split(".")[0]) == 2
print("the same")
"""


def run(tmp_path: Path, program: str, *options: str, args: Any = ()) -> Any:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(program))
    command = [sys.executable, "-m", "wend", "run", *options, str(script), *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)


def test_a_script_for_pytorch_runs_as_it_is(tmp_path: Path) -> None:
    done = run(tmp_path, PROGRAM, args=["--epochs", "3"])
    assert done.stderr == ""
    assert done.stdout == "['--epochs', '3'] __main__ 3.0 -1.0\n"


def test_torch_is_wend_itself(tmp_path: Path) -> None:
    done = run(tmp_path, IDENTITY)
    assert done.stdout == "the same\n", done.stderr


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("torch.randx(2)", "AttributeError: module 'torch' has no attribute 'randx'"),
        ("torch.optim.Adem", "AttributeError: module 'torch.optim' has no attribute 'Adem'"),
        (
            "torch.nn.functional.geluu",
            "AttributeError: module 'torch.nn.functional' has no attribute",
        ),
        ("torch.utils.data.Datset", "AttributeError: module 'torch.utils.data' has no attribute"),
        (
            "from torch.optim import Adem",
            "ImportError: cannot import name 'Adem' from 'torch.optim'",
        ),
        ("from torch import savee", "ImportError: cannot import name 'savee' from 'torch'"),
        ("import torch.optimm", "ModuleNotFoundError: No module named 'torch.optimm'"),
        ("import torch.utils.dta", "ModuleNotFoundError: No module named 'torch.utils.dta'"),
    ],
)
def test_what_wend_lacks_is_named_with_what_is_near(tmp_path: Path, line: str, error: str) -> None:
    done = run(tmp_path, f"import torch, torch.optim, torch.utils\n{line}")
    last = [text for text in done.stderr.splitlines() if "Error: " in text][-1]
    assert done.returncode == 1
    assert last.startswith(error)
    assert "wend" in last.removeprefix(error)
    near = {"randx": "rand", "Adem": "Adam", "savee": "save", "optimm": "optim", "dta": "data"}
    near |= {"geluu": "gelu", "Datset": "Dataset"}
    wanted = next(value for key, value in near.items() if key in line)
    assert wanted in last.partition("Nearest: ")[2].rstrip(".").split(", ")


@pytest.mark.parametrize("name", ["nothing_like_it", "compilex_fibre", "qq", "GradSculptor"])
def test_what_is_not_near_is_not_offered(tmp_path: Path, name: str) -> None:
    done = run(tmp_path, f"import torch\ntorch.{name}")
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"AttributeError: module 'torch' has no attribute '{name}': wend")
    assert "Nearest" not in last


def test_parts_that_wend_lacks_have_pytorchs_names(tmp_path: Path) -> None:
    program = """
    import torch
    from torch.fft import rfft
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
    from torch.nn.attention.flex_attention import BlockMask, flex_attention
    from torch.fx.experimental.proxy_tensor import make_fx
    import torch.ao.quantization as quantization
    import torch.utils.benchmark

    assert not isinstance(torch.ones(1), (FullyShardedDataParallel, BlockMask))
    uses = rfft, torch.fft.ifft, FullyShardedDataParallel, flex_attention, make_fx
    uses += quantization.QuantStub, torch.utils.benchmark.Timer, torch.nested.nested_tensor
    for use in uses:
        try:
            use(torch.ones(2))
        except NotImplementedError as error:
            print(str(error).partition(":")[0], len(str(error).splitlines()))
    for line in (
        "from torch.fft import nothing", "import torch.fft.nothing",
        "from torch.fft.nothing import x", "from torch.nothing.at_all import x",
        "import torch.optim.adam.nothing",
        "from torch.distributed.fsdp import nothing",
    ):
        try:
            exec(line)
        except ImportError as error:
            print("wend" in str(error), type(error).__name__)
    print(hasattr(torch.fft, "nothing"), hasattr(torch, "nothing"))
    """
    done = run(tmp_path, program)
    names = [
        "fft.rfft", "fft.ifft", "distributed.fsdp.FullyShardedDataParallel",
        "nn.attention.flex_attention.flex_attention", "fx.experimental.proxy_tensor.make_fx",
        "ao.quantization.QuantStub", "utils.benchmark.Timer", "nested.nested_tensor",
    ]  # fmt: skip
    kinds = ["ImportError", *["ModuleNotFoundError"] * 4, "ImportError"]
    expected = [f"wend does not have torch.{name} 1" for name in names]
    expected += [f"True {kind}" for kind in kinds]
    assert done.stdout.splitlines() == [*expected, "False False"], done.stderr


def test_the_names_that_packages_import_are_there(tmp_path: Path) -> None:
    program = """
    import torch
    import torch.compiler, torch._dynamo, torch.profiler, torch.fx, torch.__config__, torch.library
    import torch.overrides, torch.hub, torch.futures, torch.nn.parallel.distributed
    import torch.distributed.nn, torch.autograd.gradcheck, torch.autograd.profiler
    from torch.autograd.gradcheck import GradcheckError, gradcheck
    from torch._dynamo.eval_frame import OptimizedModule
    from torch.compiler import disable, is_compiling
    from torch.distributed.nn.functional import all_gather
    from torch.distributions import biject_to, constraint_registry, transform_to
    from torch.futures import Future
    from torch.nn.modules.module import _IncompatibleKeys
    from torch.nn.parallel.distributed import DistributedDataParallel
    from torch.overrides import has_torch_function, is_tensor_like
    from torch.utils.data.dataloader import _BaseDataLoaderIter, _MultiProcessingDataLoaderIter

    torch._C._log_api_usage_once("an event")
    doubled = torch._C._disabled_torch_function_impl(torch.mul, (), (torch.ones(1), 2))
    print(doubled.item(), gradcheck is torch.autograd.gradcheck, GradcheckError.__name__)
    loaded = torch.nn.Linear(1, 1).load_state_dict(torch.nn.Linear(1, 1).state_dict())
    print(isinstance(loaded, _IncompatibleKeys), isinstance(torch.nn.Linear(1, 1), OptimizedModule))
    print(is_compiling(), is_tensor_like(torch.ones(1)), has_torch_function([torch.ones(1)]))
    print(torch.__config__.show().splitlines()[0], len(torch.__config__.parallel_info()) > 0)
    """
    done = run(tmp_path, program)
    assert done.stdout.splitlines() == [
        "2.0 True GradcheckError", "True False", "False True False", "wend built with: True",
    ], done.stderr  # fmt: skip


def test_hasattr_and_guarded_imports_work_as_usual(tmp_path: Path) -> None:
    program = """
    import torch
    print(hasattr(torch, "no_such_thing"), getattr(torch, "no_such_thing", 3))
    try:
        from torch import no_such_thing
    except ImportError:
        print("not there")
    try:
        import torch.no_such_part
    except ImportError:
        print("neither")
    """
    assert run(tmp_path, program).stdout == "False 3\nnot there\nneither\n"


def test_seeds_make_programs_repeatable(tmp_path: Path) -> None:
    program = "import torch, random; print(torch.rand(3).tolist(), random.random())"
    outputs = [run(tmp_path, program, "--seed", seed).stdout for seed in ("1", "1", "2")]
    assert outputs[0] == outputs[1] != outputs[2]


def test_a_report_says_what_ran_by_line(tmp_path: Path) -> None:
    program = "import torch\nx = torch.ones(4) * 3\nprint(x.sum().item())"
    done = run(tmp_path, program, "--report")
    assert done.stdout == "12.0\n"
    assert "script.py:2" in done.stderr
    assert "script.py:3" in done.stderr


def test_eager_runs_every_op_at_its_call(tmp_path: Path) -> None:
    program = "import torch, wend\ny = torch.ones(2) * 3\nprint(wend.graph(y)[y].state)"
    assert run(tmp_path, program).stdout == "pending\n"
    assert run(tmp_path, program, "--eager").stdout == "valued\n"


def test_exit_codes_and_errors_are_the_programs(tmp_path: Path) -> None:
    assert run(tmp_path, "raise SystemExit(7)").returncode == 7
    failed = run(tmp_path, "import torch\ntorch.ones(2) @ torch.ones(3)")
    assert failed.returncode == 1
    assert "RuntimeError: " in failed.stderr
    command = [sys.executable, "-m", "wend", "run", str(tmp_path / "nothing.py")]
    missing = subprocess.run(command, capture_output=True, text=True)
    assert missing.returncode == 2
    assert "can't open file" in missing.stderr


def test_modules_run_too(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("import torch; print(torch.ones(1).item(), __name__)")
    command = [sys.executable, "-m", "wend", "run", "-m", "tool"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "1.0 __main__\n"


def test_info_names_versions_and_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wend", "info"], capture_output=True, text=True, check=True
    )
    for word in ("wend", "PyTorch 2.13.0", "Python", "instruction set", "threads"):
        assert word in done.stdout


def test_spawned_processes_find_wend_too(tmp_path: Path) -> None:
    program = """
    import torch
    import torch.multiprocessing as mp
    from torch.utils.data import DataLoader, Dataset

    class Numbers(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return torch.full((2,), float(i)), torch.__version__

    def work(index, given):
        assert "wend" in torch.__version__
        if given.sum() > index + 1:
            raise ValueError(f"process {index} was given {given.tolist()}")

    if __name__ == "__main__":
        loader = DataLoader(Numbers(), batch_size=2, num_workers=1, multiprocessing_context="spawn")
        for numbers, versions in loader:
            print(numbers.tolist(), "wend" in versions[0])
        mp.spawn(work, args=(torch.ones(1),), nprocs=2)
        try:
            mp.spawn(work, args=(torch.ones(3),), nprocs=1)
        except mp.ProcessRaisedException as error:
            print(str(error).strip().splitlines()[-1])
    """
    done = run(tmp_path, program)
    assert done.stdout.splitlines() == [
        "[[0.0, 0.0], [1.0, 1.0]] True",
        "[[2.0, 2.0], [3.0, 3.0]] True",
        "ValueError: process 0 was given [1.0, 1.0, 1.0]",
    ], done.stderr


def test_parts_that_wend_lacks_can_be_imported_and_raise_when_used(tmp_path: Path) -> None:
    program = """
    import torch, torch.onnx, torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from torch.cuda.amp import GradScaler, autocast

    print(dist.is_available(), dist.is_initialized())
    with autocast(enabled=False):
        print(GradScaler(enabled=False).scale(torch.tensor(2.0)))
    for use in (
        lambda: torch.onnx.export(None, "file"),
        lambda: DistributedDataParallel(torch.nn.Linear(1, 1)),
        lambda: torch.autocast("cpu"),
    ):
        try:
            use()
        except (ValueError, RuntimeError) as error:
            print(str(error).partition(":")[0].partition(",")[0])
    """
    done = run(tmp_path, program)
    assert done.stdout.splitlines() == [
        "False False",
        "tensor(2.)",
        "wend does not have torch.onnx.export",
        "Default process group has not been initialized",
        "wend has no autocast for device_type 'cpu'",
    ], done.stderr


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_train_one_model_in_shared_memory(tmp_path: Path, method: str) -> None:
    program = """
    import sys
    import torch
    import torch.multiprocessing as mp

    def train(model, steps):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        for _ in range(steps):
            optimizer.zero_grad()
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()

    if __name__ == "__main__":
        mp.set_start_method(sys.argv[1])
        model = torch.nn.Linear(2, 1)
        for parameter in model.parameters():
            torch.nn.init.zeros_(parameter)
        model.share_memory()
        print(model.weight.is_shared(), torch.ones(1).is_shared())
        for _ in range(2):
            process = mp.Process(target=train, args=(model, 3))
            process.start()
            process.join()
            print(model.weight.tolist(), model(torch.zeros(1, 2)).tolist())
    """
    done = run(tmp_path, program, args=[method])
    assert done.stdout.splitlines() == [
        "True False",
        "[[-1.5, -1.5]] [[-1.5]]",
        "[[-3.0, -3.0]] [[-3.0]]",
    ], done.stderr


# Programs that need no tensors, with what they are given: to run as Python itself runs them.
LIKE_PYTHON = {
    "an error": "def f(): raise ValueError('no')\nf()",
    "an error with a cause": "try: 1/0\nexcept ZeroDivisionError as e: raise KeyError('a') from e",
    "several errors": "raise ExceptionGroup('two', [ValueError(1), KeyError(2)])",
    "a syntax error": "x = (1,\ndef",
    "a bad indent": "if 1:\nx = 2",
    "an interrupt": "raise KeyboardInterrupt",
    "an exit": "raise SystemExit('bye')",
    "an exit code": "import sys; sys.exit(3)",
    "an import that fails": "import broken",
    "a hook": """
        import sys, traceback
        def hook(kind, error, trace):
            print(kind.__name__, [frame.name for frame in traceback.extract_tb(trace)])
        sys.excepthook = hook
        raise ValueError
        """,
    "a hook that fails": "import sys; sys.excepthook = 3\nsys.excepthook = None\nprint(1)",
    "names": """
        import sys
        main = sys.modules["__main__"]
        print(sys.argv, __file__, __name__, __spec__, __package__, __cached__, sys.path[0])
        print(main.__dict__ is globals(), __builtins__, __doc__, type(__loader__).__name__)
        """,
    "what runs at the end": """
        import atexit, sys
        value = 5
        atexit.register(lambda: print(value, sys.modules["__main__"].value))
        atexit.register(lambda: int("x"))
        """,
    "a thread that goes on": """
        import threading, time
        value = 5
        def work():
            time.sleep(0.05)
            print(value)
            raise ValueError("in a thread")
        threading.Thread(target=work).start()
        """,
    "a spawned process that fails": """
        import multiprocessing, sys
        def work():
            print(__name__, len(sys.argv), flush=True)
            sys.stderr = sys.stdout
            raise ValueError("in a process")
        if __name__ == "__main__":
            process = multiprocessing.get_context("spawn").Process(target=work)
            process.start()
            process.join()
            print(process.exitcode)
        """,
}


def both_outcomes(tmp_path: Path, *arguments: str) -> list[Any]:
    outcomes = []
    for command in ([sys.executable], [sys.executable, "-m", "wend", "run"]):
        done = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60
        )
        plain = re.sub("0x[0-9a-f]+", "0x", done.stderr)
        # Python shows how it ran a module itself.
        plain = re.sub('  File "<frozen runpy>", line .*\n', "", plain)
        outcomes.append((done.stdout, plain, done.returncode))
    return outcomes


@pytest.mark.parametrize("name", LIKE_PYTHON)
def test_a_script_runs_as_python_runs_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "broken.py").write_text("def g(): import nothing_of_that_name\ng()")
    program = textwrap.dedent(LIKE_PYTHON[name])
    (tmp_path / "script.py").write_text(program)
    python, ours = both_outcomes(tmp_path, "script.py", "--an", "argument")
    assert ours == python


def written(tmp_path: Path, how: str, program: str) -> list[str]:
    """Write a program in some form, and return how a command line names it."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(program)
    (tmp_path / "module.py").write_text(program)
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", program)
    return {"folder": ["package"], "archive": ["archive.zip"]}.get(how, ["-m", how])


@pytest.mark.parametrize("name", ["an error", "an exit", "names"])
@pytest.mark.parametrize("how", ["module", "package", "folder", "archive"])
def test_modules_packages_and_archives_run_as_python_runs_them(
    tmp_path: Path, how: str, name: str
) -> None:
    program = textwrap.dedent(LIKE_PYTHON[name]).replace("__spec__", "__spec__.name")
    program = program.replace("__cached__", "__loader__ and 0")
    python, ours = both_outcomes(tmp_path, *written(tmp_path, how, program), "argument")
    assert ours == python


@pytest.mark.parametrize("how", ["module", "package", "folder", "archive"])
def test_a_syntax_error_in_the_program_has_no_frames(tmp_path: Path, how: str) -> None:
    given = written(tmp_path, how, "x = (1,\ndef")
    _, (_, ours, code) = both_outcomes(tmp_path, *given)
    assert ours.lstrip().startswith('File "')
    assert ours.endswith("SyntaxError: '(' was never closed\n")
    assert len(ours.splitlines()) == 4
    assert code == 1


def test_programs_that_are_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for given, said, code in (
        (["nothing.py"], "can't open file", 2),
        (["-m", "nothing"], "No module named nothing", 1),
        (["-m", "json.nothing"], "No module named json.nothing", 1),
        (["empty"], "can't find '__main__' module in 'empty'", 2),
    ):
        _, (_, ours, returned) = both_outcomes(tmp_path, *given)
        assert said in ours
        assert len(ours.splitlines()) == 1
        assert returned == code


def test_a_program_may_come_by_standard_input(tmp_path: Path) -> None:
    program = "import sys\nprint(sys.argv, __name__, sys.path[0])\n'x'.y\n"
    outcomes = []
    for command in ([sys.executable], [sys.executable, "-m", "wend", "run"]):
        done = subprocess.run(
            [*command, "-", "an", "--argument"],
            input=program, capture_output=True, text=True, cwd=tmp_path, timeout=60,
        )  # fmt: skip
        outcomes.append((done.stdout, done.stderr, done.returncode))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seed", str(2**70), "x.py"], "argument --seed: invalid int value"),
        (["--seed", "x", "x.py"], "argument --seed: invalid int value"),
        (["--seed"], "argument --seed: expected one argument"),
        ([], "the following arguments are required: script.py"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(arguments: list[str], said: str) -> None:
    command = [sys.executable, "-m", "wend", "run", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1].startswith(f"wend run: error: {said}")
    assert done.returncode == 2
