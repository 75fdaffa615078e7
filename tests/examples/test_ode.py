"""The neural ODE of examples/ode.py learns a motion, by steps that fit it."""

import math
import random
from pathlib import Path

import pytest
from programs import load, same_start

import wend


def test_it_learns_the_law_of_a_motion(tmp_path: Path) -> None:
    before, after = load("ode").main(["--steps", "150", "--picture", str(tmp_path / "ode.png")])
    assert after < before / 4


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_the_solver_follows_a_known_solution_with_more_steps_for_less_error(
    tolerance: float,
) -> None:
    program = load("ode")
    start = wend.tensor([1.0, 0.0], dtype=wend.double)
    turn = wend.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=wend.double)
    states, taken = program.solve(lambda x: x @ turn, start, [0.0, 1.0, 3.0], tolerance)
    assert sum(taken) == pytest.approx(3)
    assert states[2].tolist() == pytest.approx([math.cos(3), math.sin(3)], abs=30 * tolerance)
    assert len(taken) > (5 if tolerance == 1e-3 else 25)


def test_it_reads_what_was_observed(tmp_path: Path) -> None:
    path = tmp_path / "motion.csv"
    path.write_text("0,1,2\n0.5,3,4\n")
    times, states = load("ode").read(path)
    assert times == [0, 0.5]
    assert states.tolist() == [[1, 2], [3, 4]]


def test_losses_and_steps_are_those_of_pytorch() -> None:
    pytest.importorskip("torch")
    theirs, ours = load("ode", "torch"), load("ode")
    models = [program.LearnedLaw(2, 8) for program in (theirs, ours)]
    same_start(models[1], models[0])
    results = []
    for program, model in zip((theirs, ours), models, strict=True):
        random.seed(1)
        results.append(program.train(model, *program.generate(41), 10, 0.01, 1e-3))
    assert results[1][0] == pytest.approx(results[0][0], rel=1e-2)
    assert results[1][1] == results[0][1]
