"""Tells whether other processes used the cores while something was timed.

It only looks; throwing a disturbed repeat away is left to whoever timed it.
"""

import os
import resource
from pathlib import Path

STAT = Path("/proc/stat")
TICK = 1 / os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1


def busy_seconds() -> float:
    """CPU seconds that the whole machine has spent, time stolen by a hypervisor included."""
    if not STAT.exists():
        return own_seconds()
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(
        int, STAT.read_text().split(maxsplit=9)[1:9]
    )
    return (user + nice + system + irq + softirq + steal) * TICK


def own_seconds() -> float:
    """CPU seconds of this process and of the children it has waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Meter:
    """Measures from its making on how much CPU time others used."""

    def __init__(self) -> None:
        self.busy, self.own = busy_seconds(), own_seconds()

    def others(self) -> float:
        return max(0.0, busy_seconds() - self.busy - (own_seconds() - self.own))


def is_quiet(seconds: float, others: float) -> bool:
    """Whether others took at most a twentieth of the cores, up to the clock's resolution."""
    return others <= CORES * (0.05 * seconds + TICK)
