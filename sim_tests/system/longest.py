"""Products of which one extent is as large as the scratchpads allow: counters and addresses run to their ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilewright.generators.reference.core import DATAFLOWS, ReferenceCore
from tilewright.generators.reference.gemm import gemm
from tilewright.generators.reference.records import Command, Status
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import Build, ledger
from tilewright.sim_tests.system.designs import Design

LIMIT = 65_536


def largest_extent(rules: ReferenceCore, command: Command, name: str) -> int:
    """The largest legal value of ``command``'s extent ``name``; all below it are legal too."""
    low: int = getattr(command, name)
    high = LIMIT
    while high - low > 1:
        middle = (low + high) // 2
        fits = rules.command_status(replace(command, **{name: middle})) == Status.OK
        low, high = (middle, high) if fits else (low, middle)
    return low


def longest_products(design: Design) -> list[tuple[int, tuple[int, int, int]]]:
    """(dataflow, (M, N, K)): each extent in turn as large as it can be beside two that are 1."""
    rules = ReferenceCore(design.config)
    found = []
    for dataflow in DATAFLOWS[design.config.dataflow]:
        for name in ("m", "n", "k"):
            command = Command(1, 1, 1, int(dataflow))
            longest = replace(command, **{name: largest_extent(rules, command, name)})
            found.append((int(dataflow), (longest.m, longest.n, longest.k)))
    return found


def check_longest(design: Design, build: Build, dataflow: int, shape: tuple[int, int, int]) -> None:
    """Runs one product of ``shape`` on random operands; ValueError where C is not that of the reference."""
    m, n, k = shape
    config = design.config
    rng = np.random.default_rng(m + n + k)
    a = rng.integers(config.a.min, config.a.max, (m, k), endpoint=True)
    b = rng.integers(config.b.min, config.b.max, (k, n), endpoint=True)
    session = CoreSession(design.parameters)
    loads = (session.load("load_a", a), session.load("load_b", b))
    done = session.command(m, n, k, dataflow, after=loads)
    session.read(m, n, after=(done,))
    result = session.run(build)
    want = gemm(a, b, 0, config.acc, saturating=config.overflow == "saturate", vector=config.vector)
    if not result.matrices or not np.array_equal(result.matrices[0], want):
        raise result.run.failure(f"{m} x {n} x {k}: C differs from the reference")
    ledger.count(commands_judged=1, sums_compared=want.size)
