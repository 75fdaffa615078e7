"""Runs every workload, prints the table, and writes the figures as JSON and as a plot.

Usage: python -m benchmarks [--out DIRECTORY] [options of the harness]
"""

import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

from benchmarks import harness, report


def main() -> None:
    parser = harness.parser()
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parsed = parser.parse_args()
    figures = harness.show(harness.measure_all(harness.options_of(parsed)))
    machine = {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "system": platform.system(),
    }
    results = {"machine": machine, "figures": [asdict(figure) for figure in figures]}
    parsed.out.mkdir(parents=True, exist_ok=True)
    (parsed.out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    (parsed.out / "results.svg").write_text(report.plot(figures))


if __name__ == "__main__":
    main()
