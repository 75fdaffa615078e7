"""The policy of examples/cartpole.py learns to balance; its game is gymnasium's."""

from pathlib import Path

import pytest
from programs import load


@pytest.mark.parametrize("library", ["wend", "torch"])
def test_it_learns_to_balance(tmp_path: Path, library: str) -> None:
    pytest.importorskip(library)
    # PyTorch, which takes ten times as long, is only to begin to learn.
    episodes, gain = (150, 4) if library == "wend" else (60, 1.2)
    arguments = ["--own", "--episodes", str(episodes), "--picture", str(tmp_path / "pole.png")]
    lengths = load("cartpole", library).main(arguments)
    assert sum(lengths[-20:]) > gain * sum(lengths[:20])


def test_the_game_written_there_is_that_of_gymnasium() -> None:
    pytest.importorskip("gymnasium")
    program = load("cartpole")
    theirs, ours = program.Gymnasium(seed=3), program.CartPole(seed=3)
    ours.reset()
    ours.state = list(theirs.reset())
    over = False
    steps = 0
    while not over:
        action = steps // 3 % 2
        seen, over = theirs.step(action)
        state, ended = ours.step(action)
        assert state == pytest.approx(seen, abs=1e-5)
        assert ended == over
        steps += 1
    assert steps > 10
