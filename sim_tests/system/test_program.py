"""Random programs contain what they are meant to contain."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache

import numpy as np

from tilewright.generators.reference.core import ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.program import Author, Step

PROGRAMS = 8
COMMANDS = 20


@lru_cache(maxsize=1)
def programs() -> list[tuple[ReferenceCore, list[Step]]]:
    return [
        (ReferenceCore(design.config), Author(design.config, np.random.default_rng(seed)).write(COMMANDS))
        for design in gate_designs().values()
        for seed in range(PROGRAMS)
    ]


def test_programs_try_everything() -> None:
    statuses: Counter[Status] = Counter()
    for rules, steps in programs():
        for step in steps:
            if step.command is not None:
                statuses[rules.command_status(step.command)] += 1
            elif step.transfer is not None:
                statuses[rules.transfer_status(step.side, step.transfer)] += 1
    # The two others depend on time and on the beats that are sent.
    assert set(Status) - set(statuses) == {Status.IN_USE, Status.LENGTH}
    assert min(statuses.values()) >= 10


def test_consecutive_commands_meet_in_c() -> None:
    found: Counter[str] = Counter()
    for rules, steps in programs():
        legal = [s.command for s in steps if s.command is not None and rules.command_status(s.command) == Status.OK]
        for last, command in itertools.pairwise(legal):
            found += meetings(rules, last, command)
    assert min(found[name] for name in ("accumulates", "overwrites", "starts from", "overwrites bias")) >= 20, found
    assert found["another dataflow"] >= 100


def meetings(rules: ReferenceCore, last: Command, command: Command) -> Counter[str]:
    """What ``command`` has to do with the words of ``last``."""
    before, after = rules.command_spans(last), rules.command_spans(command)
    found = Counter({"another dataflow": int(last.dataflow != command.dataflow)})
    if last.region != command.region:
        return found
    if before["c"].overlaps(after["c"]):
        found["accumulates" if command.start == Start.ACCUMULATE else "overwrites"] += 1
    found["starts from"] += "bias" in after and after["bias"].overlaps(before["c"])
    found["overwrites bias"] += "bias" in before and before["bias"].overlaps(after["c"])
    return found


def test_extents_reach_the_edges_of_the_array_and_of_the_memories() -> None:
    found: Counter[str] = Counter()
    for rules, steps in programs():
        config = rules.config
        for command in (step.command for step in steps if step.command is not None):
            if rules.command_status(command) != Status.OK:
                continue
            found["one"] += 1 in (command.m, command.n, command.k)
            found["a whole tile"] += command.m == config.rows and command.n == config.cols
            found["a ragged vector"] += command.k % config.vector != 0
            spans = rules.command_spans(command)
            found["up to the last word"] += spans["c"].high == config.scratchpads.c.words
            larger = Command(command.m + 1, command.n, command.k, command.dataflow)
            found["no row more"] += rules.command_status(larger) != Status.OK
    assert min(found.values()) >= 10, found
    assert len(found) == 5
