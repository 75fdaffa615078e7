"""No entry of the op table looks at a value behind the back of whoever watches."""

import pytest
from ops.calls import computed, function_of
from ops.samples import diverse, entries, find, samples

import wend
from wend._watch import Events

INDICES = [i for i, entry in enumerate(entries()) if find(wend, entry.path)]
every_entry = pytest.mark.parametrize("index", INDICES, ids=[str(entries()[i]) for i in INDICES])

# What looks only to refuse values: if it does not raise, the program has learnt nothing.
CHECKS = {"bernoulli", "binomial", "histc", "multinomial", "normal", "poisson"}


def nodes_run() -> int:
    return wend._C._counters()["nodes"]


@every_entry
def test_what_runs_when_it_is_recorded_is_read_or_can_fail_on_values(index: int) -> None:
    entry = entries()[index]
    function = function_of(entry)
    for call in diverse([outcome.call for outcome in samples(index).accepted], 3):
        before = nodes_run()
        with Events() as events:
            computed(function, call)
            kinds = [event[0] for event in events.take()]
        if nodes_run() > before and "read" not in kinds:
            assert entry.facts["at_once"] or entry.name in CHECKS
