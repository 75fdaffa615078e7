"""Threads take turns, and forks and the end of the process wait for no more than running kernels.

Programs that end while they compute run in processes of their own. What was waited for is counted
in kernels, not in seconds.
"""

import subprocess
import sys
import threading
from typing import Any

import pytest

import wend

PRELUDE = """
import os, sys, threading, time
ends = []
import atexit
atexit.register(lambda: [end() for end in ends])  # after wend's own
import wend

def kernels():
    return wend._C._counters()["kernels"]

def products(count, size=256):
    x = wend.ones(size, size) / size
    for _ in range(count):
        x = (x @ x).relu()
    return x.sum().item()

def for_ever(*arguments):
    while True:
        products(*arguments)

def compute(*arguments):
    thread = threading.Thread(target=for_ever, args=arguments, daemon=True)
    before = kernels()
    thread.start()
    while kernels() < before + 3:
        time.sleep(0.001)

"""


def output_of(program: str, *, threads: int = 2) -> list[str]:
    """The lines that a program prints, which is to end by itself."""
    setting = f"import os\nos.environ['WEND_NUM_THREADS'] = '{threads}'\n"
    done = subprocess.run(
        [sys.executable, "-c", setting + PRELUDE + program],
        capture_output=True,
        text=True,
        timeout=300,  # a thread sanitizer takes its time
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_threads_that_compute_get_as_many_turns() -> None:
    turns = [0, 0, 0]
    done = threading.Event()
    begin = threading.Barrier(3)

    def work(i: int) -> None:
        x = wend.ones(300, 300)
        begin.wait()
        while not done.is_set():
            (x @ x).sum().item()
            turns[i] += 1
            if turns[i] == 100:
                done.set()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
        assert not thread.is_alive()
    assert min(turns) > 50


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fork_waits_for_running_kernels_only(threads: int) -> None:
    program = """
compute(600)
for _ in range(5):
    before = kernels()
    child = os.fork()
    waited = kernels() - before
    if child == 0:
        os._exit(0 if (wend.ones(3) * 2).tolist() == [2.0] * 3 else 1)
    assert os.waitpid(child, 0)[1] == 0
    print(waited)
"""
    assert all(int(count) < 150 for count in output_of(program, threads=threads))


@pytest.mark.parametrize("arguments", ["1", "600", "1, 1024"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_end_waits_for_running_kernels_only(threads: int, arguments: str) -> None:
    program = f"""
ends.append(lambda: print(kernels() - before))
for _ in range(3):
    compute({arguments})
before = kernels()
"""
    (count,) = output_of(program, threads=threads)
    assert int(count) < 150


def test_the_end_may_look_at_values_while_others_wait_or_compute() -> None:
    program = """
class Last:
    def __init__(self):
        self.weight = wend.ones(3).mul_(0.5).requires_grad_()
        self.needs = os.write, wend.ones  # by then modules have lost their names
    def __del__(self):
        write, ones = self.needs
        values = (self.weight * 2).sum().item(), ones(400, 400).sum().item()
        write(1, f"{values[0]} {values[1]}".encode())

ends.append(lambda: print(products(2), flush=True))
for _ in range(3):
    compute(600)
import colorsys
colorsys.kept = Last()  # it goes with the modules that no thread refers to
"""
    for _ in range(3):
        assert output_of(program) == ["256.0", "3.0", "160000.0"]


def test_threads_go_on_after_a_fork_and_children_compute() -> None:
    program = """
for _ in range(3):
    compute(40)
for _ in range(10):
    child = os.fork()
    if child == 0:
        w = wend.ones(3).mul_(0.5).requires_grad_()
        w.sum().backward()
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0 if products(3) == 256 else 1)
        ended = os.waitpid(grandchild, 0)[1] == 0
        os._exit(0 if ended and w.grad.tolist() == [1.0] * 3 and products(3) == 256 else 1)
    assert os.waitpid(child, 0)[1] == 0
    before = kernels()
    while kernels() < before + 10:
        time.sleep(0.001)
print(products(3))
"""
    assert output_of(program) == ["256.0"]


def test_a_fork_inside_a_run_goes_on_in_parent_and_child() -> None:
    program = """
import signal
parent, children = os.getpid(), []

def handler(*_):
    if len(children) < 3 and os.getpid() == parent:
        children.append(os.fork())

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.02)
results = [products(40) for _ in range(10)]
signal.setitimer(signal.ITIMER_REAL, 0)
if os.getpid() != parent:
    os._exit(0 if results == [256.0] * 10 else 1)
assert results == [256.0] * 10
print(sum(os.waitpid(child, 0)[1] for child in children), len(children) > 0)
"""
    assert output_of(program) == ["0", "True"]


SPIN = """
def spin():
    for _ in range(10**9):
        pass

class Spins:
    def __del__(self):
        spin()

    def __index__(self):
        spin()

class Spinning(wend.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        spin()

def examples():
    spin()
    yield 1

x = wend.ones(3, requires_grad=True)
y = x * 2
"""

# Calls from a thread in the midst of which the program ends.
CALLED_BY = {
    "hook": "y.register_hook(lambda g: spin()); y.sum().backward()",
    "hook of a leaf": "x.register_hook(lambda g: spin()); y.sum().backward()",
    "hook after accumulation":
        "x.register_post_accumulate_grad_hook(lambda p: spin()); y.sum().backward()",
    "hook of a node": "y.grad_fn.register_hook(lambda *a: spin()); y.sum().backward()",
    "Function": "Spinning.apply(x).sum().backward()",
    "saved tensor":
        "wend.autograd.graph.saved_tensors_hooks(lambda v: spin(), spin).__enter__(); x.exp()",
    "map": "wend.map(lambda i: spin(), range(3))",
    "map after a wait": "wend.map(lambda i: (x.sum() > 0 and None, spin()), range(3))",
    "examples of a map": "wend.map(lambda i: i, examples())",
    "index": "x[Spins()]",
    "argument": "x.sum(Spins())",
    "end of a hook": "y.register_hook(lambda g, s=Spins(): None); y = None",
    "end of a hook in a run":
        "y.register_hook(lambda g, s=Spins(): None); y = (y * 2).detach(); y.sum().item()",
}  # fmt: skip


@pytest.mark.parametrize("where", CALLED_BY)
def test_the_end_finds_a_thread_in_user_code_that_wend_called(where: str) -> None:
    program = f"""
def work():
    global y
    {CALLED_BY[where]}

threading.Thread(target=work, daemon=True).start()
time.sleep(0.15)
print("end")
"""
    assert output_of(SPIN + program) == ["end"]


def test_the_end_finds_threads_in_the_midst_of_maps() -> None:
    program = """
def for_ever():
    while True:
        wend.map(lambda i: wend.ones(2).sum().item() if wend.ones(2).sum() > i else i, range(9))

for _ in range(2):
    threading.Thread(target=for_ever, daemon=True).start()
time.sleep(0.2)
print("end")
"""
    for _ in range(4):
        assert output_of(program) == ["end"]


def test_a_waiting_thread_is_not_overtaken() -> None:
    """Whoever asks later has their turn later, though they ask again and again."""
    order: list[Any] = []
    x = wend.ones(700, 700)
    started = threading.Barrier(4)

    def once(i: int) -> None:
        started.wait(60)
        (x @ x).sum().item()
        order.append(i)

    def often() -> None:
        started.wait(60)
        for _ in range(40):
            (x @ x).sum().item()
            order.append("often")

    threads = [threading.Thread(target=once, args=(i,)) for i in range(3)]
    threads.append(threading.Thread(target=often))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert max(order.index(i) for i in range(3)) < 20
