"""Products of which one extent is as large as the scratchpads allow: counters and addresses run to their ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilewright.generators.reference.core import DATAFLOWS, ReferenceCore
from tilewright.generators.reference.product import product
from tilewright.generators.reference.records import Command, Start, Status
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import Build, ledger
from tilewright.sim_tests.system.data import telling_matrix
from tilewright.sim_tests.system.designs import Design

LIMIT = 65_536


def longest_products(design: Design) -> list[Command]:
    """Each extent in turn as large as it can be, by every dataflow of ``design``.

    Beside extents of 1, from zero and from a bias, and beside extents that go just beyond a tile; the last one also
    with a K that is a vector shorter.
    """
    config = design.config
    rules = ReferenceCore(config)
    beyond = {"m": config.rows + 1, "n": config.cols + 1, "k": config.rows * config.vector + 1}
    found = []
    for dataflow in DATAFLOWS[config.dataflow]:
        for name in ("m", "n", "k"):
            single = Command(1, 1, 1, dataflow)
            wide = replace(single, **{other: extent for other, extent in beyond.items() if other != name})
            biased = replace(single, start=Start.BIAS)
            for command in (single, wide, _with_bias_behind(rules, biased)):
                if rules.command_status(command) == Status.OK:
                    found.append(stretched(rules, command, name))
        longest = found[-1]
        if longest.k > config.vector:
            found.append(replace(longest, k=longest.k - config.vector))
    return found


def stretched(rules: ReferenceCore, command: Command, name: str) -> Command:
    """``command`` with the largest extent ``name``; a bias lies behind C."""
    low: int = getattr(command, name)
    high = LIMIT
    while high - low > 1:
        middle = (low + high) // 2
        longer = _with_bias_behind(rules, replace(command, **{name: middle}))
        low, high = (middle, high) if rules.command_status(longer) == Status.OK else (low, middle)
    return _with_bias_behind(rules, replace(command, **{name: low}))


def _with_bias_behind(rules: ReferenceCore, command: Command) -> Command:
    if command.start != Start.BIAS:
        return command
    behind = rules.command_spans(replace(command, start=Start.ZERO))["c"].high
    return replace(command, bias_base=min(behind, LIMIT - 1))


def check_longest(design: Design, build: Build, command: Command) -> None:
    """Runs ``command`` on random operands; SimulationFailed where C is not that of the reference."""
    m, n, k = command.m, command.n, command.k
    config = design.config
    rng = np.random.default_rng(m + n + k)
    a, b = telling_matrix(rng, config.a, m, k), telling_matrix(rng, config.b, k, n)
    bias = telling_matrix(rng, config.acc, 1, n) * (command.start == Start.BIAS)
    session = CoreSession(design.parameters)
    loads = [session.load("load_a", a), session.load("load_b", b)]
    if command.start == Start.BIAS:
        loads.append(session.load("load_c", bias, command.bias_base))
    done = session.command(m, n, k, command.dataflow, bias=command.bias_base, start=command.start, after=loads)
    session.read(m, n, after=(done,))
    result = session.run(build)
    want = product(config, a, b, bias)
    if not result.matrices or not np.array_equal(result.matrices[0], want):
        raise result.run.failure(f"{command}: C differs from the reference")
    ledger.count(commands_judged=1, sums_compared=want.size)
