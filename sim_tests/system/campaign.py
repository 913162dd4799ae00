"""Runs random programs on a design and judges them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tilewright.sim_tests.drivers.core_result import Operation
from tilewright.sim_tests.drivers.core_session import CoreSession, Event, LoadPort
from tilewright.sim_tests.harness import Build, SimulationFailed, Stall, ledger
from tilewright.sim_tests.system.data import random_stall
from tilewright.sim_tests.system.designs import Design
from tilewright.sim_tests.system.judge import Judge, Tally
from tilewright.sim_tests.system.program import Author, Step

LOAD_PORTS: Mapping[str, LoadPort] = {"a": "load_a", "b": "load_b", "c": "load_c"}


def run_programs(design: Design, seeds: Iterable[int], commands: int) -> Tally:
    """Programs of ``commands`` commands each, one a seed; raises SimulationFailed at the first difference."""
    build = design.build()
    total = Tally()
    for seed in seeds:
        try:
            total.add(random_program(design, build, seed, commands))
        except SimulationFailed as failure:
            failure.add_note(
                f"design {design.name}, program of seed {seed} with {commands} commands: {design.config!r}"
            )
            raise
    ledger.count(commands_judged=total.commands, sums_compared=total.sums, refusals_expected=total.refused.total())
    return total


def random_program(design: Design, build: Build, seed: int, length: int) -> Tally:
    """One program of ``length`` commands: everything random comes from ``seed``."""
    rng = np.random.default_rng(seed)
    steps = Author(design.config, rng).write(length)
    session = CoreSession(design.parameters, rng)
    operations = perform(session, steps)
    result = session.run(build, seed=seed % (2**31 - 1) + 1, stall=random_stalls(rng, build))
    return Judge(design.config, result).follow(steps, operations)


def random_stalls(rng: np.random.Generator, build: Build) -> dict[str, Stall]:
    """A pattern for every stream, or none at all."""
    if rng.random() < 0.2:
        return {}
    return {port.name: random_stall(rng, output=port.direction == "out") for port in build.interface.streams}


def perform(session: CoreSession, steps: Sequence[Step], offers: Sequence[int] | None = None) -> list[Operation]:
    """Adds ``steps`` to ``session``; ``offers`` are the cycles in which they are offered at the earliest."""
    operations: list[Operation] = []
    for index, step in enumerate(steps):
        if offers is not None:
            session.not_before(offers[index])
        after: list[Operation | Event] = [operations[place] for place in step.after]
        if step.dares is not None:
            dared = operations[step.dares]
            after.append(Event(dared.stream, dared.place + 1))
        operations.append(_perform(session, step, after))
    return operations


def _perform(session: CoreSession, step: Step, after: list[Operation | Event]) -> Operation:
    c, t = step.command, step.transfer
    if c is not None:
        return session.command(
            c.m, c.n, c.k, c.dataflow, a=c.a_base, b=c.b_base, c=c.c_base, bias=c.bias_base,
            region=c.region, start=c.start, point=c.point, after=after,
        )  # fmt: skip
    assert t is not None
    if step.port is None:
        return session.read(t.rows, t.cols, t.base, region=t.region, after=after)
    assert step.matrix is not None
    return session.load(
        LOAD_PORTS[step.port], step.matrix, t.base, region=t.region, after=after, announced=(t.rows, t.cols)
    )
