"""Shows figures to people: a Markdown table, and a plot as SVG.

It computes nothing but ratios; measuring is the harness's.
"""

import math
from collections.abc import Sequence
from html import escape

from benchmarks.workload import Figure, module_of

NAMES = {
    "wend": "wend",
    "torch": "PyTorch",
    "dynet": "DyNet",
    "jax": "JAX jit",
    "mlx": "MLX",
}
COLOURS = {
    "wend": "#d1495b",
    "torch": "#5b6c7d",
    "dynet": "#8fa3b5",
    "jax": "#b9c6d2",
    "mlx": "#d5dde4",
}
BAR, GAP, LABELS, WIDTH = 16, 26, 110, 760


def name(program: str) -> str:
    """What people call a program.

    >>> name("torch by level")
    'PyTorch by level'
    """
    peer = module_of(program)
    return NAMES[peer] + program.removeprefix(peer)


def programs(figures: Sequence[Figure]) -> list[str]:
    """The programs that were measured, peer by peer."""
    found = dict.fromkeys(figure.peer for figure in figures)
    order = list(NAMES)
    return sorted(found, key=lambda program: order.index(module_of(program)))


def groups(figures: Sequence[Figure]) -> list[list[Figure]]:
    """Figures measured side by side, in the order they came."""
    found: dict[tuple[str, str], list[Figure]] = {}
    for figure in figures:
        found.setdefault((figure.workload, figure.threads), []).append(figure)
    return list(found.values())


def number(value: float) -> str:
    """Three significant digits, without an exponent.

    >>> number(4231.4), number(0.4567)
    ('4231', '0.457')
    """
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{digits}f}"


def cell(figure: Figure | None) -> str:
    """A figure, with a tilde where other processes disturbed it."""
    if figure is None:
        return ""
    return f"{'' if figure.quiet else '~'}{number(figure.value)}"


def ratio_cell(group: dict[str, Figure], peer: str) -> str:
    """How many times faster than the peer wend is, and how many it is to be."""
    wend, other = group.get("wend"), group.get(peer)
    if wend is None or other is None:
        return ""
    aim = wend.aims.get(peer)
    return f"{number(other.value / wend.value)}×" + (f" (aim {aim:g}×)" if aim else "")


def table(figures: Sequence[Figure]) -> str:
    """All figures as a Markdown table, a row for what was measured side by side."""
    peers = programs(figures)
    others = [peer for peer in peers if peer != "wend"]
    heads = ["", "workload", "unit", "threads", *(name(peer) for peer in peers)]
    heads += [f"{name(peer)} / wend" for peer in others]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for group in groups(figures):
        first, by_peer = group[0], {figure.peer: figure for figure in group}
        cells = [first.workload, first.title, first.unit, first.threads]
        cells += [cell(by_peer.get(peer)) for peer in peers]
        cells += [ratio_cell(by_peer, peer) for peer in others]
        lines.append("| " + " | ".join(cells) + " |")
    disturbed = any(not figure.quiet for figure in figures)
    return "\n".join(lines + (["", "~ other processes used the cores"] if disturbed else []))


def text(x: float, y: float, content: str, **attributes: object) -> str:
    extra = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(content)}</text>'


def bars(group: Sequence[Figure], top: float, reach: float) -> list[str]:
    """One group's bars, relative to its slowest figure on a logarithmic scale."""
    first, slowest = group[0], max(figure.value for figure in group)
    fastest = min(figure.value for figure in group)
    scale = (WIDTH - LABELS - 90) / max(1.0, reach)
    heading = f"{first.workload}: {first.title}, {first.unit}"
    drawn = [text(0, top - 6, heading, font_weight="bold")]
    for row, figure in enumerate(sorted(group, key=lambda figure: figure.value)):
        y = top + row * BAR
        # Half a decade stands for the fastest anywhere, so that every bar can be seen.
        length = scale * (reach - math.log10(slowest / figure.value))
        fill = COLOURS.get(module_of(figure.peer), "#cccccc")
        drawn.append(text(0, y + BAR - 5, name(figure.peer)))
        drawn.append(
            f'<rect x="{LABELS}" y="{y + 2:.1f}" width="{length:.1f}" height="{BAR - 4}" '
            f'fill="{fill}"/>'
        )
        label = number(figure.value)
        if figure.value > fastest:
            label += f"  ({number(figure.value / fastest)}×)"
        drawn.append(text(LABELS + length + 6, y + BAR - 5, label))
    return drawn


def plot(figures: Sequence[Figure]) -> str:
    """The figures with default threads as horizontal bars; shorter is better."""
    chosen = [group for group in groups(figures) if group[0].threads != "1"]
    spans = [max(f.value for f in group) / min(f.value for f in group) for group in chosen]
    reach = 0.5 + math.log10(max(spans, default=1.0))
    drawn, top = [], 2.0 * GAP
    for group in chosen:
        drawn += bars(group, top, reach)
        top += len(group) * BAR + GAP
    caption = "Shorter is better (logarithmic scale)"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 0 {WIDTH + 20} {top:.0f}" '
            'font-family="sans-serif" font-size="11" fill="#222222">',
            f'<rect x="-10" width="{WIDTH + 20}" height="{top:.0f}" fill="#ffffff"/>',
            text(0, 16, caption, font_size=13),
            *drawn,
            "</svg>\n",
        ]
    )
