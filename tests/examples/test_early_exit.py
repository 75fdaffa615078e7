"""The network of examples/early_exit.py learns, and computes no more stages than it needs."""

from pathlib import Path

from programs import load

import wend


def test_it_is_right_with_a_part_of_its_stages(tmp_path: Path) -> None:
    arguments = ["--points", "800", "--epochs", "40", "--picture", str(tmp_path / "exits.png")]
    right, depth = load("early_exit").main(arguments)
    assert right > 0.9
    assert depth < 4


def test_a_stage_sees_only_the_inputs_that_went_on() -> None:
    program = load("early_exit")
    wend.manual_seed(0)
    model = program.make_model(stages=3, width=4, classes=2).eval()
    sizes: list[int] = []
    for stage in model.stages:
        stage.register_forward_hook(lambda _module, args, _out: sizes.append(len(args[0])))
    _, depth = program.test(model, wend.randn(50, 2), wend.zeros(50), threshold=0.62)
    assert sizes == [sum(left > n for left in depth) for n in range(len(sizes))]


def test_it_reads_points(tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("0.5,-1,1\n1,2,0\n")
    assert load("early_exit").read(points) == [(0.5, -1.0, 1), (1.0, 2.0, 0)]
